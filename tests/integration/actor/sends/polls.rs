//! Futures that are dropped after each number of polls that they take.

use std::future::Future;
use std::pin::Pin;

use crate::actor::support::{poll_once, within};

/// How a future was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    /// It was dropped before its first poll, or pending.
    Pending,
    Done,
}

/// What a round does.
pub(crate) struct Round {
    /// How often it polls.
    pub(crate) polls: usize,
}

impl Round {
    /// Polls a future so often, each time after something has happened that it may wait for.
    pub(crate) async fn poll<F: Future + ?Sized>(
        &self,
        future: &mut Pin<Box<F>>,
        mut between: impl FnMut(usize),
    ) -> Left {
        for poll in 0..self.polls {
            if poll_once(future).await.is_ready() {
                return Left::Done;
            }
            between(poll);
            tokio::task::yield_now().await;
        }
        Left::Pending
    }
}

/// Runs rounds of no poll, of one, of two, and so on, until one says that its future got done. How
/// many it takes depends on other threads: after some rounds it is polled to its end.
pub(crate) async fn at_every_poll<F: Future<Output = Left>>(round: impl Fn(Round) -> F) {
    for polls in (0..12).chain([usize::MAX]) {
        if within(round(Round { polls })).await == Left::Done {
            assert!(
                polls > 0,
                "a future that does something before its first poll"
            );
            return;
        }
    }
    panic!("it was dropped before its end");
}
