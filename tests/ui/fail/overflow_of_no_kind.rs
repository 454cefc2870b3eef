use greenroom::actor;

#[actor(overflow = latest(user))]
pub struct Board;

#[actor]
impl Board {
    #[message(overflow = drop)]
    pub fn write(&mut self, line: String) {}

    #[message(overflow = reject(line))]
    pub fn draw(&mut self, line: String) {}
}

fn main() {}
