use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    #[message(inline = always)]
    fn get(&self) {}
}

fn main() {}
