//! A reply from another process, after its ask was sent.

use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::{Sleep, sleep_until};

use super::{Term, give_up, read};
use crate::actor::{AskResult, ErrOf, FarReply, Identity, OkOf};
use crate::remote::carry::{AskKey, Port};
use crate::remote::handler::RemoteHandler;

/// The reply of an ask in two steps.
pub(super) struct Awaited<A, M> {
    key: Option<AskKey>,
    port: Port,
    /// Never locked: so the whole is `Sync`.
    kept: Mutex<Kept<M>>,
    term: Option<Term>,
    _actor: PhantomData<fn() -> A>,
}

struct Kept<M> {
    message: Option<M>,
    /// Of a limit that the ask has inherited.
    timer: Option<Pin<Box<Sleep>>>,
}

impl<A, M> Awaited<A, M> {
    pub(super) fn new(key: AskKey, port: Port, message: Option<M>, term: Option<Term>) -> Self {
        let timer = None;
        Self {
            key: Some(key),
            port,
            kept: Mutex::new(Kept { message, timer }),
            term,
            _actor: PhantomData,
        }
    }

    fn kept(&mut self) -> &mut Kept<M> {
        self.kept.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<A: RemoteHandler<M>, M: Send + 'static> FarReply<OkOf<A, M>, ErrOf<A, M>> for Awaited<A, M> {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<AskResult<A, M>> {
        let key = self.key.expect("a reply is polled after it was given");
        let Poll::Ready(arrived) = self.port.carry().poll_reply(key, cx) else {
            let Some(term) = self.term else {
                return Poll::Pending;
            };
            let timer = &mut self.kept().timer;
            let timer = timer.get_or_insert_with(|| Box::pin(sleep_until(term.at)));
            ready!(timer.as_mut().poll(cx));
            return Poll::Ready(self.expire(term.limit));
        };
        self.key = None;
        let message = self.kept().message.take();
        Poll::Ready(read::<A, M>(arrived, &self.port, message, self.term))
    }

    fn expire(&mut self, limit: Duration) -> AskResult<A, M> {
        let key = self.key.take().expect("a reply expires before it is given");
        give_up::<A, M>(&self.port, key, limit)
    }

    fn identity(&self) -> Identity {
        self.port.identity().clone()
    }
}

impl<A, M> Drop for Awaited<A, M> {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.port.carry().forget(key);
        }
    }
}
