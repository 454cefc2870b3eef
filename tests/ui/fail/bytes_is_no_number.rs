use greenroom::actor;

#[actor(mailbox_bytes = 100)]
pub struct Board;

#[actor]
impl Board {
    #[message(bytes = line)]
    pub fn write(&mut self, line: String) {}
}

fn main() {}
