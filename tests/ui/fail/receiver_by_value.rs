use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    fn finish(self) -> u8 {
        1
    }
}

fn main() {}
