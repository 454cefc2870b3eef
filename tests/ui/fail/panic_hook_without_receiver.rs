use greenroom::{Crash, OnPanic, actor};

#[actor]
struct Counter;

#[actor]
impl Counter {
    #[on(panic)]
    fn crashed(_crash: &Crash) -> OnPanic<Self> {
        OnPanic::stop()
    }
}

fn main() {}
