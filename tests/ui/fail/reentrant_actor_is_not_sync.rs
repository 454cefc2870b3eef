use std::cell::Cell;

use greenroom::actor;

#[actor]
struct Counter {
    count: Cell<u64>,
}

#[actor]
impl Counter {
    #[message(reentrant)]
    async fn get(&self) -> u64 {
        std::future::ready(()).await;
        self.count.get()
    }
}

fn main() {}
