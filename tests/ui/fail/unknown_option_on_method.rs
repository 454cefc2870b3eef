use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    #[message(retries = 3)]
    fn get(&self) {}
}

fn main() {}
