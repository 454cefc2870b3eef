use greenroom::{Handler, actor};

#[actor]
struct Counter;

#[actor]
impl Counter {}

struct Tick;

#[actor]
impl Handler<Tick> for Counter {
    fn handle(&mut self, _: Tick) -> impl Future<Output = u8> {
        std::future::ready(1)
    }
}

fn main() {}
