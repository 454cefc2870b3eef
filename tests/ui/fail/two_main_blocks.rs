use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    fn one(&self) {}
}

#[actor]
impl Counter {
    fn two(&self) {}
}

fn main() {}
