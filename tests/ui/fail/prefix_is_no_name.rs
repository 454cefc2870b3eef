use greenroom::actor;

#[actor]
struct Counter;

#[actor(prefix = "a b")]
impl Counter {
    fn get(&self) {}
}

fn main() {}
