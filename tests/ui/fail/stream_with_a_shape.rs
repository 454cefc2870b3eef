//! The items of a stream come as they are.

use futures::Stream;
use greenroom::actor;

#[actor]
struct Log;

#[actor]
impl Log {
    #[message(result)]
    fn lines(&mut self) -> impl Stream<Item = Result<u8, String>> {
        futures::stream::iter([Ok(1)])
    }
}

fn main() {}
