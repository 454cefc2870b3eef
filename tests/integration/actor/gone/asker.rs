//! A handler can wait for its asker to be gone.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{self, Wake, Waker};
use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use greenroom::{Context, actor};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::actor::support::{Gate, on_each_runtime, poll_once, within};

/// Waits until its asker is gone, and says so.
#[actor]
struct Loyal {
    said: UnboundedSender<&'static str>,
}

#[actor]
impl Loyal {
    /// Looks at once, on the asker's stack.
    #[message(inline = always)]
    async fn look(&mut self, ctx: &Context<Self>) {
        self.said.send("looks").expect("the test listens");
        ctx.asker_gone().await;
        self.said.send("gone").expect("the test listens");
    }

    #[message(inline = never)]
    async fn look_queued(&mut self, gate: Gate, ctx: &Context<Self>) {
        gate.pass().await;
        ctx.asker_gone().await;
        self.said.send("gone").expect("the test listens");
    }

    /// Waits for the gate, or for its asker to be gone.
    async fn race(&mut self, gate: Gate, ctx: &Context<Self>) -> u32 {
        let said = tokio::select! {
            () = gate.pass() => "passed",
            () = ctx.asker_gone() => "gone",
        };
        self.said.send(said).expect("the test listens");
        7
    }

    /// As many parts of it look as there may be, and more.
    async fn look_often(&mut self, gate: Gate, ctx: &Context<Self>) {
        let all: FuturesUnordered<_> = (0..40).map(|_| ctx.asker_gone()).collect();
        let count = tokio::join!(gate.pass(), all.count()).1;
        assert_eq!(count, 40);
        self.said.send("all gone").expect("the test listens");
    }

    /// As `look_often`, and counts how often the parts are polled.
    async fn look_quietly(&mut self, gate: Gate, polls: Arc<AtomicUsize>, ctx: &Context<Self>) {
        let part = |_| {
            let mut gone = Box::pin(ctx.asker_gone());
            let polls = &polls;
            poll_fn(move |cx| {
                polls.fetch_add(1, Ordering::Relaxed);
                gone.as_mut().poll(cx)
            })
        };
        let all: FuturesUnordered<_> = (0..40).map(part).collect();
        tokio::join!(gate.pass(), all.count());
        self.said.send("all gone").expect("the test listens");
    }

    /// Stops to look, and waits for the gate.
    async fn look_away(&mut self, gate: Gate, waker: Waker, ctx: &Context<Self>) {
        gate.pass().await;
        {
            let mut gone = Box::pin(ctx.asker_gone());
            let mut cx = task::Context::from_waker(&waker);
            assert!(gone.as_mut().poll(&mut cx).is_pending());
        }
        drop(waker);
        self.said.send("looked away").expect("the test listens");
        gate.pass().await;
    }

    #[message(detached)]
    async fn look_detached(&mut self, ctx: &Context<Self>) {
        ctx.asker_gone().await;
        self.said.send("gone").expect("the test listens");
    }

    fn ping(&mut self) {}
}

fn loyal() -> (LoyalHandle, UnboundedReceiver<&'static str>) {
    let (said, heard) = unbounded_channel();
    (Loyal { said }.spawn(), heard)
}

#[test]
fn a_handler_that_waits_for_its_asker_to_be_gone_goes_on_when_the_ask_is_dropped() {
    on_each_runtime(|| async {
        let (loyal, mut heard) = loyal();
        for _ in 0..3 {
            let mut ask: Pin<Box<_>> = Box::pin(loyal.look());
            assert!(poll_once(&mut ask).await.is_pending());
            assert_eq!(within(heard.recv()).await, Some("looks"));
            drop(ask);
            assert_eq!(within(heard.recv()).await, Some("gone"));
        }
        for opens_first in [true, false] {
            let gate = Gate::shut();
            let mut ask = Box::pin(loyal.look_queued(gate.clone()));
            assert!(poll_once(&mut ask).await.is_pending());
            gate.reached().await;
            if opens_first {
                gate.open();
                tokio::task::yield_now().await;
            }
            drop(ask);
            gate.open();
            assert_eq!(within(heard.recv()).await, Some("gone"));
        }
        within(loyal.ping()).await.unwrap();
    });
}

