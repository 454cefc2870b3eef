use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    fn clone(&self) -> u8 {
        1
    }
}

fn main() {}
