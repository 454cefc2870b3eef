//! Requests that are polled in one place and then in another, or nowhere.

use std::future::Future;
use std::pin::Pin;

use greenroom::{AskError, Delegated, ReplyTo, actor};
use tokio::sync::mpsc;

use super::looked_at;
use crate::actor::support::{Gate, on_each_runtime, poll_once, until, within};

type Ask = Pin<Box<dyn Future<Output = Result<(), AskError>> + Send>>;

/// Polls requests once.
#[actor]
struct Mover {
    kept: Option<Ask>,
    out: mpsc::UnboundedSender<Ask>,
}

#[actor]
impl Mover {
    #[message(inline = never)]
    fn ping(&mut self) {}

    /// Waits at a gate, then asks another for an answer.
    #[message(inline = never)]
    async fn ask_late(&mut self, gate: Gate, other: MoverHandle) -> Result<(), AskError> {
        gate.pass().await;
        other.ping().await
    }

    /// Asks another, polls that once, and keeps it.
    #[message(inline = never)]
    async fn begin(&mut self, other: MoverHandle) {
        let mut ask: Ask = Box::pin(other.ping().into_owned());
        assert!(poll_once(&mut ask).await.is_pending());
        self.kept = Some(ask);
    }

    /// Hands what it has kept to somebody else.
    #[message(inline = never)]
    fn hand_out(&mut self) {
        let ask = self.kept.take().expect("it has begun");
        self.out.send(ask).expect("the test listens");
    }

    /// Waits for what it has kept, and says when that begins.
    #[message(inline = never)]
    async fn finish(&mut self, begun: Gate) -> Result<(), AskError> {
        begun.open();
        self.kept.take().expect("it has begun").await
    }

    /// Polls a request to another, and hands it out before it goes on to wait at a gate.
    #[message(inline = never)]
    async fn begin_and_hand_out(&mut self, other: MoverHandle, gate: Gate) {
        self.begin(other).await;
        self.hand_out();
        gate.pass().await;
    }

    /// Asks for a reply that comes from elsewhere.
    #[message(inline = never)]
    async fn call(&mut self, other: ForwarderHandle) -> Result<(), AskError> {
        other.forward().await
    }
}

fn movers() -> (MoverHandle, MoverHandle, mpsc::UnboundedReceiver<Ask>) {
    let (out, asks) = mpsc::unbounded_channel();
    let mover = || {
        let out = out.clone();
        Mover { kept: None, out }.spawn()
    };
    (mover(), mover(), asks)
}

#[test]
fn a_request_that_outlives_the_handler_that_polled_it_is_no_wait() {
    on_each_runtime(|| async {
        let (a, b, _asks) = movers();
        let gate = Gate::shut();
        let back = tokio::spawn(b.ask_late(gate.clone(), a.clone()).into_owned());
        gate.reached().await;
        within(a.begin(b.clone())).await.unwrap();
        looked_at().await;
        gate.open();
        within(back)
            .await
            .unwrap()
            .expect("`a` does not wait for `b`");
        within(a.finish(Gate::shut())).await.unwrap();
    });
}

#[test]
fn a_request_that_is_waited_for_in_a_later_handler_is_that_ones_wait() {
    on_each_runtime(|| async {
        let (a, b, _asks) = movers();
        let gate = Gate::shut();
        let back = tokio::spawn(b.ask_late(gate.clone(), a.clone()).into_owned());
        gate.reached().await;
        within(a.begin(b.clone())).await.unwrap();
        let begun = Gate::shut();
        let finish = tokio::spawn(a.finish(begun.clone()).into_owned());
        within(begun.pass()).await;
        gate.open();
        let ends = [within(finish).await.unwrap(), within(back).await.unwrap()];
        assert_eq!(
            ends.iter().filter(|end| end.is_err()).count(),
            1,
            "{ends:?}"
        );
    });
}

