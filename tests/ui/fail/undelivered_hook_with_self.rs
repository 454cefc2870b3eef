use greenroom::{Undelivered, actor};

#[actor]
struct Counter;

#[actor]
impl Counter {
    fn add(&mut self) {}

    #[on(undelivered)]
    fn lost(&mut self, letter: Undelivered) {
        drop(letter);
    }
}

fn main() {}
