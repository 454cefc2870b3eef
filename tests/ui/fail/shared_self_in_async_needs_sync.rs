use greenroom::actor;
use std::cell::Cell;

#[actor]
struct Counter(Cell<u8>);

#[actor]
impl Counter {
    async fn get(&self) -> u8 {
        std::future::ready(()).await;
        self.0.get()
    }
}

fn main() {}
