use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    fn add(&mut self) {}

    #[on(undelivered)]
    fn lost(letter: CounterAdd) {
        drop(letter);
    }
}

fn main() {}
