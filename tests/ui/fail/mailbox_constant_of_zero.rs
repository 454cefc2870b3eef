use greenroom::actor;

const SLOTS: usize = 0;

#[actor(mailbox = SLOTS)]
struct Counter;

#[actor]
impl Counter {}

fn main() {}
