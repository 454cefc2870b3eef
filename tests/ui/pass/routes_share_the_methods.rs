//! Code over a route that is not known yet uses the same methods.

use greenroom::__private::{Carries, Local, Route};
use greenroom::actor;

#[actor]
pub struct Counter {
    count: u64,
}

#[actor]
impl Counter {
    pub async fn add(&mut self, n: u64) -> u64 {
        self.count += n;
        self.count
    }
}

async fn add_two<R>(counter: &CounterHandle<R>) -> u64
where
    R: Route + Carries<Counter, CounterAdd>,
{
    counter.add(2).await.expect("lives")
}

pub struct Holder {
    _local: CounterHandle,
    _named: CounterHandle<Local>,
}

#[greenroom::main]
async fn main() {
    let counter = Counter { count: 0 }.spawn();
    assert_eq!(add_two(&counter).await, 2);
}
