use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    fn all(&self) -> impl Iterator<Item = u8> {
        0..9
    }
}

fn main() {}
