#![deny(unused_must_use)]

use greenroom::actor;

#[actor]
struct Counter(u64);

#[actor]
impl Counter {
    async fn add(&mut self, n: u64) -> u64 {
        self.0 += n;
        self.0
    }

    fn reset(&mut self) {
        self.0 = 0;
    }
}

#[greenroom::main]
async fn main() {
    let counter = Counter(0).spawn();
    counter.add(2);
}
