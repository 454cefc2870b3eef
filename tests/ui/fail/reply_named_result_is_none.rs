use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    fn get(&self) -> Result {
        Result
    }
}

struct Result;

fn main() {}
