use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    fn add(&mut self) {}

    #[message(method = add)]
    fn add_two(&mut self) {}
}

fn main() {}
