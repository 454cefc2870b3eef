//! A stream that says that it borrows nothing may not.

use futures::Stream;
use greenroom::actor;

#[actor]
struct Log(Vec<String>);

#[actor]
impl Log {
    fn lines(&mut self) -> impl Stream<Item = String> + use<> {
        futures::stream::iter(self.0.iter().cloned())
    }
}

fn main() {}
