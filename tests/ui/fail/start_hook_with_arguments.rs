use greenroom::actor;

#[actor]
struct Counter;

#[actor]
impl Counter {
    #[on(start)]
    fn begin(&mut self, n: u64) {
        drop(n);
    }
}

fn main() {}
