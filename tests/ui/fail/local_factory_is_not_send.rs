use greenroom::actor;
use std::rc::Rc;

#[actor(local)]
struct Counter(Rc<u8>);

#[actor(local)]
impl Counter {}

fn main() {
    let shared = Rc::new(1);
    let _ = Counter::spawn(move || Counter(shared));
}
