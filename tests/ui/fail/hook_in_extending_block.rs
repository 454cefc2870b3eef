use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {}

#[actor(extend)]
impl Counter {
    #[on(start)]
    fn begin(&mut self) {}
}

fn main() {}
