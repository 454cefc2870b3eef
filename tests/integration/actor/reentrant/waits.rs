//! Circles through actors whose handlers run beside each other.

use greenroom::{AskError, Deadlock, Refusal};

use super::{Book, hall, named, open, visitor};
use crate::actor::support::{Gate, on_each_runtime, within};

/// The deadlock that an ask failed with.
#[track_caller]
fn deadlock(asked: Result<(), AskError>) -> Deadlock {
    match asked.expect_err("it is a circle") {
        AskError::Deadlock(deadlock) => deadlock,
        AskError::NotHandled(error) => match error.refusal() {
            Refusal::Deadlock(deadlock) => deadlock.clone(),
            other => panic!("{other}"),
        },
        other => panic!("{other}"),
    }
}

#[test]
fn a_reentrant_handler_asks_its_own_actor_for_what_is_let_in() {
    on_each_runtime(|| async {
        let hall = hall(&Book::default());
        within(hall.ask_itself(false)).await.unwrap();
        within(hall.sweep(open())).await.unwrap();
    });
}

#[test]
fn a_reentrant_handler_that_asks_its_own_actor_for_what_runs_alone_fails_and_hears_of_it() {
    on_each_runtime(|| async {
        let hall = hall(&Book::default());
        let Err(AskError::Handler(error)) = within(hall.ask_itself(true)).await else {
            panic!("it asks itself")
        };
        let found = deadlock(Err(error));
        assert!(
            found.to_string().contains("HallAskItself waits for hall#"),
            "{found}"
        );
        assert!(found.to_string().contains("HallSweep"), "{found}");
        within(hall.sweep(open())).await.unwrap();
    });
}

#[test]
fn who_is_asked_may_ask_back_for_what_is_let_in() {
    on_each_runtime(|| async {
        let book = Book::default();
        let (hall, other) = (hall(&book), named("other", &book));
        within(hall.call(other.clone(), false, open()))
            .await
            .unwrap();
        within(hall.sweep(open())).await.unwrap();
        within(other.sweep(open())).await.unwrap();
    });
}

#[test]
fn who_is_asked_fails_that_asks_back_for_what_runs_alone() {
    on_each_runtime(|| async {
        let book = Book::default();
        let (hall, other) = (hall(&book), named("other", &book));
        // One that has no part in it.
        let (gate, visit) = visitor(&hall).await;
        let Err(AskError::Handler(error)) = within(hall.call(other, true, open())).await else {
            panic!("it is a circle")
        };
        let found = deadlock(Err(error));
        let path: Vec<_> = found.path().iter().map(|hop| hop.actor().name()).collect();
        assert_eq!(path, ["other", "hall", "hall"]);
        let text = found.to_string();
        assert!(
            text.contains("HallSweep") && text.contains("HallCallBack"),
            "{text}"
        );
        gate.open();
        within(visit).await.unwrap().unwrap();
        within(hall.sweep(open())).await.unwrap();
    });
}

#[test]
fn who_is_asked_fails_that_asks_back_behind_what_runs_alone() {
    on_each_runtime(|| async {
        let book = Book::default();
        let (hall, other) = (hall(&book), named("other", &book));
        let gate = Gate::shut();
        let call = tokio::spawn(hall.call(other.clone(), false, gate.clone()).into_owned());
        gate.reached().await;
        within(hall.sweep(open()).tell()).await.unwrap();
        gate.open();
        let Err(AskError::Handler(error)) = within(call).await.unwrap() else {
            panic!("it is a circle")
        };
        let text = deadlock(Err(error)).to_string();
        assert!(text.contains("HallSweep"), "{text}");
        within(hall.sweep(open())).await.unwrap();
        assert_eq!(book.read(), ["sweeps", "swept", "sweeps", "swept"]);
    });
}

#[test]
fn a_handler_that_runs_alone_is_named_where_what_would_be_let_in_waits_for_it() {
    on_each_runtime(|| async {
        let book = Book::default();
        let (hall, other) = (hall(&book), named("other", &book));
        // Both run alone, and ask the other.
        let gate = Gate::shut();
        let first = hall.call_back(other.clone(), false, gate.clone());
        let first = first.enqueue().await.unwrap();
        let second = other.call_back(hall.clone(), false, gate.clone());
        let second = second.enqueue().await.unwrap();
        gate.reached().await;
        gate.reached().await;
        gate.open();
        let both = [within(first).await, within(second).await];
        let failed: Vec<_> = both.into_iter().filter_map(Result::err).collect();
        assert_eq!(failed.len(), 1, "one fails, and the other goes on");
        for failed in failed {
            let AskError::Handler(failed) = failed else {
                panic!("{failed}")
            };
            let text = deadlock(Err(failed)).to_string();
            assert!(text.contains("HallCallBack waits for"), "{text}");
        }
    });
}

#[test]
fn who_waits_for_one_handler_is_not_accused_of_what_another_waits_for() {
    on_each_runtime(|| async {
        let book = Book::default();
        let (hall, other) = (hall(&book), named("other", &book));
        // The one waits for the other actor, whose handler waits for the second visitor.
        let (gate, visit) = visitor(&hall).await;
        let calling = Gate::shut();
        let call = tokio::spawn(
            hall.call(other.clone(), false, calling.clone())
                .into_owned(),
        );
        calling.reached().await;
        let visiting = Gate::shut();
        let asked = other.downgrade();
        assert!(asked.upgrade().is_some());
        calling.open();
        within(call).await.unwrap().unwrap();
        within(hall.sweep(visiting.clone()).tell()).await.unwrap();
        gate.open();
        within(visit).await.unwrap().unwrap();
        visiting.reached().await;
        visiting.open();
        within(hall.count()).await.unwrap();
    });
}
