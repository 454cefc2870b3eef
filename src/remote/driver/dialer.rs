//! How a connection that was lost is had again.

use std::pin::Pin;
use std::task::{Context, Poll};

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
    failures: u32,
    attempt: Option<Attempt>,
    rng: Rng,
}

impl Dialer {
    pub(in crate::remote) fn new(destination: Destination, session: RandomId) -> Self {
        Self {
            destination,
            session,
            failures: 0,
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
            match result {
                Ok(agreed) => {
                    self.failures = 0;
                    return Poll::Ready(Ok(agreed));
                }
                Err(ConnectError::Refused(refused)) if refused != Refused::Busy => {
                    return Poll::Ready(Err(refused));
                }
                Err(_) => self.failures = self.failures.saturating_add(1),
            }
        }
    }

    fn begin(&mut self, received: u64) -> Attempt {
        let destination = self.destination.clone();
        let session = self.session;
        let backoff = Backoff::exponential(BACKOFF_MIN, BACKOFF_MAX).jitter(0.2);
        let pause = match self.failures {
            0 => None,
            failures => Some(backoff.delay(failures, &mut self.rng)),
        };
        Box::pin(async move {
            if let Some(pause) = pause {
                sleep(pause).await;
            }
            destination.reach(Wish::Resume { session, received }).await
        })
    }
}
