use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    fn sum(&mut self, numbers: &[u64]) -> u64 {
        numbers.iter().sum()
    }
}

fn main() {}
