//! An ask or tell within the process.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::time::Instant;

use super::deadline;
use super::enqueue::{Enqueued, Reply};
use super::envelope::{OutcomeOf, Parcel};
use super::error::{AskError, Refusal, TellError};
use super::handle::Handle;
use super::identity::Identity;
use super::inline::{self, Ran};
use super::origin::Origin;
use super::outcome::Outcome;
use super::sending::Sending;
use super::strong::Strong;
use super::timeout::{Timeout, TimeoutState};
use super::traits::{AskResult, Handler};
use super::waits::{Deadlock, Errand, Wait, Watch};
use crate::edges::Probe;
use crate::mailbox::Refused;
use crate::reply::{self, GivenUp, Receiver, ReplyEnd, Timer};

/// A message to an actor of this process: not yet sent, waiting for a slot, or for its reply.
///
/// Fields are dropped in order: what others see of its wait (D1), the wait for a reply, then the
/// message, then what keeps the cell.
pub struct LocalAsk<'h, A: 'static, M: Send + 'static> {
    wait: Wait,
    receiver: Option<Receiver>,
    accepted: bool,
    sending: Sending<M>,
    target: Cow<'h, Target>,
    _actor: PhantomData<fn() -> A>,
}

/// A handle without its actor's type, borrowed or owned.
#[derive(Clone)]
#[repr(transparent)]
pub(crate) struct Target(pub(super) Strong);

impl<'h, A: 'static, M: Send + 'static> LocalAsk<'h, A, M> {
    pub(super) fn new(handle: &'h Handle<A>, message: M) -> Self {
        Self {
            wait: Wait::new(),
            receiver: None,
            accepted: false,
            sending: Sending::new(message),
            target: Cow::Borrowed(handle.target()),
            _actor: PhantomData,
        }
    }

    pub(super) fn watch(&mut self, watch: Watch) {
        self.wait.relax(watch);
    }

    pub(super) fn into_owned(self) -> LocalAsk<'static, A, M> {
        let target = Cow::Owned(self.target.into_owned());
        let message = self
            .sending
            .into_message()
            .expect("a request is owned before it is polled");
        LocalAsk {
            wait: self.wait,
            receiver: None,
            accepted: false,
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
                wait: &mut this.wait,
                receiver: &mut this.receiver,
                accepted: &mut this.accepted,
                sending: Pin::new_unchecked(&mut this.sending),
                target: &this.target.0,
            }
        }
    }

    pub(super) fn cancel(self: Pin<&mut Self>) -> Option<M> {
        let parts = self.project();
        parts.wait.end();
        parts.sending.cancel()
    }
}

struct Parts<'a, M: Send + 'static> {
    wait: &'a mut Wait,
    receiver: &'a mut Option<Receiver>,
    accepted: &'a mut bool,
    sending: Pin<&'a mut Sending<M>>,
    target: &'a Strong,
}

