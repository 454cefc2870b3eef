use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    #[on(start)]
    fn begin(&mut self) {}

    #[on(start)]
    fn open(&mut self) {}
}

fn main() {}
