use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    #[on(start)]
    fn begin(&mut self) -> u64 {
        1
    }
}

fn main() {}
