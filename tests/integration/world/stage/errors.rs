//! Errors of sends to actors in worlds: the same as elsewhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use greenroom::world::ForkActor;
use greenroom::{AskError, ExitReason, Refusal};

use super::support::{Counter, CounterAdd, CounterCount, Gate, relayed, stage};
use crate::actor::support::within;

#[tokio::test]
async fn the_handlers_own_error_is_the_asks() {
    let stage = stage();
    let counter = Counter::of(0).spawn_in(&stage);
    let error = counter.fail().await.expect_err("it fails");
    assert!(matches!(error, AskError::Handler(text) if text == "as told"));
}

#[tokio::test]
async fn a_panic_ends_the_actor_in_its_world_alone() {
    let stage = stage();
    let counter = Counter::of(0).spawn_in(&stage);
    let before = stage.fork().await;
    let error = counter.panic().await.expect_err("it panics");
    assert!(matches!(error, AskError::Interrupted(_)), "{error}");
    let error = counter.add(7).await.expect_err("it has ended");
    let Ok(CounterAdd { n: 7 }) = error.into_message() else {
        panic!("the message is handed back");
    };
    let after = stage.fork().await;
    let error = counter
        .within(&after)
        .add(7)
        .await
        .expect_err("it has ended");
    let AskError::NotHandled(error) = error else {
        panic!("{error}");
    };
    assert!(matches!(
        error.refusal(),
        Refusal::Ended(ExitReason::Panicked(_))
    ));
    assert_eq!(counter.within(&before).add(7).await.expect("it lives"), 7);
}

#[tokio::test]
async fn an_actor_that_stops_is_in_no_later_fork() {
    let stage = stage();
    let counter = Counter::of(0).spawn_in(&stage);
    counter.finish().await.expect("it lives");
    let fork = stage.fork().await;
    let error = counter
        .within(&fork)
        .count()
        .await
        .expect_err("it has ended");
    let AskError::NotHandled(error) = error else {
        panic!("{error}");
    };
    assert!(matches!(
        error.refusal(),
        Refusal::Ended(ExitReason::Stopped)
    ));
    assert!(error.into_message::<CounterCount>().is_ok());
}

#[tokio::test]
async fn what_is_sent_to_a_world_that_is_gone_is_handed_back() {
    let stage = stage();
    let counter = Counter::of(0).spawn_in(&stage);
    drop(stage);
    let error = counter.add(3).await.expect_err("the world is gone");
    assert!(error.to_string().contains("not in this world"), "{error}");
    let error = counter.add(3).tell().await.expect_err("the world is gone");
    assert!(matches!(error.refusal(), Refusal::NotHere));
    assert_eq!(error.into_message().n, 3);
    assert!(counter.add(3).try_tell().is_err());
    assert!(counter.add(3).enqueue().await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_limit_is_heeded_in_a_world_and_at_its_gate() {
    let (limit, gate) = (Duration::from_millis(5), Gate::new());
    let stage = stage();
    let counter = Counter::of(0).spawn_in(&stage);
    let late = counter.add_late(1, gate.clone()).timeout(limit).await;
    assert!(matches!(late, Err(AskError::Timeout(_))), "{late:?}");
    gate.open();
    let quiet = stage.quiesce().await;
    let refused = counter
        .add(7)
        .timeout(limit)
        .await
        .expect_err("it is kept out");
    let Ok(CounterAdd { n: 7 }) = refused.into_message() else {
        panic!("the message is handed back");
    };
    let refused = counter.add(8).tell().timeout(limit).await;
    assert_eq!(refused.expect_err("it is kept out").into_message().n, 8);
    assert!(
        counter
            .add(9)
            .try_tell()
            .expect_err("it is kept out")
            .is_full()
    );
    drop(quiet);
    assert_eq!(counter.count().await.expect("it lives"), 1);
}

#[tokio::test]
async fn a_tell_at_the_gate_is_taken_back_when_it_is_dropped() {
    let stage = stage();
    let counter = Counter::of(0).spawn_in(&stage);
    let quiet = stage.quiesce().await;
    let mut tell = Box::pin(counter.add(1).tell());
    assert!(futures::poll!(tell.as_mut()).is_pending());
    assert_eq!(tell.as_mut().cancel().map(|message| message.n), Some(1));
    drop((tell, quiet));
    assert_eq!(counter.count().await.expect("it lives"), 0);
}

#[tokio::test]
async fn an_actor_that_asks_itself_by_its_handle_is_told_so() {
    let (stage, _, relay) = relayed();
    let error = within(relay.ask_me()).await.expect("it lives");
    assert!(error.contains("wait"), "{error}");
    drop(stage);
}

#[tokio::test]
async fn every_way_to_send_leads_into_a_world() {
    let stage = stage();
    let counter = Counter::of(0).spawn_in(&stage);
    counter.add(1).tell().await.expect("it lives");
    counter.add(1).try_tell().expect("there is room");
    counter.tell(CounterAdd { n: 1 }).await.expect("it lives");
    let reply = counter.add(1).enqueue().await.expect("it lives");
    assert_eq!(reply.await.expect("it lives"), 4);
    assert_eq!(counter.ask(CounterAdd { n: 1 }).await.expect("it lives"), 5);
    let asker = counter.clone();
    let blocking = tokio::task::spawn_blocking(move || asker.add(1).blocking());
    assert_eq!(blocking.await.expect("joined").expect("it lives"), 6);
    let (one, two) = tokio::join!(counter.add(1), counter.add(1));
    assert_eq!((one.expect("it lives"), two.expect("it lives")), (7, 8));
}

/// Can be cloned only so often.
#[greenroom::actor]
struct Brittle(Arc<AtomicUsize>);

impl Clone for Brittle {
    fn clone(&self) -> Self {
        let left = self.0.load(Ordering::SeqCst);
        assert!(left > 0, "as told");
        self.0.store(left - 1, Ordering::SeqCst);
        Self(self.0.clone())
    }
}

#[greenroom::actor(fork)]
impl Brittle {
    fn touch(&mut self) {}
}

#[tokio::test]
async fn a_state_that_panics_as_it_is_cloned_is_refused_where_it_would_go_on() {
    let clones = Arc::new(AtomicUsize::new(1));
    let stage = stage();
    let brittle = Brittle(clones.clone()).spawn_in(&stage);
    let fork = within(stage.fork()).await;
    let error = brittle.within(&fork).touch().await.expect_err("no clone");
    assert!(error.to_string().contains("as told"), "{error}");
    clones.store(1, Ordering::SeqCst);
    brittle.within(&fork).touch().await.expect("it goes on");
}

#[tokio::test]
async fn a_state_that_panics_as_it_is_saved_ends_its_actor_and_nothing_else() {
    let clones = Arc::new(AtomicUsize::new(1));
    let stage = stage();
    let brittle = Brittle(clones).spawn_in(&stage);
    let counter = Counter::of(1).spawn_in(&stage);
    let before = within(stage.fork()).await;
    brittle.touch().await.expect("it lives");
    let after = within(stage.fork()).await;
    assert!(brittle.touch().await.is_err());
    assert!(brittle.within(&after).touch().await.is_err());
    assert!(
        brittle.within(&before).touch().await.is_err(),
        "no clone is left"
    );
    assert_eq!(counter.within(&after).count().await.expect("it lives"), 1);
}
