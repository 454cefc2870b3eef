use greenroom::actor;

#[actor(local)]
#[derive(Clone)]
struct Counter;

#[actor(local, fork)]
impl Counter {}

fn main() {}
