use greenroom::actor;
use std::borrow::Cow;

#[actor]
struct Counter;

#[actor]
impl Counter {
    async fn put(&mut self, text: Cow<'_, str>) -> usize {
        text.len()
    }
}

fn main() {}
