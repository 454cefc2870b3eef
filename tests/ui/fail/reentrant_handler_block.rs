use greenroom::{Handler, actor};

#[actor]
struct Counter {
    count: u64,
}

#[actor]
impl Counter {}

struct Tick;

#[actor(reentrant)]
impl Handler<Tick> for Counter {
    async fn handle(&mut self, _: Tick) -> u64 {
        self.count
    }
}

fn main() {}
