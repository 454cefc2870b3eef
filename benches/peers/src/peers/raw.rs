//! Actors written by hand: a tokio task that owns its state, an enum of messages, `mpsc` for
//! these and `oneshot` for the replies.
//!
//! Style: the pattern of tokio's tutorial (chapter "Channels"): `while let Some(message) =
//! receiver.recv().await`, handler code in place, replies through a sender in the message.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use crate::countdown::Countdown;
use crate::machine;
use crate::peer::{GIANT_BYTES, Peer};
use crate::workloads::CAPACITY;

pub struct Raw;

pub enum CounterMessage {
    Add(u64),
    AddAndReply(u64, oneshot::Sender<u64>),
}

async fn run_counter(mut messages: mpsc::Receiver<CounterMessage>) {
    let mut sum = 0;
    while let Some(message) = messages.recv().await {
        match message {
            CounterMessage::Add(n) => sum += n,
            CounterMessage::AddAndReply(n, reply) => {
                sum += n;
                let _ = reply.send(sum);
            }
        }
    }
}

async fn run_starter(mut questions: mpsc::Receiver<oneshot::Sender<bool>>) {
    let ready = start().await;
    while let Some(reply) = questions.recv().await {
        let _ = reply.send(ready);
    }
}

async fn start() -> bool {
    black_box(true)
}

async fn run_burner(mut messages: mpsc::Receiver<(Duration, oneshot::Sender<()>)>) {
    while let Some((time, reply)) = messages.recv().await {
        machine::burn(time);
        let _ = reply.send(());
    }
}

async fn run_giant(mut messages: mpsc::Receiver<oneshot::Sender<()>>) {
    while let Some(reply) = messages.recv().await {
        let mut bytes = [0_u8; GIANT_BYTES];
        black_box(&mut bytes);
        tokio::task::yield_now().await;
        black_box(&mut bytes);
        let _ = reply.send(());
    }
}

pub enum RelayMessage {
    Link(mpsc::Sender<RelayMessage>),
    Pass(u64),
}

async fn run_relay(mut messages: mpsc::Receiver<RelayMessage>, done: Arc<Countdown>) {
    let mut next = None;
    while let Some(message) = messages.recv().await {
        match message {
            RelayMessage::Link(relay) => next = Some(relay),
            RelayMessage::Pass(0) => done.arrive(),
            RelayMessage::Pass(left) => {
                let next = next
                    .as_ref()
                    .expect("a relay is linked before its first token");
                next.send(RelayMessage::Pass(left - 1))
                    .await
                    .expect("relays live on");
            }
        }
    }
}

/// Sends a message that carries the sender of its reply, and waits for that.
async fn request<M, R>(
    actor: &mpsc::Sender<M>,
    message: impl FnOnce(oneshot::Sender<R>) -> M,
) -> R {
    let (reply, answer) = oneshot::channel();
    actor.send(message(reply)).await.expect("the actor lives");
    answer.await.expect("the actor answers")
}

fn spawn<M, F>(capacity: usize, run: impl FnOnce(mpsc::Receiver<M>) -> F) -> mpsc::Sender<M>
where
    F: Future<Output = ()> + Send + 'static,
{
    let (sender, receiver) = mpsc::channel(capacity);
    tokio::spawn(run(receiver));
    sender
}

impl Peer for Raw {
    const NAME: &'static str = "raw";

    type Counter = mpsc::Sender<CounterMessage>;
    type Starter = mpsc::Sender<oneshot::Sender<bool>>;
    type Burner = mpsc::Sender<(Duration, oneshot::Sender<()>)>;
    type Giant = mpsc::Sender<oneshot::Sender<()>>;
    type Relay = mpsc::Sender<RelayMessage>;

    fn run<T: Send + 'static>(cell: impl Future<Output = T> + Send + 'static) -> T {
        super::tokio_runtime().block_on(async { Self::task(cell).await })
    }

    fn task<T: Send + 'static>(
        task: impl Future<Output = T> + Send + 'static,
    ) -> impl Future<Output = T> + Send {
        let task = tokio::spawn(task);
        async { task.await.expect("no task of a cell panics") }
    }

    fn counter(capacity: usize) -> Self::Counter {
        spawn(capacity, run_counter)
    }

    async fn tell(counter: &Self::Counter, n: u64) {
        counter
            .send(CounterMessage::Add(n))
            .await
            .expect("the counter lives");
    }

    async fn ask(counter: &Self::Counter, n: u64) -> u64 {
        request(counter, |reply| CounterMessage::AddAndReply(n, reply)).await
    }

    fn starter() -> Self::Starter {
        spawn(CAPACITY, run_starter)
    }

    async fn is_ready(starter: &Self::Starter) -> bool {
        request(starter, |reply| reply).await
    }

    fn burner() -> Self::Burner {
        spawn(CAPACITY, run_burner)
    }

    async fn burn(burner: &Self::Burner, time: Duration) {
        request(burner, |reply| (time, reply)).await;
    }

    fn giant() -> Self::Giant {
        spawn(CAPACITY, run_giant)
    }

    async fn suspend(giant: &Self::Giant) {
        request(giant, |reply| reply).await;
    }

    fn relay(done: Arc<Countdown>) -> Self::Relay {
        spawn(CAPACITY, |messages| run_relay(messages, done))
    }

    async fn link(relay: &Self::Relay, next: Self::Relay) {
        relay
            .send(RelayMessage::Link(next))
            .await
            .expect("the relay lives");
    }

    async fn pass(relay: &Self::Relay, passes_left: u64) {
        relay
            .send(RelayMessage::Pass(passes_left))
            .await
            .expect("the relay lives");
    }
}
