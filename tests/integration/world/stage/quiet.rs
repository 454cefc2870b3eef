//! Quiescence: who is waited for, who is kept out, and who is busy.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::mpsc::{Sender, TryRecvError, channel};
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use futures::poll;
use greenroom::world::{Busy, ForkActor, Stage};

use super::support::{Counter, Gate, Relay, relayed, stage};
use crate::actor::support::within;

#[tokio::test]
async fn a_world_is_quiet_when_the_last_handler_has_returned() {
    let stage = stage();
    let counter = Counter::of(0).spawn_in(&stage);
    let gate = Gate::new();
    let late = tokio::spawn(counter.add_late(1, gate.clone()).into_owned());
    gate.reached().await;
    let mut quiesce = pin!(stage.quiesce());
    assert!(poll!(quiesce.as_mut()).is_pending());
    gate.open();
    let quiet = within(quiesce).await;
    assert_eq!(quiet.state(&counter).map(|state| state.count), Some(1));
    late.await.expect("joined").expect("it lives");
}

#[tokio::test]
async fn what_was_told_before_is_handled_before_the_world_is_quiet() {
    let stage = stage();
    let counter = Counter::of(0).spawn_in(&stage);
    for _ in 0..20 {
        counter.add(1).tell().await.expect("it lives");
    }
    let quiet = within(stage.quiesce()).await;
    assert_eq!(quiet.state(&counter).map(|state| state.count), Some(20));
}

#[tokio::test]
async fn what_actors_of_the_world_send_each_other_is_let_in_and_waited_for() {
    let (stage, counter, relay) = relayed();
    let gate = Gate::new();
    relay
        .tell_late(5, gate.clone())
        .tell()
        .await
        .expect("it lives");
    gate.reached().await;
    let mut quiesce = pin!(stage.quiesce());
    assert!(poll!(quiesce.as_mut()).is_pending());
    let mut outside = pin!(counter.add(100));
    assert!(poll!(outside.as_mut()).is_pending());
    gate.open();
    let quiet = within(quiesce).await;
    assert_eq!(quiet.state(&counter).map(|state| state.count), Some(5));
    assert!(poll!(outside.as_mut()).is_pending());
    drop(quiet);
    assert_eq!(within(outside).await.expect("it lives"), 105);
}

#[tokio::test]
async fn quiescing_that_is_given_up_lets_the_world_go_on() {
    let stage = stage();
    let counter = Counter::of(0).spawn_in(&stage);
    let gate = Gate::new();
    let late = tokio::spawn(counter.add_late(1, gate.clone()).into_owned());
    gate.reached().await;
    {
        let quiesce = pin!(stage.quiesce());
        assert!(poll!(quiesce).is_pending());
    }
    let behind = tokio::spawn(counter.add(1).into_owned());
    gate.open();
    late.await.expect("joined").expect("it lives");
    assert_eq!(within(behind).await.expect("joined").expect("it lives"), 2);
    let quiet = within(stage.quiesce()).await;
    assert_eq!(quiet.state(&counter).map(|state| state.count), Some(2));
}

#[tokio::test]
async fn who_quiesces_a_quiet_world_waits_until_it_is_free() {
    let stage = stage();
    let first = stage.quiesce().await;
    let mut second = pin!(stage.quiesce());
    assert!(poll!(second.as_mut()).is_pending());
    let busy = stage.try_fork().await.expect_err("it is quiesced");
    assert_eq!((busy.actors, busy.first), (0, None));
    drop(first);
    within(second).await;
}

#[tokio::test]
async fn a_fork_that_would_have_to_wait_says_who_is_busy() {
    let (stage, counter, relay) = relayed();
    let gate = Gate::new();
    relay
        .tell_late(5, gate.clone())
        .tell()
        .await
        .expect("it lives");
    gate.reached().await;
    let busy: Busy = stage.try_fork().await.expect_err("a handler runs");
    assert_eq!(busy.actors, 1);
    assert_eq!(
        busy.first.map(|actor| actor.name().to_owned()),
        Some("Relay".to_owned())
    );
    gate.open();
    drop(within(stage.quiesce()).await);
    let fork = stage.try_fork().await.expect("nothing is in flight");
    assert_eq!(counter.within(&fork).count().await.expect("it lives"), 5);
}

