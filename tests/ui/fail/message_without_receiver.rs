use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    #[message(plain)]
    fn new() -> Self {
        Self
    }
}

fn main() {}
