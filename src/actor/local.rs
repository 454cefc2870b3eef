//! An ask or tell within the process.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use super::envelope::{OutcomeOf, Parcel};
use super::error::{AskError, Refusal, TellError};
use super::handle::Handle;
use super::inline::{self, Ran};
use super::sending::Sending;
use super::strong::Strong;
use super::traits::{AskResult, ErrOf, Handler};
use super::waits::{Deadlock, Errand, Wait, Watch};
use crate::edges::Probe;
use crate::mailbox::Refused;
use crate::reply::{self, Receiver};

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

    /// The ask waits, unless that closes a circle: then it fails.
    #[inline]
    fn pending<T, E>(mut self, cx: &mut Context<'_>) -> Poll<Result<T, AskError<E>>> {
        let Some(receiver) = &self.receiver else {
            return Poll::Pending;
        };
        let (probe, errand) = (Probe::Reply(receiver.probe()), self.errand());
        // SAFETY: D1: the wait ends before the receiver goes, wherever that is taken or dropped.
        match unsafe { self.wait.pending(errand, probe, cx.waker()) } {
            None => Poll::Pending,
            Some(deadlock) => Poll::Ready(Err(self.give_up(deadlock))),
        }
    }

    fn refused<E>(&mut self, refused: Refused) -> AskError<E> {
        self.wait.end();
        *self.receiver = None;
        let message = self.sending.as_mut().cancel();
        let message = message.expect("a refused message is the sender's");
        let refusal = refusal(self.target, refused);
        AskError::refused(self.target.head().identity(), refusal, Box::new(message))
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

pub(super) fn refusal(target: &Strong, refused: Refused) -> Refusal {
    match refused {
        Refused::Full => Refusal::Full,
        Refused::Closed => Refusal::Ended(target.head().refusal()),
    }
}

impl<A: Handler<M>, M: Send + 'static> LocalAsk<'_, A, M> {
    pub(super) fn poll_ask(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<AskResult<A, M>> {
        let mut parts = self.project();
        let target = parts.target;
        if !*parts.accepted {
            match inline::ask::<A, M>(target, parts.sending.as_mut(), cx) {
                Ran::No => {}
                Ran::Answered(outcome) => {
                    *parts.accepted = true;
                    return Poll::Ready(outcome.into_result(|| target.head().identity()));
                }
                Ran::Suspended(waiting) => {
                    *parts.accepted = true;
                    *parts.receiver = Some(waiting);
                }
            }
        }
        if !*parts.accepted {
            if let Some(deadlock) = parts.foresee() {
                return Poll::Ready(Err(parts.give_up(deadlock)));
            }
            let seal = Parcel::seal::<A>;
            let way_back = || {
                let (end, waiting) = reply::channel::<OutcomeOf<A, M>>();
                *parts.receiver = Some(waiting);
                Some(end)
            };
            let polled = parts.sending.as_mut().poll_send(target, seal, way_back, cx);
            let Poll::Ready(sent) = polled else {
                return parts.pending(cx);
            };
            if let Err(refused) = sent {
                return Poll::Ready(Err(parts.refused(refused)));
            }
            *parts.accepted = true;
        }
        let waiting = parts.receiver.as_mut();
        let waiting = waiting.expect("a request is not polled after its reply");
        if waiting.poll_sent(cx.waker()).is_pending() {
            return parts.pending(cx);
        }
        parts.wait.end();
        // SAFETY: E2: `way_back` made the slot for this reply, which is there.
        let outcome = unsafe { waiting.take::<OutcomeOf<A, M>>() };
        *parts.receiver = None;
        Poll::Ready(outcome.into_result(|| target.head().identity()))
    }

    pub(super) fn expire(self: Pin<&mut Self>, limit: Duration) -> AskError<ErrOf<A, M>> {
        let Parts {
            wait,
            receiver,
            sending,
            target,
            ..
        } = self.project();
        wait.end();
        *receiver = None;
        let actor = target.head().identity();
        match sending.cancel() {
            Some(message) => AskError::refused(actor, Refusal::Timeout(limit), Box::new(message)),
            None => AskError::timeout(actor, limit),
        }
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
