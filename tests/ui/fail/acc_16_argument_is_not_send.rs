use greenroom::actor;
use std::rc::Rc;

#[actor]
struct Counter;

#[actor]
impl Counter {
    async fn put(&mut self, item: Rc<u8>) {
        drop(item);
    }
}

fn main() {}
