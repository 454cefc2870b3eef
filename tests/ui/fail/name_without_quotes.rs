use greenroom::actor;

#[actor(name = counter)]
struct Counter;

#[actor]
impl Counter {}

fn main() {}
