use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    #[message]
    #[message(name = Add)]
    fn add(&mut self, tick: Tick) -> Tick {
        tick
    }
}

struct Tick;

fn main() {}
