use greenroom::{Handler, actor};

#[actor]
struct Counter;

#[actor]
impl Counter {}

struct Tick;

#[actor]
impl Handler<Tick> for Counter {
    fn handle(&mut self, _: Tick, _: u8) {}
}

fn main() {}
