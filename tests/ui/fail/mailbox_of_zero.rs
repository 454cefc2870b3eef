use greenroom::actor;

#[actor(mailbox = 0)]
struct Counter;

#[actor]
impl Counter {}

fn main() {}
