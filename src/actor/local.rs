//! An ask or tell within the process.

mod parts;

use std::borrow::Cow;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::task::coop;

#[cfg(feature = "remote")]
pub(crate) use parts::handlers_deadline;
pub(super) use parts::{Parts, Step, refusal, timed_out, try_tell};

use super::enqueue::{Enqueued, Reply};
use super::envelope::{OutcomeOf, Parcel};
use super::error::{Refusal, TellError};
use super::inline::{self, Ran};
use super::nesting;
use super::origin::Origin;
use super::sending::Sending;
use super::strong::Strong;
use super::timed::Due;
use super::traits::{AskResult, Handler};
use super::waits::Watch;
use crate::reply::Receiver;

/// A message to an actor of this process: not yet sent, waiting for a slot, or for its reply.
///
/// Fields are dropped in order: the message, and what others see of its wait (D1), then the wait
/// for a reply, then what keeps the cell.
#[repr(C)] // `known_as`
pub struct LocalAsk<'h, A: 'static, M: Send + 'static> {
    sending: Sending<M>,
    receiver: Receiver,
    accepted: bool,
    watch: Watch,
    target: Cow<'h, Target>,
    _actor: PhantomData<fn() -> A>,
}

/// A handle without its actor's type, borrowed or owned.
#[derive(Clone)]
#[repr(transparent)]
pub(crate) struct Target(pub(super) Strong);

impl<'h, A: 'static, M: Send + 'static> LocalAsk<'h, A, M> {
    /// The target is an `A`.
    pub(super) fn new(target: &'h Target, message: M) -> Self {
        Self {
            receiver: Receiver::none(),
            accepted: false,
            watch: Watch::Fail,
            sending: Sending::new(message),
            target: Cow::Borrowed(target),
            _actor: PhantomData,
        }
    }

    /// The same, known as an ask of another type of actor.
    ///
    /// # Safety
    ///
    /// - The target is a `B`.
    pub(super) unsafe fn known_as<B: 'static>(
        self: Pin<&mut Self>,
    ) -> Pin<&mut LocalAsk<'h, B, M>> {
        // SAFETY: `repr(C)`, and both have the same fields but for a marker, which has no bytes;
        // what is pinned stays so.
        unsafe { Pin::new_unchecked(&mut *std::ptr::from_mut(self.get_unchecked_mut()).cast()) }
    }

    #[cfg(feature = "remote")]
    pub(super) fn is_accepted(&self) -> bool {
        self.accepted
    }

    pub(super) fn watch(&mut self, watch: Watch) {
        self.watch.relax(watch);
    }

    pub(super) fn into_owned(self) -> LocalAsk<'static, A, M> {
        let target = Cow::Owned(self.target.into_owned());
        let message = self
            .sending
            .into_message()
            .expect("a request is owned before it is polled");
        LocalAsk {
            receiver: Receiver::none(),
            accepted: false,
            watch: self.watch,
            sending: Sending::new(message),
            target,
            _actor: PhantomData,
        }
    }

    pub(super) fn into_message(self) -> M {
        self.sending
            .into_message()
            .expect("a request that was not polled has its message")
    }

    /// The parts, pinned where they must be.
    fn project(self: Pin<&mut Self>) -> Parts<'_, M> {
        // SAFETY: `sending` alone is pinned by place; nothing moves it.
        unsafe {
            let this = self.get_unchecked_mut();
            Parts {
                receiver: &mut this.receiver,
                accepted: &mut this.accepted,
                watch: this.watch,
                sending: Pin::new_unchecked(&mut this.sending),
                target: &this.target.0,
            }
        }
    }

    pub(super) fn cancel(self: Pin<&mut Self>) -> Option<M> {
        self.project().sending.cancel()
    }
}

