use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    #[message(name = "Get")]
    fn get(&self) {}
}

fn main() {}
