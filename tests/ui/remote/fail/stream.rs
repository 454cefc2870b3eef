use futures::Stream;
use greenroom::actor;

#[actor]
struct Counter {
    count: u64,
}

#[actor(remote)]
impl Counter {
    fn all(&mut self) -> impl Stream<Item = u64> {
        futures::stream::iter(0..self.count)
    }
}

fn main() {}
