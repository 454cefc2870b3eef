//! What runs alone, and what waits for it.

use std::time::Duration;

use greenroom::{AskError, TimeoutState};

use super::{Book, hall, open, visitor};
use crate::actor::support::{Gate, on_each_runtime, poll_once, within};

#[test]
fn what_runs_alone_waits_for_all_that_are_suspended_and_nothing_overtakes_it() {
    on_each_runtime(|| async {
        let book = Book::default();
        let hall = hall(&book);
        let (first_gate, first) = visitor(&hall).await;
        let (second_gate, second) = visitor(&hall).await;
        let sweeping = Gate::shut();
        within(hall.sweep(sweeping.clone()).tell()).await.unwrap();
        let late_gate = open();
        let mut late = Box::pin(hall.visit(late_gate.clone()));
        assert!(poll_once(&mut late).await.is_pending());
        first_gate.open();
        within(first).await.unwrap().unwrap();
        assert!(poll_once(&mut late).await.is_pending(), "it overtook");
        assert_eq!(book.read(), ["left"]);
        second_gate.open();
        within(second).await.unwrap().unwrap();
        sweeping.reached().await;
        assert!(poll_once(&mut late).await.is_pending(), "it is not alone");
        sweeping.open();
        assert_eq!(within(late).await.unwrap(), 1);
        assert_eq!(book.read(), ["left", "left", "sweeps", "swept", "left"]);
    });
}

#[test]
fn many_that_run_alone_each_have_their_turn_between_visits() {
    on_each_runtime(|| async {
        let book = Book::default();
        let hall = hall(&book);
        let mut asks = Vec::new();
        for turn in 0..40 {
            let ask = match turn % 4 {
                3 => tokio::spawn(async { Ok(0) }),
                2 => {
                    let sweep = hall.sweep(open()).into_owned();
                    tokio::spawn(async { sweep.await.map(|()| 0) })
                }
                _ => tokio::spawn(hall.visit(open()).into_owned()),
            };
            asks.push(ask);
        }
        for ask in asks {
            within(ask).await.unwrap().unwrap();
        }
        let swept = book.read().iter().filter(|what| **what == "swept").count();
        assert_eq!(swept, 10);
    });
}

#[tokio::test(start_paused = true)]
async fn what_waits_for_others_is_passed_over_when_its_asker_leaves_and_the_rest_goes_in() {
    for by_limit in [true, false] {
        let book = Book::default();
        let hall = hall(&book);
        let (gate, visit) = visitor(&hall).await;
        let late;
        if by_limit {
            let limit = Duration::from_millis(10);
            let sweep = tokio::spawn(hall.sweep(open()).into_owned().timeout(limit));
            late = hall.count().enqueue().await.unwrap();
            let Err(AskError::Timeout(error)) = within(sweep).await.unwrap() else {
                panic!("it is not handled")
            };
            assert_eq!(error.state(), TimeoutState::Skipped);
        } else {
            let mut sweep = Box::pin(hall.sweep(open()));
            assert!(poll_once(&mut sweep).await.is_pending());
            late = hall.count().enqueue().await.unwrap();
            drop(sweep);
        }
        assert_eq!(within(late).await.unwrap(), 1, "the visitor is inside");
        gate.open();
        within(visit).await.unwrap().unwrap();
        assert_eq!(book.read(), ["left"]);
    }
}

#[test]
fn visitors_wait_while_something_runs_alone() {
    on_each_runtime(|| async {
        let hall = hall(&Book::default());
        let sweeping = Gate::shut();
        within(hall.sweep(sweeping.clone()).tell()).await.unwrap();
        sweeping.reached().await;
        let mut visit = Box::pin(hall.visit(open()));
        assert!(poll_once(&mut visit).await.is_pending());
        sweeping.open();
        assert_eq!(within(visit).await.unwrap(), 1);
    });
}
