use greenroom::actor;
use std::rc::Rc;

#[actor(local)]
struct Counter(Rc<u8>);

#[actor(local)]
impl Counter {
    fn share(&self) -> Rc<u8> {
        Rc::clone(&self.0)
    }
}

fn main() {}
