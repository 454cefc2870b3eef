use greenroom::actor;

#[actor(mailbx = 4)]
struct Counter;

#[actor]
impl Counter {}

fn main() {}
