use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    #[message]
    fn add(&mut self, one: Tick, two: Tick) -> (Tick, Tick) {
        (one, two)
    }
}

struct Tick;

fn main() {}
