use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    extern "C" fn poke(&mut self) {}
}

fn main() {}
