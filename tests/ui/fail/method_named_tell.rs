use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    fn tell(&self) -> u8 {
        1
    }
}

fn main() {}
