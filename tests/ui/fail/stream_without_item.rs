//! A stream says what it gives.

use futures::Stream;
use greenroom::actor;

#[actor]
struct Log;

#[actor]
impl Log {
    fn lines(&mut self) -> impl Stream {
        futures::stream::iter([1])
    }
}

fn main() {}
