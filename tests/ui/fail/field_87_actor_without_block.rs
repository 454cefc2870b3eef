use greenroom::actor;

#[actor]
struct Counter;

fn main() {}
