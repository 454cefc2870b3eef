use greenroom::{OnPanic, actor};

#[actor]
struct Counter;

#[actor]
impl Counter {
    #[on(panic)]
    fn crashed(&mut self) -> OnPanic<Self> {
        OnPanic::stop()
    }

    #[on(panic)]
    fn fell(&mut self) -> OnPanic<Self> {
        OnPanic::restart()
    }
}

fn main() {}
