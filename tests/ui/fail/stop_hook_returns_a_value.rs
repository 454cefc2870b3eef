use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    #[on(stop)]
    fn end(&mut self) -> u64 {
        1
    }
}

fn main() {}