impl<'a, M: Send + 'static> Parts<'a, M> {
    fn errand(&self) -> Errand<'a> {
        Errand {
            target: self.target.head(),
            message: std::any::type_name::<M>,
        }
    }

    /// The circle that the ask would close, were it sent.
    #[inline]
    fn foresee(&self) -> Option<Deadlock> {
        if self.sending.is_unsent() {
            self.wait.foresee(self.errand())
        } else {
            None
        }
    }

    /// Queues the message, with a way back for its reply, unless that was done.
    ///
    /// One that `may_expire` may get a limit when it is queued.
    #[inline]
    fn poll_accept<A: Handler<M>>(
        &mut self,
        may_expire: bool,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), (Refusal, M)>> {
        if *self.accepted {
            return Poll::Ready(Ok(()));
        }
        let way_back = || {
            let (end, waiting) = match may_expire {
                false => reply::channel::<OutcomeOf<A, M>>(),
                true => reply::limited::<OutcomeOf<A, M>>(None, None),
            };
            *self.receiver = Some(waiting);
            Some(end)
        };
        let sending = self.sending.as_mut();
        let polled = sending.poll_send(self.target, Parcel::seal::<A>, way_back, cx);
        let refusal = match polled {
            Poll::Ready(Ok(())) => {
                *self.accepted = true;
                return Poll::Ready(Ok(()));
            }
            Poll::Ready(Err(refused)) => refusal(self.target, refused),
            Poll::Pending => match self.pending(cx) {
                None => return Poll::Pending,
                Some(deadlock) => Refusal::Deadlock(deadlock),
            },
        };
        self.wait.end();
        Poll::Ready(self.take_back(refusal))
    }

    /// Takes the message back, unless it was granted its slot just now.
    #[cold]
    fn take_back(&mut self, refusal: Refusal) -> Result<(), (Refusal, M)> {
        match self.sending.as_mut().cancel() {
            Some(message) => {
                *self.receiver = None;
                Err((refusal, message))
            }
            None => {
                *self.accepted = true;
                Ok(())
            }
        }
    }

    /// Gives the limit that the ask has inherited, when it has passed.
    #[inline]
    fn poll_timer(&mut self, cx: &mut Context<'_>) -> Poll<Duration> {
        match self.receiver.as_mut().and_then(Receiver::timer) {
            None => Poll::Pending,
            Some(timer) => timer.poll(cx),
        }
    }

    #[cold]
    fn refused<E>(&self, refusal: Refusal, message: M) -> AskError<E> {
        AskError::refused(self.target.head().identity(), refusal, Box::new(message))
    }

    /// The ask waits. Gives the circle that this closes, if it is to fail of it.
    #[inline]
    fn pending(&mut self, cx: &mut Context<'_>) -> Option<Deadlock> {
        let receiver = self.receiver.as_ref()?;
        let (probe, errand) = (Probe::Reply(receiver.probe()), self.errand());
        // SAFETY: D1: the wait ends before the receiver goes, wherever that is taken or dropped.
        unsafe { self.wait.pending(errand, probe, cx.waker()) }
    }

    /// Takes the ask back as far as that can be.
    #[cold]
    fn give_up<E>(&mut self, deadlock: Deadlock) -> AskError<E> {
        self.wait.end();
        *self.receiver = None;
        match self.sending.as_mut().cancel() {
            None => AskError::Deadlock(deadlock),
            Some(message) => {
                let actor = self.target.head().identity();
                AskError::refused(actor, Refusal::Deadlock(deadlock), Box::new(message))
            }
        }
    }
}

/// What an ask gives that was given up when its limit had passed.
pub(super) fn timed_out<T, E>(
    given_up: GivenUp<Outcome<T, E>>,
    is_detached: bool,
    limit: Duration,
    actor: impl FnOnce() -> Identity,
) -> Result<T, AskError<E>> {
    let state = match given_up {
        GivenUp::Answered(outcome) => return outcome.into_result(actor),
        GivenUp::Started => TimeoutState::Running,
        GivenUp::Unstarted if is_detached => TimeoutState::Queued,
        GivenUp::Unstarted => TimeoutState::Skipped,
    };
    Err(AskError::Timeout(Timeout::new(actor(), limit, state)))
}

pub(super) fn refusal(target: &Strong, refused: Refused) -> Refusal {
    match refused {
        Refused::Full => Refusal::Full,
        Refused::Closed => Refusal::Ended(target.head().refusal()),
    }
}

