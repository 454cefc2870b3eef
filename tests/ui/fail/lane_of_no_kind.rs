use greenroom::actor;

#[actor]
pub struct Board;

#[actor]
impl Board {
    #[message(lane = fast)]
    pub fn write(&mut self, line: String) {}
}

fn main() {}
