//! The same actor written by hand: a tokio task, a channel, and a channel back for each ask.

use std::time::{Duration, Instant};

use greenroom::Runtime;
use tokio::sync::{mpsc, oneshot};

enum Message {
    Ask(u64, oneshot::Sender<u64>),
    Tell(u64),
}

#[derive(Clone)]
pub(crate) struct RawCounter(mpsc::Sender<Message>);

impl RawCounter {
    /// Spawns a counter whose channel has so many slots.
    pub(crate) fn spawn(capacity: usize) -> Self {
        let (sender, mut receiver) = mpsc::channel(capacity);
        tokio::spawn(async move {
            let mut sum = 0;
            while let Some(message) = receiver.recv().await {
                match message {
                    Message::Tell(n) => sum += n,
                    Message::Ask(n, back) => {
                        sum += n;
                        let _ = back.send(sum);
                    }
                }
            }
        });
        Self(sender)
    }

    pub(crate) async fn ask(&self, n: u64) -> u64 {
        let (back, answer) = oneshot::channel();
        let sent = self.0.send(Message::Ask(n, back)).await;
        assert!(sent.is_ok(), "the counter lives");
        answer.await.expect("the counter answers")
    }

    pub(crate) async fn tell(&self, n: u64) {
        let sent = self.0.send(Message::Tell(n)).await;
        assert!(sent.is_ok(), "the counter lives");
    }
}

/// As `support::time`, in a task of tokio's.
pub(crate) fn time<F>(
    runtime: &Runtime,
    iterations: u64,
    work: impl Fn() -> F + Send + 'static,
) -> Duration
where
    F: Future<Output = ()> + Send,
{
    let task = async move {
        let start = Instant::now();
        for _ in 0..iterations {
            work().await;
        }
        start.elapsed()
    };
    runtime.block_on(async { tokio::spawn(task).await.expect("no bench panics") })
}
