use greenroom::actor;

#[actor(crate = greenroom)]
struct Counter;

#[actor]
impl Counter {}

fn main() {}