impl<A: Handler<M>, M: Send + 'static> LocalAsk<'_, A, M> {
    #[inline]
    pub(super) fn poll_ask(
        mut self: Pin<&mut Self>,
        deadline: Option<Instant>,
        cx: &mut Context<'_>,
    ) -> Poll<AskResult<A, M>> {
        if deadline.is_some() || deadline::is_set() {
            let begun = self
                .as_mut()
                .begin_limited(deadline, cx, inline::ask::<A, M>);
            if let Err((refusal, message)) = begun {
                return Poll::Ready(Err(self.project().refused(refusal, message)));
            }
        }
        let parts = self.as_mut().project();
        if !*parts.accepted {
            match inline::ask::<A, M>(parts.target, parts.sending, &mut None, cx) {
                Ran::No => {}
                Ran::Answered(outcome) => {
                    *parts.accepted = true;
                    return Poll::Ready(outcome.into_result(|| parts.target.head().identity()));
                }
                Ran::Suspended(waiting) => {
                    *parts.accepted = true;
                    *parts.receiver = waiting;
                }
            }
        }
        self.poll_accepted(cx)
    }

    /// As [`Self::poll_ask`], but never inline.
    pub(super) fn poll_queued(
        mut self: Pin<&mut Self>,
        deadline: Option<Instant>,
        cx: &mut Context<'_>,
    ) -> Poll<AskResult<A, M>> {
        if deadline.is_some() || deadline::is_set() {
            let begun = self
                .as_mut()
                .begin_limited(deadline, cx, |_, _, _, _| Ran::No);
            if let Err((refusal, message)) = begun {
                return Poll::Ready(Err(self.project().refused(refusal, message)));
            }
        }
        self.poll_accepted(cx)
    }

