use greenroom::actor;
use std::rc::Rc;

#[actor]
struct Counter;

#[actor]
impl Counter {
    async fn wait(&mut self) -> u8 {
        let held = Rc::new(1);
        std::future::ready(()).await;
        *held
    }
}

fn main() {}
