//! Every kind of end, with several suspended.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use greenroom::{AskError, ExitReason, actor};

use super::{Book, hall, open, visitor};
use crate::actor::support::{Flavor, Gate, on_each_runtime, poll_once, within};

#[test]
fn a_kill_drops_each_at_its_await_and_tells_each_asker() {
    on_each_runtime(|| async {
        let book = Book::default();
        let hall = hall(&book);
        let visits = [
            visitor(&hall).await,
            visitor(&hall).await,
            visitor(&hall).await,
        ];
        let sweep = hall.sweep(open()).enqueue().await.unwrap();
        let late = hall.visit(open()).enqueue().await.unwrap();
        hall.kill();
        for (_, visit) in visits {
            let Err(AskError::Interrupted(error)) = within(visit).await.unwrap() else {
                panic!("it was inside")
            };
            assert!(matches!(error.reason(), Some(ExitReason::Killed)));
        }
        assert!(matches!(within(sweep).await, Err(AskError::NotHandled(_))));
        assert!(matches!(within(late).await, Err(AskError::NotHandled(_))));
        assert!(matches!(within(hall.join()).await, ExitReason::Killed));
        assert_eq!(book.read(), ["left", "left", "left"]);
    });
}

#[test]
fn a_stop_lets_all_that_are_inside_and_all_that_were_accepted_finish() {
    on_each_runtime(|| async {
        let book = Book::default();
        let hall = hall(&book);
        let (first_gate, first) = visitor(&hall).await;
        let (second_gate, second) = visitor(&hall).await;
        let sweep = hall.sweep(open()).enqueue().await.unwrap();
        hall.stop();
        assert!(hall.visit(open()).await.is_err());
        first_gate.open();
        within(first).await.unwrap().unwrap();
        let mut join = Box::pin(hall.join());
        assert!(poll_once(&mut join).await.is_pending());
        second_gate.open();
        within(second).await.unwrap().unwrap();
        within(sweep).await.unwrap();
        assert!(matches!(within(join).await, ExitReason::Stopped));
        assert_eq!(book.read(), ["left", "left", "sweeps", "swept"]);
    });
}

#[test]
fn an_actor_whose_last_handle_is_dropped_stays_until_all_have_left() {
    on_each_runtime(|| async {
        let hall = hall(&Book::default());
        let visits = [visitor(&hall).await, visitor(&hall).await];
        let weak = hall.downgrade();
        drop(hall);
        for (gate, visit) in visits {
            gate.open();
            within(visit).await.unwrap().unwrap();
        }
        assert!(weak.upgrade().is_none());
    });
}

#[test]
fn a_panic_in_one_ends_the_actor_and_tells_each_asker() {
    on_each_runtime(|| async {
        let book = Book::default();
        let hall = hall(&book);
        let (_, visit) = visitor(&hall).await;
        let gate = Gate::shut();
        let fall = tokio::spawn(hall.fall(gate.clone()).into_owned());
        gate.reached().await;
        let (_, other) = visitor(&hall).await;
        gate.open();
        for interrupted in [
            within(fall).await.unwrap().err(),
            within(visit).await.unwrap().err(),
            within(other).await.unwrap().err(),
        ] {
            let Some(AskError::Interrupted(error)) = interrupted else {
                panic!("all are interrupted")
            };
            let Some(ExitReason::Panicked(crash)) = error.reason() else {
                panic!("{error}")
            };
            assert!(crash.to_string().contains("it falls"), "{crash}");
            assert!(crash.to_string().contains("HallFall"), "{crash}");
        }
        within(hall.join()).await;
        assert_eq!(book.read(), ["left", "left"]);
    });
}

#[test]
fn a_panic_at_once_ends_those_that_are_inside() {
    on_each_runtime(|| async {
        let book = Book::default();
        let hall = hall(&book);
        let (_, visit) = visitor(&hall).await;
        assert!(matches!(
            within(hall.fall(open())).await,
            Err(AskError::Interrupted(_))
        ));
        assert!(within(visit).await.unwrap().is_err());
        assert_eq!(book.read(), ["left"]);
    });
}

#[test]
fn the_end_of_the_runtime_drops_all_that_are_inside() {
    for flavor in Flavor::ALL {
        let (book, runtime) = (Book::default(), flavor.build());
        let (hall, visits) = runtime.block_on(async {
            let hall = hall(&book);
            let visits = [visitor(&hall).await, visitor(&hall).await];
            let _ = hall.sweep(open()).tell().await;
            (hall, visits)
        });
        let asks = visits.map(|(_, visit)| visit);
        drop(runtime);
        assert_eq!(book.read(), ["left", "left"]);
        let other = flavor.build();
        let reason = other.block_on(within(hall.join()));
        assert!(matches!(reason, ExitReason::RuntimeGone));
        drop(asks);
    }
}

/// Panics as it is dropped.
struct Bomb(Arc<AtomicUsize>);

impl Drop for Bomb {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
        panic!("a drop");
    }
}

#[actor]
struct Mined;

#[actor]
impl Mined {
    #[message(reentrant)]
    async fn arm(&self, gate: Gate, drops: Arc<AtomicUsize>) {
        let _bomb = Bomb(drops);
        gate.pass().await;
        pending::<()>().await;
    }
}

#[test]
fn those_whose_drop_panics_keep_no_other_from_being_dropped() {
    on_each_runtime(|| async {
        let (mined, drops) = (Mined.spawn(), Arc::new(AtomicUsize::new(0)));
        let mut asks = Vec::new();
        for _ in 0..3 {
            let gate = Gate::shut();
            asks.push(
                mined
                    .arm(gate.clone(), Arc::clone(&drops))
                    .enqueue()
                    .await
                    .unwrap(),
            );
            gate.reached().await;
        }
        mined.kill();
        for ask in asks {
            assert!(matches!(within(ask).await, Err(AskError::Interrupted(_))));
        }
        assert!(matches!(within(mined.join()).await, ExitReason::Killed));
        assert_eq!(drops.load(Ordering::Relaxed), 3);
        assert_eq!(Arc::strong_count(&drops), 1);
    });
}
