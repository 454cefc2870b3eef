use greenroom::actor;

#[actor]
struct Counter;

#[actor(skip)]
impl Counter {
    fn get(&self) {}
}

fn main() {}
