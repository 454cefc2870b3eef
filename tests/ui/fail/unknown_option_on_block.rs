use greenroom::actor;

#[actor]
struct Counter;

#[actor(shared)]
impl Counter {
    fn get(&self) {}
}

fn main() {}
