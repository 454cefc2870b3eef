//! greenroom on a runtime of its own, with its default features.
//!
//! Style: its README: the attribute on type and impl block, methods of the handle as asks,
//! `.tell()` for one way, `Builder` for capacities.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use greenroom::{Builder, actor};

use crate::countdown::Countdown;
use crate::hosts;
use crate::machine;
use crate::peer::{GIANT_BYTES, Peer};
use crate::workloads::CAPACITY;

pub struct Greenroom;

#[actor]
pub struct Counter {
    sum: u64,
}

#[actor]
impl Counter {
    pub fn add(&mut self, n: u64) -> u64 {
        self.sum += n;
        self.sum
    }
}

#[actor]
pub struct Starter {
    ready: bool,
}

#[actor]
impl Starter {
    #[on(start)]
    async fn begin(&mut self) {
        self.ready = black_box(true);
    }

    pub fn is_ready(&self) -> bool {
        self.ready
    }
}

#[actor]
pub struct Burner;

#[actor]
impl Burner {
    pub fn burn(&mut self, time: Duration) {
        machine::burn(time);
    }
}

#[actor]
pub struct Giant;

#[actor]
impl Giant {
    pub async fn suspend(&mut self) {
        let mut bytes = [0_u8; GIANT_BYTES];
        black_box(&mut bytes);
        greenroom::yield_now().await;
        black_box(&mut bytes);
    }
}

#[actor]
pub struct Relay {
    next: Option<RelayHandle>,
    done: Arc<Countdown>,
}

#[actor]
impl Relay {
    pub fn link(&mut self, next: RelayHandle) {
        self.next = Some(next);
    }

    pub async fn pass(&mut self, left: u64) {
        if left == 0 {
            self.done.arrive();
            return;
        }
        let next = self
            .next
            .as_ref()
            .expect("a relay is linked before its first token");
        next.pass(left - 1).tell().await.expect("relays live on");
    }
}

#[actor]
pub struct Link {
    next: Option<LinkHandle>,
}

#[actor]
impl Link {
    pub async fn through(&mut self, asks: u64) -> u64 {
        let mut sum = 1;
        if let Some(next) = &self.next {
            for _ in 0..asks {
                sum += next.through(1).await.expect("the next answers");
            }
        }
        sum
    }
}

impl Peer for Greenroom {
    const NAME: &'static str = "greenroom";

    type Counter = CounterHandle;
    type Starter = StarterHandle;
    type Burner = BurnerHandle;
    type Giant = GiantHandle;
    type Relay = RelayHandle;
    type Link = LinkHandle;

    fn run<T: Send + 'static>(cell: impl Future<Output = T> + Send + 'static) -> T {
        hosts::greenroom().block_on(async { Self::task(cell).await })
    }

    fn task<T: Send + 'static>(
        task: impl Future<Output = T> + Send + 'static,
    ) -> impl Future<Output = T> + Send {
        let task = greenroom::spawn(task);
        async { task.await.expect("no task of a cell panics") }
    }

    fn counter(capacity: usize) -> Self::Counter {
        Builder::new(Counter { sum: 0 }).mailbox(capacity).spawn()
    }

    async fn tell(counter: &Self::Counter, n: u64) {
        counter.add(n).tell().await.expect("the counter lives");
    }

    async fn ask(counter: &Self::Counter, n: u64) -> u64 {
        counter.add(n).await.expect("the counter answers")
    }

    fn starter() -> Self::Starter {
        Builder::new(Starter { ready: false })
            .mailbox(CAPACITY)
            .spawn()
    }

    async fn is_ready(starter: &Self::Starter) -> bool {
        starter.is_ready().await.expect("the starter answers")
    }

    fn burner() -> Self::Burner {
        Builder::new(Burner).mailbox(CAPACITY).spawn()
    }

    async fn burn(burner: &Self::Burner, time: Duration) {
        burner.burn(time).await.expect("the burner answers");
    }

    fn giant() -> Self::Giant {
        Builder::new(Giant).mailbox(CAPACITY).spawn()
    }

    async fn suspend(giant: &Self::Giant) {
        giant.suspend().await.expect("the giant answers");
    }

    fn relay(done: Arc<Countdown>) -> Self::Relay {
        Builder::new(Relay { next: None, done })
            .mailbox(CAPACITY)
            .spawn()
    }

    async fn link(relay: &Self::Relay, next: Self::Relay) {
        relay.link(next).tell().await.expect("the relay lives");
    }

    async fn pass(relay: &Self::Relay, passes_left: u64) {
        relay
            .pass(passes_left)
            .tell()
            .await
            .expect("the relay lives");
    }

    fn chain(next: Option<Self::Link>) -> Self::Link {
        Builder::new(Link { next }).mailbox(CAPACITY).spawn()
    }

    async fn through(link: &Self::Link, asks: u64) -> u64 {
        link.through(asks).await.expect("the link answers")
    }
}
