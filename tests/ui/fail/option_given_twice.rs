use greenroom::actor;

#[actor(mailbox = 4, mailbox = 5)]
struct Counter;

#[actor]
impl Counter {}

fn main() {}
