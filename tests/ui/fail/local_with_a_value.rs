use greenroom::actor;

#[actor(local = true)]
struct Counter;

#[actor(local)]
impl Counter {}

fn main() {}