    /// Waits for a slot, and then for the reply.
    #[inline]
    fn poll_accepted(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<AskResult<A, M>> {
        let mut parts = self.as_mut().project();
        if let Some(deadlock) = parts.foresee() {
            return Poll::Ready(Err(parts.give_up(deadlock)));
        }
        match parts.poll_accept::<A>(false, cx) {
            Poll::Ready(Ok(())) => {}
            Poll::Ready(Err((refusal, message))) => {
                return Poll::Ready(Err(parts.refused(refusal, message)));
            }
            Poll::Pending => return self.poll_limit(cx),
        }
        let waiting = parts.receiver.as_mut();
        let waiting = waiting.expect("a request is not polled after its reply");
        if waiting.poll_sent(cx.waker()).is_pending() {
            return match parts.pending(cx) {
                None => self.poll_limit(cx),
                Some(deadlock) => Poll::Ready(Err(parts.give_up(deadlock))),
            };
        }
        parts.wait.end();
        // SAFETY: E2: `poll_accept` made the slot for this reply, which is there.
        let outcome = unsafe { waiting.take::<OutcomeOf<A, M>>() };
        *parts.receiver = None;
        Poll::Ready(outcome.into_result(|| parts.target.head().identity()))
    }

    pub(super) fn poll_enqueue(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Enqueued<A, M>> {
        if deadline::is_set() {
            let begun = self.as_mut().begin_limited(None, cx, |_, _, _, _| Ran::No);
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
        let withdrawn = self.as_mut().project().sending.cancel();
        // Without a message it was accepted as the limit passed.
        let accepted = withdrawn.map_or(Ok(()), |message| Err((Refusal::Timeout(limit), message)));
        self.enqueued(accepted)
    }

    fn enqueued(self: Pin<&mut Self>, accepted: Result<(), (Refusal, M)>) -> Enqueued<A, M> {
        let parts = self.project();
        parts.wait.end();
        if let Err((refusal, message)) = accepted {
            return Err(TellError::new(
                parts.target.head().identity(),
                refusal,
                message,
            ));
        }
        let receiver = parts.receiver.take();
        let receiver = receiver.expect("a request is not polled after its reply");
        let origin = Origin::new((*parts.target.unit()).clone(), std::any::type_name::<M>);
        // SAFETY: E2: `poll_accept` made the slot for this reply.
        Ok(unsafe { Reply::new(receiver, origin, A::DETACHED) })
    }

    /// There is nothing yet: unless a limit that was inherited has passed, the ask goes on.
    #[inline]
    fn poll_limit(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<AskResult<A, M>> {
        let limit = ready!(self.as_mut().project().poll_timer(cx));
        Poll::Ready(self.expire(limit))
    }

    /// At the first poll of an ask with a limit: makes its way back, and handles its message by
    /// `run`, if that can be. Fails if there is no time left.
    #[cold]
    fn begin_limited(
        self: Pin<&mut Self>,
        own: Option<Instant>,
        cx: &mut Context<'_>,
        run: impl FnOnce(
            &Strong,
            Pin<&mut Sending<M>>,
            &mut Option<ReplyEnd>,
            &mut Context<'_>,
        ) -> Ran<A, M>,
    ) -> Result<(), (Refusal, M)> {
        let mut parts = self.project();
        let theirs = deadline::inherited().filter(|theirs| own.is_none_or(|own| *theirs < own));
        let Some(deadline) = theirs.or(own).filter(|_| parts.sending.is_unsent()) else {
            return Ok(());
        };
        let timer = match theirs.map(Timer::new) {
            None => None,
            Some(Some(timer)) => Some(timer),
            Some(None) => return parts.take_back(Refusal::Expired),
        };
        // What is detached goes on without its asker, and so without the deadline.
        let seen = (!A::DETACHED).then_some(deadline);
        let (end, waiting) = reply::limited::<OutcomeOf<A, M>>(seen, timer);
        let waiting = parts.receiver.insert(waiting);
        let mut way_back = Some(end);
        let before = deadline::replace(seen.map(|at| (parts.target.head().id(), at)));
        let ran = run(parts.target, parts.sending.as_mut(), &mut way_back, cx);
        deadline::replace(before);
        if !matches!(ran, Ran::No) {
            waiting.note_start();
            *parts.accepted = true;
            return Ok(());
        }
        if let Some(deadlock) = parts.foresee() {
            return parts.take_back(Refusal::Deadlock(deadlock));
        }
        let seal = |message| Parcel::seal::<A>(message, way_back);
        parts.sending.seal(seal);
        Ok(())
    }

    pub(super) fn expire(self: Pin<&mut Self>, limit: Duration) -> AskResult<A, M> {
        let mut parts = self.project();
        parts.wait.end();
        if let Err((refusal, message)) = parts.take_back(Refusal::Timeout(limit)) {
            return Err(parts.refused(refusal, message));
        }
        let actor = || parts.target.head().identity();
        let waiting = parts.receiver.take();
        let waiting = waiting.expect("an ask that was accepted waits for its reply");
        // SAFETY: E2: the slot was made for this reply, of a limited ask, for its limit has passed.
        let given_up = unsafe { waiting.give_up::<OutcomeOf<A, M>>() };
        timed_out(given_up, A::DETACHED, limit, actor)
    }

    pub(super) fn poll_tell(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), TellError<M>>> {
        let Parts {
            wait,
            mut sending,
            target,
            ..
        } = self.project();
        let seal = Parcel::seal::<A>;
        let polled = sending.as_mut().poll_send(target, seal, || None, cx);
        match wait.tell(sending, target, polled, cx) {
            Poll::Ready(told) => Poll::Ready(told.map_err(|(refusal, message)| {
                TellError::new(target.head().identity(), refusal, message)
            })),
            Poll::Pending => Poll::Pending,
        }
    }

    pub(super) fn try_tell(self) -> Result<(), TellError<M>> {
        let target = &self.target.0;
        self.sending
            .try_send(target, Parcel::seal::<A>)
            .map_err(|(refused, message)| {
                let message = message.expect("a refused message is the sender's");
                TellError::new(target.head().identity(), refusal(target, refused), message)
            })
    }

    pub(super) fn expire_tell(self: Pin<&mut Self>, limit: Duration) -> Result<(), TellError<M>> {
        let Parts {
            wait,
            sending,
            target,
            ..
        } = self.project();
        wait.end();
        match sending.cancel() {
            // It was accepted as the limit passed.
            None => Ok(()),
            Some(message) => {
                let refusal = Refusal::Timeout(limit);
                Err(TellError::new(target.head().identity(), refusal, message))
            }
        }
    }
}
