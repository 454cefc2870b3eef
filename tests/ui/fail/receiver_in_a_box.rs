use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    fn finish(self: Box<Self>) {}
}

fn main() {}