#[test]
fn a_request_that_a_task_polls_on_is_no_wait_of_who_polled_it_first() {
    on_each_runtime(|| async {
        let (a, b, mut asks) = movers();
        let (gate, stay) = (Gate::shut(), Gate::shut());
        let back = tokio::spawn(b.ask_late(gate.clone(), a.clone()).into_owned());
        gate.reached().await;
        let begun = a.begin_and_hand_out(b.clone(), stay.clone());
        let begun = tokio::spawn(begun.into_owned());
        let mut ask = within(asks.recv()).await.unwrap();
        assert!(poll_once(&mut ask).await.is_pending());
        stay.reached().await;
        // `b` asks `a`, whose handler stays at its gate, and waits for nobody.
        gate.open();
        looked_at().await;
        stay.open();
        within(begun).await.unwrap().unwrap();
        within(back).await.unwrap().expect("no circle");
        within(ask).await.unwrap();
    });
}

/// Leaves its replies to others.
#[actor]
struct Forwarder {
    out: mpsc::UnboundedSender<ReplyTo<()>>,
}

#[actor]
impl Forwarder {
    #[message(inline = never)]
    fn forward(&mut self) -> Delegated<()> {
        let (reply, later) = Delegated::new();
        assert!(self.out.send(reply).is_ok(), "the test listens");
        later
    }

    #[message(inline = never)]
    async fn ask_back(&mut self, mover: MoverHandle) -> Result<(), AskError> {
        mover.ping().await
    }
}

#[test]
fn who_has_passed_a_reply_on_may_ask_back() {
    on_each_runtime(|| async {
        let (a, _b, _asks) = movers();
        let (out, mut replies) = mpsc::unbounded_channel();
        let forwarder = Forwarder { out }.spawn();
        let called = tokio::spawn(a.call(forwarder.clone()).into_owned());
        let reply = within(replies.recv()).await.unwrap();
        let back = tokio::spawn(forwarder.ask_back(a.clone()).into_owned());
        until(|| a.free_slots() + 1 == a.capacity()).await;
        looked_at().await;
        reply.send(()).expect("it is wanted");
        within(called).await.unwrap().unwrap();
        within(back)
            .await
            .unwrap()
            .expect("`a` waits for somebody else");
    });
}

#[actor]
struct Keeper;

#[actor]
impl Keeper {
    #[message(inline = never)]
    fn ping(&mut self) {}

    #[message(inline = never)]
    async fn ask_late(&mut self, gate: Gate, other: KeeperHandle) -> Result<(), AskError> {
        gate.pass().await;
        other.ping().await
    }

    /// Polls a reply, leaves it out of the search, and waits for it or for the gate.
    #[message(inline = never)]
    async fn leave_out(&mut self, other: KeeperHandle, stay: Gate) {
        let mut reply = Box::pin(other.ping().enqueue().await.expect("accepted"));
        assert!(poll_once(&mut reply).await.is_pending());
        let mut reply = Pin::into_inner(reply).unchecked();
        tokio::select! {
            _ = &mut reply => {}
            () = stay.pass() => {}
        }
    }

    /// Waits for the reply to a request that was left out, or for the gate.
    #[message(inline = never)]
    async fn leave_out_first(&mut self, other: KeeperHandle, stay: Gate) {
        let mut reply = other.ping().unchecked().enqueue().await.expect("accepted");
        tokio::select! {
            _ = &mut reply => {}
            () = stay.pass() => {}
        }
    }
}

#[test]
fn a_reply_that_is_left_out_before_or_after_its_first_poll_leaves_no_trace() {
    on_each_runtime(|| async {
        for is_first in [true, false] {
            let (a, b) = (Keeper.spawn(), Keeper.spawn());
            let (gate, stay) = (Gate::shut(), Gate::shut());
            let back = tokio::spawn(b.ask_late(gate.clone(), a.clone()).into_owned());
            gate.reached().await;
            let (other, leaves) = (b.clone(), stay.clone());
            let begun = tokio::spawn(async move {
                match is_first {
                    true => a.leave_out_first(other, leaves).await,
                    false => a.leave_out(other, leaves).await,
                }
            });
            stay.reached().await;
            gate.open();
            looked_at().await;
            stay.open();
            within(begun).await.unwrap().unwrap();
            within(back).await.unwrap().expect("it was unchecked");
        }
    });
}
