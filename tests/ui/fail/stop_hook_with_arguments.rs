use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    #[on(stop)]
    fn end(&mut self, n: u64) {
        drop(n);
    }
}

fn main() {}
