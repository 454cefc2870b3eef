use greenroom::{OnPanic, actor};

#[actor]
struct Counter;

#[actor]
impl Counter {
    #[on(panic)]
    fn crashed(&mut self) -> OnPanic<Self> {
        OnPanic::resume()
    }
}

fn main() {}
