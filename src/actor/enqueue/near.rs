//! A reply that comes from an actor of this process.

use std::marker::PhantomData;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use crate::actor::error::AskError;
use crate::actor::identity::Identity;
use crate::actor::local::timed_out;
use crate::actor::origin::Origin;
use crate::actor::outcome::Outcome;
use crate::actor::waits::{Wait, Watch};
use crate::edges::Probe;
use crate::reply::Receiver;

pub(super) struct Near<T, E> {
    /// Before the receiver, as D1 asks for.
    wait: Wait,
    watch: Watch,
    /// E2: of a slot for an `Outcome<T, E>`.
    receiver: Receiver,
    origin: Origin,
    is_detached: bool,
    _reply: PhantomData<fn() -> Result<T, E>>,
}

impl<T: Send + 'static, E: Send + 'static> Near<T, E> {
    /// # Safety
    ///
    /// - The receiver is of a slot for an `Outcome<T, E>`.
    /// - It is of a limited ask.
    pub(super) unsafe fn new(
        receiver: Receiver,
        origin: Origin,
        is_detached: bool,
        watch: Watch,
    ) -> Self {
        Self {
            wait: Wait::none(),
            watch,
            receiver,
            origin,
            is_detached,
            _reply: PhantomData,
        }
    }

    pub(super) fn watch(&mut self, watch: Watch) {
        self.watch.relax(watch);
        // What was seen of it before its next poll is not so any more.
        self.wait.end();
    }

    pub(super) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<T, AskError<E>>> {
        if self.receiver.poll_sent(cx.waker()).is_pending() {
            let (errand, probe) = (self.origin.errand(), Probe::Reply(self.receiver.probe()));
            // SAFETY: D1: the wait ends before the answer is taken, and is dropped before the
            // receiver.
            let circle = unsafe { self.wait.pending(self.watch, errand, probe, cx.waker()) };
            if let Some(deadlock) = circle {
                self.wait.end();
                return Poll::Ready(Err(AskError::Deadlock(deadlock)));
            }
            let Some(timer) = self.receiver.timer() else {
                return Poll::Pending;
            };
            let limit = ready!(timer.poll(cx));
            return Poll::Ready(self.expire(limit));
        }
        self.wait.end();
        // SAFETY: E2: the slot is for an `Outcome<T, E>`, which is there.
        let outcome = unsafe { self.receiver.take::<Outcome<T, E>>() };
        Poll::Ready(outcome.into_result(|| self.origin.identity()))
    }

    pub(super) fn expire(&mut self, limit: Duration) -> Result<T, AskError<E>> {
        self.wait.end();
        let receiver = self.receiver.take_over();
        // SAFETY: E2; `new`: it is of a limited ask.
        let given_up = unsafe { receiver.give_up::<Outcome<T, E>>() };
        timed_out(given_up, self.is_detached, limit, || self.origin.identity())
    }
}

impl<T, E> Near<T, E> {
    pub(super) fn identity(&self) -> Identity {
        self.origin.identity()
    }
}
