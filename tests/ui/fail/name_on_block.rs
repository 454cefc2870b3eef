use greenroom::actor;

#[actor]
struct Counter;

#[actor(name = "x")]
impl Counter {
    fn get(&self) {}
}

fn main() {}
