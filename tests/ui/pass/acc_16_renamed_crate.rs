//! `crate = ".."` on every position; nothing asks for the crate's own name.

extern crate greenroom as stage;

mod inner {
    pub mod stage2 {
        pub use ::stage::*;
    }
}

use stage::{Handler, actor};

#[actor(crate = "stage")]
pub struct Counter {
    count: u64,
}

#[actor(crate = "::stage")]
impl Counter {
    pub async fn add(&mut self, n: u64) -> u64 {
        self.count += n;
        self.count
    }
}

pub struct Tick;

#[actor(crate = "crate::inner::stage2")]
impl Handler<Tick> for Counter {
    fn handle(&mut self, _: Tick) {
        self.count += 1;
    }
}

#[stage::main(crate = "stage")]
async fn main() {
    let counter = Counter { count: 0 }.spawn();
    counter.ask(Tick).await.expect("lives");
    assert_eq!(counter.add(1).await.expect("lives"), 2);
}
