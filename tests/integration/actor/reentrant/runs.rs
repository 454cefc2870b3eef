//! Which handlers are inside together.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use futures::task::AtomicWaker;
use greenroom::actor;
use greenroom::limits::REENTRANT_MAX;
use tokio::time::Instant;

use super::{Book, hall, open, visitor};
use crate::actor::support::{Gate, assert_at_rest, on_each_runtime, poll_once, until, within};

#[test]
fn handlers_that_are_reentrant_are_suspended_side_by_side_and_end_in_any_order() {
    on_each_runtime(|| async {
        let hall = hall(&Book::default());
        for _ in 0..3 {
            let (first_gate, first) = visitor(&hall).await;
            let (second_gate, second) = visitor(&hall).await;
            assert_eq!(within(hall.count()).await.unwrap(), 2);
            second_gate.open();
            assert_eq!(within(second).await.unwrap().unwrap(), 2);
            assert_eq!(within(hall.count()).await.unwrap(), 1);
            let (third_gate, third) = visitor(&hall).await;
            first_gate.open();
            assert_eq!(within(first).await.unwrap().unwrap(), 2);
            third_gate.open();
            assert_eq!(within(third).await.unwrap().unwrap(), 1);
        }
        within(hall.sweep(open())).await.unwrap();
        assert_at_rest(&hall);
    });
}

#[test]
fn an_ask_that_is_suspended_inline_lets_the_next_run_inline_too() {
    on_each_runtime(|| async {
        let (hall, gate) = (hall(&Book::default()), Gate::shut());
        within(hall.sweep(open())).await.unwrap();
        let mut asks = Vec::new();
        for inside in 1..=3 {
            let mut ask = Box::pin(hall.visit_inline(gate.clone()));
            assert!(poll_once(&mut ask).await.is_pending());
            asks.push(ask);
            assert_eq!(within(hall.count()).await.unwrap(), inside);
        }
        gate.open();
        for ask in asks {
            within(ask).await.unwrap();
        }
        assert_eq!(within(hall.count()).await.unwrap(), 0);
    });
}

#[test]
fn no_more_are_inside_than_the_bound_and_the_next_enters_as_one_leaves() {
    on_each_runtime(|| async {
        let hall = hall(&Book::default());
        let gate = Gate::shut();
        let visit = || tokio::spawn(hall.visit(gate.clone()).into_owned());
        let crowd: Vec<_> = (1..REENTRANT_MAX).map(|_| visit()).collect();
        for _ in 1..REENTRANT_MAX {
            gate.reached().await;
        }
        let (first_gate, first) = visitor(&hall).await;
        let late_gate = Gate::shut();
        let late = tokio::spawn(hall.visit(late_gate.clone()).into_owned());
        let mut count = Box::pin(hall.count().tell());
        let _ = poll_once(&mut count).await;
        first_gate.open();
        assert_eq!(within(first).await.unwrap().unwrap(), REENTRANT_MAX);
        late_gate.reached().await;
        gate.open();
        for visit in crowd {
            within(visit).await.unwrap().unwrap();
        }
        late_gate.open();
        assert_eq!(within(late).await.unwrap().unwrap(), 1);
        assert_eq!(within(hall.count()).await.unwrap(), 0);
    });
}

#[tokio::test(start_paused = true)]
async fn each_handler_has_its_own_deadline_and_its_own_asker() {
    let book = Book::default();
    let hall = hall(&book);
    let gate = Gate::shut();
    let deadlines = [5, 7].map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let with = deadlines.map(|at| hall.visit_within(gate.clone()).deadline(at));
    let [first, second] = with;
    let without = hall.visit_within(gate.clone());
    let opens = async {
        for _ in 0..3 {
            gate.reached().await;
        }
        gate.open();
    };
    let (first, second, without, ()) =
        within(async { tokio::join!(first, second, without, opens) }).await;
    assert_eq!(first.unwrap(), Some(deadlines[0]));
    assert_eq!(second.unwrap(), Some(deadlines[1]));
    assert_eq!(without.unwrap(), None);

    let gates = [Gate::shut(), Gate::shut()];
    let mut asks = Vec::new();
    for (gate, what) in gates.iter().zip(["first gone", "second gone"]) {
        let mut ask = Box::pin(hall.wait_for_asker(gate.clone(), what));
        assert!(poll_once(&mut ask).await.is_pending());
        gate.reached().await;
        gate.open();
        asks.push(ask);
    }
    drop(asks.pop());
    until(|| book.read() == ["second gone"]).await;
    drop(asks.pop());
    until(|| book.read() == ["second gone", "first gone"]).await;
}

/// Counts the polls of two handlers.
#[actor]
struct Counted {
    polls: [AtomicUsize; 2],
    wakers: Arc<[AtomicWaker; 2]>,
    done: [AtomicUsize; 2],
}

#[actor]
impl Counted {
    #[message(reentrant)]
    async fn wait(&self, place: usize, goal: usize) -> usize {
        poll_fn(|cx| {
            let polls = 1 + self.polls[place].fetch_add(1, Ordering::Relaxed);
            self.wakers[place].register(cx.waker());
            match polls >= goal || self.done[place].load(Ordering::Relaxed) > 0 {
                true => Poll::Ready(polls),
                false => Poll::Pending,
            }
        })
        .await
    }

    #[message(reentrant)]
    fn finish(&self, place: usize) {
        self.done[place].store(1, Ordering::Relaxed);
        self.wakers[place].wake();
    }

    #[message(reentrant)]
    fn polls(&self, place: usize) -> usize {
        self.polls[place].load(Ordering::Relaxed)
    }
}

#[test]
fn who_is_woken_is_polled_and_others_are_not() {
    on_each_runtime(|| async {
        const ROUNDS: usize = 40;
        let wakers = Arc::new([AtomicWaker::new(), AtomicWaker::new()]);
        let counted = Counted {
            polls: Default::default(),
            wakers: Arc::clone(&wakers),
            done: Default::default(),
        }
        .spawn();
        let still = tokio::spawn(counted.wait(1, usize::MAX).into_owned());
        let busy = tokio::spawn(counted.wait(0, ROUNDS).into_owned());
        while !busy.is_finished() {
            let before = within(counted.polls(0)).await.unwrap();
            wakers[0].wake();
            while !busy.is_finished() && within(counted.polls(0)).await.unwrap() == before {
                tokio::task::yield_now().await;
                wakers[0].wake();
            }
        }
        assert!(within(busy).await.unwrap().unwrap() >= ROUNDS);
        within(counted.finish(1)).await.unwrap();
        let polls = within(still).await.unwrap().unwrap();
        assert!(polls <= 3, "polled {polls} times");
    });
}
