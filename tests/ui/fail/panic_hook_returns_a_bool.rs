use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    #[on(panic)]
    fn crashed(&mut self) -> bool {
        true
    }
}

fn main() {}
