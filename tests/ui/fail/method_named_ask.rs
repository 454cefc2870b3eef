use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    fn ask(&self) -> u8 {
        1
    }
}

fn main() {}
