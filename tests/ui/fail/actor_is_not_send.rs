use greenroom::actor;
use std::rc::Rc;

#[actor]
struct Counter(Rc<u8>);

#[actor]
impl Counter {}

fn main() {}
