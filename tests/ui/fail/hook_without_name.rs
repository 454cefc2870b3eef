use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    #[on]
    fn oops(&mut self) {}
}

fn main() {}