#[tokio::test]
async fn an_ask_that_was_given_up_is_waited_for_while_its_handler_runs() {
    let stage = stage();
    let counter = Counter::of(0).spawn_in(&stage);
    let gate = Gate::new();
    {
        let mut ask = pin!(counter.add_late(1, gate.clone()));
        assert!(poll!(ask.as_mut()).is_pending());
        gate.reached().await;
    }
    assert!(stage.try_fork().await.is_err());
    gate.open();
    let quiet = within(stage.quiesce()).await;
    assert_eq!(quiet.state(&counter).map(|state| state.count), Some(1));
}

/// Looks at a world as it goes.
struct Visitor(Arc<Stage>, Sender<Duration>);

impl Wake for Visitor {
    fn wake(self: Arc<Self>) {}
}

impl Drop for Visitor {
    fn drop(&mut self) {
        let _ = self.1.send(self.0.now());
    }
}

#[tokio::test]
async fn a_waker_may_look_at_the_world_that_it_waits_for_as_it_is_dropped() {
    let stage = Arc::new(stage());
    let counter = Counter::of(0).spawn_in(&stage);
    let gate = Gate::new();
    let late = tokio::spawn(counter.add_late(1, gate.clone()).into_owned());
    gate.reached().await;
    let (sender, seen) = channel();
    let mut quiesce = pin!(stage.quiesce());
    {
        let waker = Waker::from(Arc::new(Visitor(Arc::clone(&stage), sender)));
        let polled = quiesce.as_mut().poll(&mut Context::from_waker(&waker));
        assert!(polled.is_pending());
    }
    assert_eq!(seen.try_recv(), Err(TryRecvError::Empty));
    assert!(poll!(quiesce.as_mut()).is_pending());
    assert_eq!(seen.try_recv(), Ok(Duration::ZERO));
    gate.open();
    drop(within(quiesce).await);
    late.await.expect("joined").expect("it lives");
}

/// The witness may cross threads, as may what waits for it.
#[test]
fn a_quiet_world_may_be_sent() {
    fn is_send<T: Send>(_: T) {}
    let check = |stage: &'static Stage| {
        is_send(stage.quiesce());
        is_send(stage.try_fork());
        is_send(stage.advance(Duration::ZERO));
        fn output<F: Future>(_: &F) -> Option<F::Output> {
            None
        }
        is_send(output(&stage.quiesce()));
    };
    let _ = check;
}

/// Transfers go on all the while; none is seen half-done, and none is lost.
#[greenroom::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_fork_of_a_busy_world_is_of_a_moment_when_nothing_is_under_way() {
    const TRANSFERS: u64 = 300;
    let stage = stage();
    let counters = [0, 1, 2].map(|_| Counter::of(1_000).spawn_in(&stage));
    let clerks = [0, 1, 2].map(|at: usize| {
        let to = counters[at].clone();
        (
            Relay { to }.spawn_in(&stage),
            counters[(at + 1) % 3].clone(),
        )
    });
    let clerks = clerks.map(|(clerk, to)| {
        greenroom::spawn(async move {
            for _ in 0..TRANSFERS {
                clerk.transfer(to.clone(), 1).await.expect("it lives");
            }
        })
    });
    let mut forks = 0;
    while !clerks.iter().all(|clerk| clerk.is_finished()) {
        let fork = within(stage.fork()).await;
        let quiet = within(fork.quiesce()).await;
        let counts = counters.each_ref().map(|counter| quiet.state(counter));
        let sum: u64 = counts.iter().flatten().map(|state| state.count).sum();
        assert_eq!(sum, 3_000);
        forks += 1;
    }
    assert!(forks > 0);
    for counter in &counters {
        assert_eq!(counter.count().await.expect("it lives"), 1_000);
    }
}
