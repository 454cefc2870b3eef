use greenroom::{OnPanic, actor};

#[actor]
struct Counter;

#[actor]
impl Counter {
    #[on(panic)]
    async fn crashed(&mut self) -> OnPanic<Self> {
        OnPanic::stop()
    }
}

fn main() {}
