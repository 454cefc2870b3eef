//! Who sends: in every way, and is itself dropped half-way now and then.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use greenroom::{AskError, TellError, yield_now};

use crate::rng::Rng;
use crate::sink::{Sink, SinkHandle, SinkPlain};
use crate::token::{Fate, Ledger, Token, during};

/// What senders share.
pub struct Stage {
    pub ledger: Arc<Ledger>,
    pub messages: u64,
    sinks: Vec<Mutex<SinkHandle>>,
}

impl Stage {
    pub fn new(messages: u64, sinks: usize) -> Self {
        Self {
            ledger: Arc::default(),
            messages,
            sinks: (0..sinks).map(|_| Mutex::new(Sink::start())).collect(),
        }
    }

    pub fn is_over(&self) -> bool {
        self.ledger.made() >= self.messages
    }

    fn sink(&self, rng: &mut Rng) -> SinkHandle {
        let place = &self.sinks[rng.below(self.sinks.len() as u64) as usize];
        place.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends a sink, whose senders go on with another. Gives the old one.
    pub fn replace(&self, rng: &mut Rng) -> SinkHandle {
        let place = &self.sinks[rng.below(self.sinks.len() as u64) as usize];
        let fresh = Sink::start();
        let old = {
            let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *place, fresh)
        };
        match rng.below(2) {
            0 => old.kill(),
            _ => old.stop(),
        }
        old
    }

    /// All sinks, to be stopped.
    pub fn into_sinks(self) -> impl Iterator<Item = SinkHandle> {
        let sinks = self.sinks.into_iter();
        sinks.map(|place| place.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Ways to send, some of them counted more than once.
const WAYS: u64 = 24;

/// A future whose messages are withdrawn when it is dropped before its end.
struct Withdrawing<F: Future>(Option<Pin<Box<F>>>);

impl<F: Future> Future for Withdrawing<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let future = self.0.as_mut().expect("it is there until the drop");
        future.as_mut().poll(cx)
    }
}

impl<F: Future> Drop for Withdrawing<F> {
    fn drop(&mut self) {
        during(Fate::Withdrawn, || drop(self.0.take()));
    }
}

fn told(result: Result<(), TellError<impl Send + 'static>>) {
    during(Fate::HandedBack, || drop(result));
}

fn answered<T>(result: Result<T, AskError>) {
    during(Fate::HandedBack, || drop(result));
}

/// Polls a few times, and drops what is not done by then.
async fn give_up<F: Future>(future: F, polls: u64) -> Option<F::Output> {
    let mut future = Withdrawing(Some(Box::pin(future)));
    let mut left = polls;
    let mut future = pin!(Pin::new(&mut future));
    poll_fn(|cx| match future.as_mut().poll(cx) {
        Poll::Ready(output) => Poll::Ready(Some(output)),
        Poll::Pending if left == 0 => Poll::Ready(None),
        Poll::Pending => {
            left -= 1;
            Poll::Pending
        }
    })
    .await
}

/// Sends until enough was sent. It may be aborted at any time.
pub fn send_all(stage: Arc<Stage>, mut rng: Rng) -> impl Future<Output = ()> + Send {
    let sends = async move {
        let mut ways: Vec<u64> = (0..WAYS).collect();
        while !stage.is_over() {
            let sink = stage.sink(&mut rng);
            rng.shuffle(&mut ways);
            for way in &ways {
                send(*way, &sink, Token::new(&stage.ledger), &mut rng).await;
            }
        }
    };
    Withdrawing(Some(Box::pin(sends)))
}

/// Sends one message.
async fn send(way: u64, sink: &SinkHandle, token: Token, rng: &mut Rng) {
    let limit = Duration::from_micros(rng.below(200));
    let polls = rng.below(2);
    match way {
        0..=4 => told(sink.plain(token).tell().await),
        5 | 6 => answered(sink.plain(token).await),
        7 => told(sink.plain(token).try_tell()),
        8 => answered(sink.slow(token).await),
        9 => told(sink.reject(token).tell().await),
        10 => told(sink.newest(token).tell().await),
        11 => told(sink.oldest(token).tell().await),
        12 => told(sink.latest(rng.below(4), token).tell().await),
        13 => told(sink.urgent(token).tell().await),
        14 => told(sink.background(token).tell().await),
        15 => match sink.reserve().await {
            Ok(permit) => told(permit.tell(SinkPlain { token })),
            Err(error) => during(Fate::HandedBack, || drop((error, token))),
        },
        16 => match sink.plain(token).enqueue().await {
            Ok(reply) if polls == 0 => drop(reply),
            Ok(reply) => answered(reply.await),
            Err(error) => during(Fate::HandedBack, || drop(error)),
        },
        17 => answered(sink.oldest(token).await),
        18 => {
            if let Some(result) = give_up(sink.plain(token).tell(), polls).await {
                told(result);
            }
        }
        19 => {
            if let Some(result) = give_up(sink.slow(token), polls).await {
                answered(result);
            }
        }
        20 => told(sink.plain(token).tell().timeout(limit).await),
        21 => answered(sink.slow(token).timeout(limit).await),
        22 => {
            told(sink.plain(token).tell().await);
            yield_now().await;
        }
        _ => {
            let _ = sink.set_capacity(1 + rng.below(32) as usize);
            told(sink.plain(token).tell().await);
        }
    }
}
