//! What a message costs in allocations once things are warm. Everything runs on one thread.

use std::future::Future;

use greenroom::{Handle, actor};
use tracing::Level;
use tracing::span::{Attributes, Record};
use tracing::{Event, Id, Metadata, Subscriber};

use crate::allocator::allocations;

#[actor]
struct Plain {
    sum: u64,
}

#[actor]
impl Plain {
    fn add(&mut self, n: u64) -> u64 {
        self.sum += n;
        self.sum
    }

    async fn add_later(&mut self, n: u64) -> u64 {
        tokio::task::yield_now().await;
        self.sum += n;
        self.sum
    }

    #[message(lane = urgent)]
    fn hurry(&mut self, n: u64) {
        self.sum += n;
    }

    #[message(lane = background, overflow = drop_oldest)]
    fn sample(&mut self, n: u64) {
        self.sum += n;
    }

    #[message(overflow = latest(n))]
    fn show(&mut self, n: u64) {
        self.sum += n;
    }

    /// A message larger than any slot, and a future larger than any room.
    async fn add_all(&mut self, numbers: [u64; 64]) -> u64 {
        tokio::task::yield_now().await;
        self.sum += numbers.iter().sum::<u64>();
        self.sum
    }
}

/// Runs `warm` rounds of `f`, then counts the allocations of `counted` more.
fn count<F: Future + Send>(f: impl Fn(PlainHandle) -> F + Send + 'static) -> u64 {
    let runtime = greenroom::Runtime::builder()
        .current_thread()
        .build()
        .unwrap();
    let task = runtime.spawn(async move {
        let actor = Plain { sum: 0 }.spawn();
        for _ in 0..2000 {
            f(actor.clone()).await;
        }
        let before = allocations();
        for _ in 0..1000 {
            f(actor.clone()).await;
        }
        let made = allocations() - before;
        // An ask comes after all that was told before it.
        actor.add(0).await.unwrap();
        assert_eq!(Handle::free_slots(&actor), Handle::capacity(&actor));
        made
    });
    runtime.block_on(task).unwrap()
}

async fn burst(actor: PlainHandle) {
    for _ in 0..20 {
        actor.add(1).tell().await.unwrap();
    }
    actor.add(1).await.unwrap();
}

#[test]
fn asks_allocate_nothing_once_warm() {
    assert_eq!(
        count(|actor| async move {
            let _ = actor.add(1).await.unwrap();
        }),
        0
    );
    assert_eq!(
        count(|actor| async move {
            let _ = actor.add_later(1).await.unwrap();
        }),
        0
    );
}

#[test]
fn tells_allocate_nothing_once_warm_whether_alone_or_in_bursts() {
    assert_eq!(
        count(|actor| async move { actor.add(1).tell().await.unwrap() }),
        0
    );
    assert_eq!(count(burst), 0);
}

async fn mixed(actor: PlainHandle) {
    for n in 0..100 {
        actor.sample(n).tell().await.unwrap();
        actor.show(n % 7).tell().await.unwrap();
        actor.hurry(n).tell().await.unwrap();
        actor.add(n).tell().await.unwrap();
    }
    actor.add(1).await.unwrap();
}

#[test]
fn lanes_drops_and_replacements_allocate_nothing_once_warm() {
    assert_eq!(count(mixed), 0);
}

#[test]
fn large_messages_and_futures_allocate_nothing_once_warm() {
    assert_eq!(
        count(|actor| async move {
            let _ = actor.add_all([1; 64]).await.unwrap();
        }),
        0
    );
}

#[test]
fn an_actor_is_one_allocation() {
    let runtime = greenroom::Runtime::builder()
        .current_thread()
        .build()
        .unwrap();
    let task = runtime.spawn(async {
        let keep: Vec<_> = (0..10).map(|_| Plain { sum: 0 }.spawn()).collect();
        let mut more = Vec::with_capacity(100);
        let before = allocations();
        more.extend((0..100).map(|_| Plain { sum: 0 }.spawn()));
        let made = allocations() - before;
        drop((keep, more));
        made
    });
    assert_eq!(runtime.block_on(task).unwrap(), 100);
}

/// Wants spans up to a level, and keeps none.
struct UpTo(Level);

impl Subscriber for UpTo {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.0
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[test]
fn a_message_span_that_nobody_wants_costs_no_allocation() {
    let at = |level| {
        tracing::subscriber::with_default(UpTo(level), || {
            count(|actor| async move {
                let _ = actor.add(1).await.unwrap();
            })
        })
    };
    assert_eq!(at(Level::INFO), 0);
    assert_eq!(
        at(Level::TRACE),
        1000,
        "one boxed span a message, or this test can't fail"
    );
}
