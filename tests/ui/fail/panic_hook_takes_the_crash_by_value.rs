use greenroom::{Crash, OnPanic, actor};

#[actor]
struct Counter;

#[actor]
impl Counter {
    #[on(panic)]
    fn crashed(&mut self, crash: Crash) -> OnPanic<Self> {
        drop(crash);
        OnPanic::stop()
    }
}

fn main() {}
