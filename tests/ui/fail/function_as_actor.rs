use greenroom::actor;

#[actor]
fn counter() {}

fn main() {}
