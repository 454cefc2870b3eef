use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    fn add(&mut self) {}

    #[on(undelivered)]
    fn lost() {}
}

fn main() {}
