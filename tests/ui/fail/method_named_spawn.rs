use greenroom::actor;

#[actor(spawn = start)]
struct Counter;

#[actor]
impl Counter {
    fn spawn(&self) -> u8 {
        1
    }
}

fn main() {}
