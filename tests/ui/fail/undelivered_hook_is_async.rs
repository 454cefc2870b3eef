use greenroom::{Undelivered, actor};

#[actor]
struct Counter;

#[actor]
impl Counter {
    fn add(&mut self) {}

    #[on(undelivered)]
    async fn lost(letter: Undelivered) {
        drop(letter);
    }
}

fn main() {}
