use greenroom::actor;

#[actor(mailbox = "many")]
struct Counter;

#[actor]
impl Counter {}

fn main() {}
