use greenroom::{OnPanic, actor};

#[actor]
struct Counter;

#[actor]
impl Counter {
    #[on(panic)]
    fn crashed(&mut self, n: u64) -> OnPanic<Self> {
        drop(n);
        OnPanic::stop()
    }
}

fn main() {}
