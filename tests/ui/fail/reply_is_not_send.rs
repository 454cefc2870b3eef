use greenroom::actor;
use std::rc::Rc;

#[actor]
struct Counter;

#[actor]
impl Counter {
    async fn make(&mut self) -> Rc<u8> {
        Rc::new(1)
    }
}

fn main() {}
