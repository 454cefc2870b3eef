use greenroom::actor;

#[actor(lane = urgent)]
pub struct Board;

#[actor]
impl Board {}

fn main() {}
