use greenroom::actor;

struct Counter;

#[actor]
impl Counter {
    fn get(&self) {}
}

fn main() {}
