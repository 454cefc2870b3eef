use greenroom::actor;

#[actor]
struct Counter;

#[actor(bar)]
impl Counter {
    fn a(&mut self, x: &str) -> usize {
        x.len()
    }
    fn b(self) {}
    #[message(foo)]
    fn c(&self) {}
}

fn main() {}
