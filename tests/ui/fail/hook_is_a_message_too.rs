use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    #[on(start)]
    #[message(plain)]
    fn begin(&mut self) {}
}

fn main() {}
