use greenroom::actor;

#[actor]
pub struct Counter;

#[actor]
impl Counter {
    pub fn make(&mut self) -> Secret {
        Secret
    }
}

struct Secret;

fn main() {}
