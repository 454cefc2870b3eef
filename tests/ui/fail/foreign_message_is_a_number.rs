use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    #[message]
    fn add(&mut self, n: u64) -> u64 {
        n
    }
}

fn main() {}
