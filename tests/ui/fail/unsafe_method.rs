use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    unsafe fn poke(&mut self) {}
}

fn main() {}
