use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    #[on(start)]
    fn begin() {}
}

fn main() {}