impl<A: Handler<M>, M: Send + 'static> LocalAsk<'_, A, M> {
    #[inline]
    pub(super) fn poll_ask(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<AskResult<A, M>> {
        let parts = self.as_mut().project();
        if !*parts.accepted {
            match inline::ask::<A, M>(parts.target, parts.sending, || None) {
                Ran::No => {}
                Ran::Answered(outcome) => {
                    return Poll::Ready(outcome.into_result(|| parts.target.head().identity()));
                }
                Ran::Suspended(waiting) => {
                    *parts.accepted = true;
                    if let Some(waiting) = waiting {
                        *parts.receiver = waiting;
                    }
                }
            }
        }
        self.poll_rest(cx)
    }

    /// What does not run inline. Apart, so that what does has the registers.
    #[inline(never)]
    fn poll_rest(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<AskResult<A, M>> {
        if nesting::is_barred()
            && let Some(done) = self.as_mut().begin_limited(None, Step::Ask)
        {
            return Poll::Ready(done);
        }
        self.poll_accepted(cx)
    }

    /// As [`Self::poll_ask`], but never inline.
    pub(super) fn poll_queued(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<AskResult<A, M>> {
        if nesting::is_barred()
            && let Some(done) = self.as_mut().begin_limited(None, Step::Queue)
        {
            return Poll::Ready(done);
        }
        self.poll_accepted(cx)
    }

    /// Waits for a slot, and then for the reply.
    #[inline]
    fn poll_accepted(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<AskResult<A, M>> {
        let mut parts = self.as_mut().project();
        if let Some(deadlock) = parts.foresee::<A>() {
            return Poll::Ready(Err(parts.give_up(deadlock)));
        }
        match parts.poll_accept::<A>(false, cx) {
            Poll::Ready(Ok(())) => {}
            Poll::Ready(Err((refusal, message))) => {
                return Poll::Ready(Err(parts.refused(refusal, message)));
            }
            Poll::Pending => return self.poll_limit(cx),
        }
        if parts.receiver.poll_sent(cx.waker()).is_pending() {
            return match parts.pending(cx) {
                None => self.poll_limit(cx),
                Some(deadlock) => Poll::Ready(Err(parts.give_up(deadlock))),
            };
        }
        ready!(coop::poll_proceed(cx)).made_progress();
        parts.sending.as_mut().end_wait();
        // SAFETY: E2: `poll_accept` made the slot for this reply, which is there.
        let outcome = unsafe { parts.receiver.take::<OutcomeOf<A, M>>() };
        Poll::Ready(outcome.into_result(|| parts.target.head().identity()))
    }

    pub(super) fn poll_enqueue(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Enqueued<A, M>> {
        if nesting::is_barred() {
            let begun = self
                .as_mut()
                .project()
                .begin_limited::<A>(None, Step::Enqueue);
            if begun.is_err() {
                return Poll::Ready(self.enqueued(begun));
            }
        }
        let accepted = match self.as_mut().project().poll_accept::<A>(true, cx) {
            Poll::Ready(accepted) => accepted,
            Poll::Pending => {
                let limit = ready!(self.as_mut().project().poll_timer(cx));
                return Poll::Ready(self.expire_enqueue(limit));
            }
        };
        Poll::Ready(self.enqueued(accepted))
    }

    pub(super) fn expire_enqueue(mut self: Pin<&mut Self>, limit: Duration) -> Enqueued<A, M> {
        let accepted = self.as_mut().project().take_back(Refusal::Timeout(limit));
        self.enqueued(accepted)
    }

    fn enqueued(self: Pin<&mut Self>, accepted: Result<(), (Refusal, M)>) -> Enqueued<A, M> {
        let parts = self.project();
        if let Err((refusal, message)) = accepted {
            return Err(TellError::new(
                parts.target.head().identity(),
                refusal,
                message,
            ));
        }
        // A limit was on the wait for a slot alone.
        let watch = match parts.watch {
            Watch::Off => Watch::Off,
            Watch::Fail | Watch::Tell => Watch::Fail,
        };
        let receiver = parts.receiver.take_over();
        let origin = Origin::new((*parts.target.unit()).clone(), std::any::type_name::<M>);
        // SAFETY: E2: `poll_accept` made the slot for this reply.
        Ok(unsafe { Reply::new(receiver, origin, A::DETACHED, watch) })
    }

    /// There is nothing yet: unless a limit that was inherited has passed, the ask goes on.
    #[inline]
    fn poll_limit(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<AskResult<A, M>> {
        let limit = ready!(self.as_mut().project().poll_timer(cx));
        Poll::Ready(self.expire(limit))
    }

    /// At the first poll of an ask with a limit, its own or one that it inherits: see the parts'.
    /// Gives the result if there is no time left.
    #[cold]
    pub(super) fn begin_limited(
        self: Pin<&mut Self>,
        own: Option<Due>,
        step: Step,
    ) -> Option<AskResult<A, M>> {
        let mut parts = self.project();
        let begun = parts.begin_limited::<A>(own, step);
        let (refusal, message) = begun.err()?;
        Some(Err(parts.refused(refusal, message)))
    }

    pub(super) fn expire(self: Pin<&mut Self>, limit: Duration) -> AskResult<A, M> {
        let mut parts = self.project();
        if let Err((refusal, message)) = parts.take_back(Refusal::Timeout(limit)) {
            return Err(parts.refused(refusal, message));
        }
        let waiting = parts.receiver.take_over();
        let actor = || parts.target.head().identity();
        // SAFETY: E2: the slot was made for this reply, of a limited ask, for its limit has passed.
        let given_up = unsafe { waiting.give_up::<OutcomeOf<A, M>>() };
        timed_out(given_up, A::DETACHED, limit, actor)
    }

    pub(super) fn poll_tell(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), TellError<M>>> {
        self.project().poll_tell(Parcel::seal::<A>, cx)
    }

    pub(super) fn try_tell(self) -> Result<(), TellError<M>> {
        try_tell(self.sending, &self.target.0, Parcel::seal::<A>)
    }

    pub(super) fn expire_tell(self: Pin<&mut Self>, limit: Duration) -> Result<(), TellError<M>> {
        self.project().fail_tell(Refusal::Timeout(limit))
    }
}
