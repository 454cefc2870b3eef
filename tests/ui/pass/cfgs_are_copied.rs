//! Cfgs on methods, arguments, hooks, blocks and types go wherever the item goes.

use greenroom::{Handler, actor};

#[actor]
pub struct Counter {
    count: u64,
}

#[actor]
impl Counter {
    #[cfg(all())]
    pub async fn open(&mut self) -> u64 {
        1
    }

    #[cfg(not(all()))]
    pub async fn open(&mut self) -> u64 {
        2
    }

    #[cfg_attr(all(), doc = "Only some arguments.")]
    pub fn some(&mut self, #[cfg(any())] absent: Absent, #[cfg(all())] n: u64) -> u64 {
        n
    }

    pub async fn none(&mut self, #[cfg(any())] absent: Absent) -> u64 {
        0
    }

    #[on(start)]
    #[cfg(any())]
    fn begin(&mut self) -> Absent {}

    #[on(start)]
    #[cfg(all())]
    fn begin(&mut self) {
        self.count = 5;
    }
}

#[actor(extend)]
#[cfg(any())]
impl Counter {
    pub fn never(&mut self, absent: Absent) {}
}

#[actor]
#[cfg(any())]
pub struct Never(Absent);

#[actor]
#[cfg(all())]
impl Handler<u8> for Counter {
    fn handle(&mut self, n: u8) -> u8 {
        n
    }
}

#[actor]
#[cfg(any())]
impl Handler<Absent> for Counter {
    fn handle(&mut self, absent: Absent) {}
}

#[greenroom::main]
async fn main() {
    let counter = Counter { count: 0 }.spawn();
    assert_eq!(counter.open().await.expect("lives"), 1);
    assert_eq!(counter.some(3).await.expect("lives"), 3);
    assert_eq!(counter.ask(CounterNone {}).await.expect("lives"), 0);
}
