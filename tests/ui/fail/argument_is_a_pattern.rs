use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    fn add(&mut self, (x, y): (u64, u64)) -> u64 {
        x + y
    }
}

fn main() {}
