use greenroom::actor;

#[actor(mailbox_bytes = 0)]
pub struct Board;

#[actor]
impl Board {}

fn main() {}
