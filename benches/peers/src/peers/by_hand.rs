//! Actors written by hand: a tokio task that owns its state, an enum of messages, a bounded channel
//! for these and `oneshot` for the replies. With tokio's `mpsc` it is the peer `raw`, with
//! tachyonix' channel the peer of that name.
//!
//! Style: the pattern of tokio's tutorial (chapter "Channels"): `while let Some(message) =
//! receiver.recv().await`, handler code in place, replies through a sender in the message.

use std::hint::black_box;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;

use super::channel::{Channel, Tachyonix, Tokio};
use crate::countdown::Countdown;
use crate::machine;
use crate::peer::{GIANT_BYTES, Peer};
use crate::workloads::CAPACITY;

/// Actors that receive from channels of `C`.
pub struct ByHand<C>(PhantomData<C>);

pub type Raw = ByHand<Tokio>;
pub type ByTachyonix = ByHand<Tachyonix>;

pub enum CounterMessage {
    Add(u64),
    AddAndReply(u64, oneshot::Sender<u64>),
}

async fn run_counter<C: Channel>(mut messages: C::Receiver<CounterMessage>) {
    let mut sum = 0;
    while let Some(message) = C::receive(&mut messages).await {
        match message {
            CounterMessage::Add(n) => sum += n,
            CounterMessage::AddAndReply(n, reply) => {
                sum += n;
                let _ = reply.send(sum);
            }
        }
    }
}

async fn run_starter<C: Channel>(mut questions: C::Receiver<oneshot::Sender<bool>>) {
    let ready = start().await;
    while let Some(reply) = C::receive(&mut questions).await {
        let _ = reply.send(ready);
    }
}

async fn start() -> bool {
    black_box(true)
}

async fn run_burner<C: Channel>(mut messages: C::Receiver<(Duration, oneshot::Sender<()>)>) {
    while let Some((time, reply)) = C::receive(&mut messages).await {
        machine::burn(time);
        let _ = reply.send(());
    }
}

async fn run_giant<C: Channel>(mut messages: C::Receiver<oneshot::Sender<()>>) {
    while let Some(reply) = C::receive(&mut messages).await {
        let mut bytes = [0_u8; GIANT_BYTES];
        black_box(&mut bytes);
        tokio::task::yield_now().await;
        black_box(&mut bytes);
        let _ = reply.send(());
    }
}

pub enum RelayMessage<C: Channel> {
    Link(C::Sender<Self>),
    Pass(u64),
}

async fn run_relay<C: Channel>(mut messages: C::Receiver<RelayMessage<C>>, done: Arc<Countdown>) {
    let mut next = None;
    while let Some(message) = C::receive(&mut messages).await {
        match message {
            RelayMessage::Link(relay) => next = Some(relay),
            RelayMessage::Pass(0) => done.arrive(),
            RelayMessage::Pass(left) => {
                let next = next
                    .as_ref()
                    .expect("a relay is linked before its first token");
                C::send(next, RelayMessage::Pass(left - 1)).await;
            }
        }
    }
}

/// How many asks to make of the next in the chain, and where the sum goes.
pub struct Through(u64, oneshot::Sender<u64>);

async fn run_link<C: Channel>(
    mut messages: C::Receiver<Through>,
    next: Option<C::Sender<Through>>,
) {
    while let Some(Through(asks, reply)) = C::receive(&mut messages).await {
        let mut sum = 1;
        if let Some(next) = &next {
            for _ in 0..asks {
                sum += request::<C, _, _>(next, |reply| Through(1, reply)).await;
            }
        }
        let _ = reply.send(sum);
    }
}

/// Sends a message that carries the sender of its reply, and waits for that.
async fn request<C: Channel, M: Send + 'static, R>(
    actor: &C::Sender<M>,
    message: impl FnOnce(oneshot::Sender<R>) -> M,
) -> R {
    let (reply, answer) = oneshot::channel();
    C::send(actor, message(reply)).await;
    answer.await.expect("the actor answers")
}

fn spawn<C: Channel, M, F>(capacity: usize, run: impl FnOnce(C::Receiver<M>) -> F) -> C::Sender<M>
where
    M: Send + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let (sender, receiver) = C::bounded(capacity);
    tokio::spawn(run(receiver));
    sender
}

impl<C: Channel> Peer for ByHand<C> {
    const NAME: &'static str = C::PEER;

    type Counter = C::Sender<CounterMessage>;
    type Starter = C::Sender<oneshot::Sender<bool>>;
    type Burner = C::Sender<(Duration, oneshot::Sender<()>)>;
    type Giant = C::Sender<oneshot::Sender<()>>;
    type Relay = C::Sender<RelayMessage<C>>;
    type Link = C::Sender<Through>;

    fn counter(capacity: usize) -> Self::Counter {
        spawn::<C, _, _>(capacity, run_counter::<C>)
    }

    async fn tell(counter: &Self::Counter, n: u64) {
        C::send(counter, CounterMessage::Add(n)).await;
    }

    async fn ask(counter: &Self::Counter, n: u64) -> u64 {
        request::<C, _, _>(counter, |reply| CounterMessage::AddAndReply(n, reply)).await
    }

    fn starter() -> Self::Starter {
        spawn::<C, _, _>(CAPACITY, run_starter::<C>)
    }

    async fn is_ready(starter: &Self::Starter) -> bool {
        request::<C, _, _>(starter, |reply| reply).await
    }

    fn burner() -> Self::Burner {
        spawn::<C, _, _>(CAPACITY, run_burner::<C>)
    }

    async fn burn(burner: &Self::Burner, time: Duration) {
        request::<C, _, _>(burner, |reply| (time, reply)).await;
    }

    fn giant() -> Self::Giant {
        spawn::<C, _, _>(CAPACITY, run_giant::<C>)
    }

    async fn suspend(giant: &Self::Giant) {
        request::<C, _, _>(giant, |reply| reply).await;
    }

    fn relay(done: Arc<Countdown>) -> Self::Relay {
        spawn::<C, _, _>(CAPACITY, |messages| run_relay::<C>(messages, done))
    }

    async fn link(relay: &Self::Relay, next: Self::Relay) {
        C::send(relay, RelayMessage::Link(next)).await;
    }

    async fn pass(relay: &Self::Relay, passes_left: u64) {
        C::send(relay, RelayMessage::Pass(passes_left)).await;
    }

    fn chain(next: Option<Self::Link>) -> Self::Link {
        spawn::<C, _, _>(CAPACITY, |messages| run_link::<C>(messages, next))
    }

    async fn through(link: &Self::Link, asks: u64) -> u64 {
        request::<C, _, _>(link, |reply| Through(asks, reply)).await
    }
}