#[test]
fn an_asker_is_not_gone_while_it_waits_and_gets_its_reply() {
    on_each_runtime(|| async {
        let ((loyal, mut heard), gate) = (loyal(), Gate::shut());
        let mut ask = Box::pin(loyal.race(gate.clone()));
        assert!(poll_once(&mut ask).await.is_pending());
        gate.reached().await;
        assert!(heard.try_recv().is_err());
        gate.open();
        assert_eq!(within(ask).await.unwrap(), 7);
        assert_eq!(within(heard.recv()).await, Some("passed"));
    });
}

#[tokio::test(start_paused = true)]
async fn an_asker_whose_limit_has_passed_is_gone() {
    let (loyal, mut heard) = loyal();
    let limit = Duration::from_millis(10);
    assert!(loyal.look().timeout(limit).await.is_err());
    assert_eq!(within(heard.recv()).await, Some("looks"));
    assert_eq!(within(heard.recv()).await, Some("gone"));
    let gate = Gate::shut();
    assert!(loyal.race(gate).timeout(limit).await.is_err());
    assert_eq!(within(heard.recv()).await, Some("gone"));
}

#[test]
fn one_way_messages_have_no_asker_that_could_go() {
    on_each_runtime(|| async {
        let ((loyal, mut heard), gate) = (loyal(), Gate::shut());
        loyal.race(gate.clone()).tell().await.unwrap();
        gate.reached().await;
        gate.open();
        assert_eq!(within(heard.recv()).await, Some("passed"));
    });
}

#[test]
fn all_parts_of_a_handler_that_wait_for_its_asker_hear_of_it() {
    on_each_runtime(|| async {
        let ((loyal, mut heard), gate) = (loyal(), Gate::shut());
        let mut ask = Box::pin(loyal.look_often(gate.clone()));
        assert!(poll_once(&mut ask).await.is_pending());
        gate.reached().await;
        gate.open();
        drop(ask);
        assert_eq!(within(heard.recv()).await, Some("all gone"));
    });
}

#[test]
fn a_detached_handler_can_wait_for_its_asker_too() {
    on_each_runtime(|| async {
        let (loyal, mut heard) = loyal();
        let mut ask = Box::pin(loyal.look_detached());
        assert!(poll_once(&mut ask).await.is_pending());
        drop(ask);
        assert_eq!(within(heard.recv()).await, Some("gone"));
    });
}

#[test]
fn an_asker_that_goes_as_its_handler_looks_is_never_missed() {
    on_each_runtime(|| async {
        let (loyal, mut heard) = loyal();
        for _ in 0..2000 {
            let gate = Gate::shut();
            let ask = loyal.look_queued(gate.clone()).enqueue().await.unwrap();
            gate.reached().await;
            // The handler looks while, on two workers, the reply is dropped.
            gate.open();
            drop(ask);
            assert_eq!(within(heard.recv()).await, Some("gone"));
        }
    });
}

#[test]
fn many_that_look_for_one_asker_do_not_keep_each_other_awake() {
    on_each_runtime(|| async {
        let ((loyal, mut heard), gate) = (loyal(), Gate::shut());
        let polls = Arc::new(AtomicUsize::new(0));
        let mut ask = Box::pin(loyal.look_quietly(gate.clone(), Arc::clone(&polls)));
        assert!(poll_once(&mut ask).await.is_pending());
        gate.reached().await;
        for _ in 0..200 {
            tokio::task::yield_now().await;
        }
        assert!(polls.load(Ordering::Relaxed) <= 160, "{polls:?}");
        gate.open();
        drop(ask);
        assert_eq!(within(heard.recv()).await, Some("all gone"));
    });
}

#[test]
fn who_looks_no_more_is_forgotten() {
    struct Idle;
    impl Wake for Idle {
        fn wake(self: Arc<Self>) {}
    }
    on_each_runtime(|| async {
        let ((loyal, mut heard), gate) = (loyal(), Gate::shut());
        let idle = Arc::new(Idle);
        let looking = loyal.look_away(gate.clone(), Arc::clone(&idle).into());
        let ask = tokio::spawn(looking.into_owned());
        gate.reached().await;
        gate.open();
        assert_eq!(within(heard.recv()).await, Some("looked away"));
        within(ask).await.unwrap().unwrap();
        assert_eq!(Arc::strong_count(&idle), 1);
    });
}
