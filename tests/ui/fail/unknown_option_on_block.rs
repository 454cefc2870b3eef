use greenroom::actor;

#[actor]
struct Counter;

#[actor(remote)]
impl Counter {
    fn get(&self) {}
}

fn main() {}
