//! The items of a stream leave the actor.

use futures::Stream;
use greenroom::actor;

#[actor]
struct Log(Vec<String>);

#[actor]
impl Log {
    fn lines(&mut self) -> impl Stream<Item = &str> {
        futures::stream::iter(self.0.iter().map(String::as_str))
    }
}

fn main() {}
