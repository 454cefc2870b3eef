use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {}

#[actor]
impl Drop for Counter {
    fn drop(&mut self) {}
}

fn main() {}
