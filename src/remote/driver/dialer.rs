//! How a connection that was lost is had again.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::sleep;

use super::super::connect::{Agreed, ConnectError, Destination};
use super::super::handshake::{RandomId, Refused, Wish};
use super::super::limits::{BACKOFF_MAX, BACKOFF_MIN};
use crate::rng::Rng;
use crate::supervise::Backoff;

type Attempt = Pin<Box<dyn Future<Output = Result<Agreed, ConnectError>> + Send>>;

/// Tries again, with growing pauses: a state of its driver, which hears all else meanwhile.
pub(in crate::remote) struct Dialer {
    destination: Destination,
    session: RandomId,
    /// Attempts since the peer was last heard of, by what came of a connection.
    failures: u32,
    /// The highest number received as of then.
    received: u64,
    attempt: Option<Attempt>,
    rng: Rng,
}

impl Dialer {
    pub(in crate::remote) fn new(destination: Destination, session: RandomId) -> Self {
        Self {
            destination,
            session,
            failures: 0,
            received: 0,
            attempt: None,
            rng: Rng::seeded(Rng::fresh_seed()),
        }
    }

    /// Ready with a connection, or with a refusal that will not pass.
    pub(super) fn poll(
        &mut self,
        received: u64,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Agreed, Refused>> {
        loop {
            if self.attempt.is_none() {
                self.attempt = Some(self.begin(received));
            }
            let attempt = self.attempt.as_mut().expect("it was begun");
            let result = std::task::ready!(attempt.as_mut().poll(cx));
            self.attempt = None;
            // A connection that ends before anything has come of it was no better than none.
            self.failures = self.failures.saturating_add(1);
            match result {
                Ok(agreed) => return Poll::Ready(Ok(agreed)),
                Err(ConnectError::Refused(refused)) if refused != Refused::Busy => {
                    return Poll::Ready(Err(refused));
                }
                Err(_) => {}
            }
        }
    }

    /// How long to wait before the next attempt.
    fn pause(&mut self, received: u64) -> Option<Duration> {
        if received > self.received {
            self.received = received;
            self.failures = 0;
        }
        let backoff = Backoff::exponential(BACKOFF_MIN, BACKOFF_MAX).jitter(0.2);
        (self.failures > 0).then(|| backoff.delay(self.failures, &mut self.rng))
    }

    fn begin(&mut self, received: u64) -> Attempt {
        let destination = self.destination.clone();
        let session = self.session;
        let pause = self.pause(received);
        Box::pin(async move {
            if let Some(pause) = pause {
                sleep(pause).await;
            }
            destination.reach(Wish::Resume { session, received }).await
        })
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use super::super::super::limits::Limits;
    use super::super::super::node::Node;
    use super::super::super::transport::MemoryNetwork;
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn connections_of_which_nothing_comes_are_not_made_without_a_pause() {
        let network = MemoryNetwork::new();
        let server = Node::builder().build();
        let address = network.address("server");
        server.listen(&address).await.expect("it is free");
        let destination = Destination {
            address,
            policy: std::sync::Arc::default(),
            limits: Limits::new(),
        };
        let agreed = destination.reach(Wish::New).await.expect("it listens");
        let mut dialer = Dialer::new(destination, agreed.welcome.session);
        for (received, pauses) in [(0, false), (0, true), (0, true), (1, false), (1, true)] {
            assert_eq!(dialer.pause(received).is_some(), pauses, "{received}");
            let dialed = std::future::poll_fn(|cx| dialer.poll(0, cx)).await;
            assert!(dialed.is_ok(), "it resumes");
        }
        let mut cx = Context::from_waker(Waker::noop());
        assert!(dialer.poll(0, &mut cx).is_pending(), "it pauses");
    }
}
