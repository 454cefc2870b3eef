use futures::Stream;
use greenroom::actor;

#[actor]
struct Counter {
    counts: Vec<u64>,
}

#[actor]
impl Counter {
    #[message(reentrant)]
    fn all(&self) -> impl Stream<Item = u64> {
        futures::stream::iter(self.counts.iter().copied())
    }
}

fn main() {}
