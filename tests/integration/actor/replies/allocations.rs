//! What replies cost in allocations once things are warm. Everything runs on one thread.

use std::future::Future;

use greenroom::{Delegated, ReplyTo, actor, ask_all};

use crate::allocator::allocations;

#[actor]
#[derive(Default)]
struct Till {
    sum: u64,
    open: Option<ReplyTo<u64>>,
}

#[actor]
impl Till {
    #[message(inline = never)]
    fn add(&mut self, n: u64) -> u64 {
        self.sum += n;
        self.sum
    }

    #[message(inline = never)]
    async fn add_later(&mut self, n: u64) -> u64 {
        tokio::task::yield_now().await;
        self.sum += n;
        self.sum
    }

    fn owe(&mut self) -> Delegated<u64> {
        let (reply, later) = Delegated::new();
        self.open = Some(reply);
        later
    }

    fn answer(&mut self) -> bool {
        self.open
            .take()
            .is_some_and(|reply| reply.send(self.sum).is_ok())
    }
}

/// Runs `warm` rounds of `f`, then counts the allocations of a thousand more.
fn count<F: Future + Send>(f: impl Fn(TillHandle) -> F + Send + 'static) -> u64 {
    let runtime = greenroom::Runtime::builder()
        .current_thread()
        .build()
        .unwrap();
    let task = runtime.spawn(async move {
        let till = Till::default().spawn();
        for _ in 0..2000 {
            f(till.clone()).await;
        }
        let before = allocations();
        for _ in 0..1000 {
            f(till.clone()).await;
        }
        allocations() - before
    });
    runtime.block_on(task).unwrap()
}

#[test]
fn queued_asks_allocate_nothing_where_the_mailbox_swings_between_empty_and_one() {
    let asks = |till: TillHandle| async move {
        till.add(1).await.unwrap();
        till.add_later(1).await.unwrap();
    };
    assert_eq!(count(asks), 0);
}

#[test]
fn asks_in_two_steps_allocate_nothing() {
    let asks = |till: TillHandle| async move {
        let first = till.add(1).enqueue().await.unwrap();
        let second = till.add_later(1).enqueue().await.unwrap();
        assert!(first.await.unwrap() < second.await.unwrap());
    };
    assert_eq!(count(asks), 0);
}

#[test]
fn a_reply_that_is_delegated_is_one_allocation() {
    let asks = |till: TillHandle| async move {
        let waiting = till.owe().enqueue().await.unwrap();
        assert!(till.answer().await.unwrap());
        waiting.await.unwrap();
    };
    assert_eq!(count(asks), 1000);
}

#[test]
fn asking_many_at_once_allocates_for_all_of_them_and_not_for_each() {
    let asks = |till: TillHandle| async move {
        let results = ask_all((0..30).map(|n| till.add(n))).await;
        assert!(results.iter().all(Result::is_ok));
    };
    assert!(count(asks) <= 4 * 1000);
}
