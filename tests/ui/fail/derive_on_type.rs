use greenroom::actor;

#[actor(derive(Clone))]
struct Counter;

#[actor]
impl Counter {}

fn main() {}
