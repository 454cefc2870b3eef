//! An ask or tell within the process.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use super::envelope::Parcel;
use super::error::{AskError, Refusal, TellError};
use super::handle::Handle;
use super::inline::{self, Ran};
use super::outcome::Outcome;
use super::sending::Sending;
use super::strong::Strong;
use super::traits::{AskResult, ErrOf, Handler, OkOf};
use crate::mailbox::Refused;
use crate::reply::{self, Receiver};

/// A message to an actor of this process: not yet sent, waiting for a slot, or for its reply.
///
/// Fields are dropped in order: the wait for a reply, then the message, then what keeps the cell.
pub struct LocalAsk<'h, A: 'static, M: Send + 'static> {
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
            receiver: None,
            accepted: false,
            sending: Sending::new(message),
            target: Cow::Borrowed(handle.target()),
            _actor: PhantomData,
        }
    }

    pub(super) fn into_owned(self) -> LocalAsk<'static, A, M> {
        let target = Cow::Owned(self.target.into_owned());
        let message = self
            .sending
            .into_message()
            .expect("a request is owned before it is polled");
        LocalAsk {
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
                receiver: &mut this.receiver,
                accepted: &mut this.accepted,
                sending: Pin::new_unchecked(&mut this.sending),
                target: &this.target.0,
            }
        }
    }

    pub(super) fn cancel(self: Pin<&mut Self>) -> Option<M> {
        self.project().sending.cancel()
    }
}

struct Parts<'a, M: Send + 'static> {
    receiver: &'a mut Option<Receiver>,
    accepted: &'a mut bool,
    sending: Pin<&'a mut Sending<M>>,
    target: &'a Strong,
}

fn refusal(target: &Strong, refused: Refused) -> Refusal {
    match refused {
        Refused::Full => Refusal::Full,
        Refused::Closed => Refusal::Ended(target.head().refusal()),
    }
}

impl<A: Handler<M>, M: Send + 'static> LocalAsk<'_, A, M> {
    pub(super) fn poll_ask(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<AskResult<A, M>> {
        let Parts {
            receiver,
            accepted,
            mut sending,
            target,
        } = self.project();
        if !*accepted {
            match inline::ask::<A, M>(target, sending.as_mut(), cx) {
                Ran::No => {}
                Ran::Answered(outcome) => {
                    *accepted = true;
                    return Poll::Ready(outcome.into_result(|| target.head().identity()));
                }
                Ran::Suspended(waiting) => {
                    *accepted = true;
                    *receiver = Some(waiting);
                }
            }
        }
        if !*accepted {
            let seal = Parcel::seal::<A>;
            let way_back = || {
                let (end, waiting) = reply::channel::<Outcome<OkOf<A, M>, ErrOf<A, M>>>();
                *receiver = Some(waiting);
                Some(end)
            };
            let sent = ready!(sending.as_mut().poll_send(target, seal, way_back, cx));
            if let Err(refused) = sent {
                *receiver = None;
                let message = sending.cancel().expect("a refused message is the sender's");
                let refusal = refusal(target, refused);
                let error = AskError::refused(target.head().identity(), refusal, Box::new(message));
                return Poll::Ready(Err(error));
            }
            *accepted = true;
        }
        let waiting = receiver
            .as_mut()
            .expect("a request is not polled after its reply");
        // SAFETY: E2: `way_back` made the slot for this reply.
        let outcome =
            ready!(unsafe { waiting.poll::<Outcome<OkOf<A, M>, ErrOf<A, M>>>(cx.waker()) });
        *receiver = None;
        Poll::Ready(outcome.into_result(|| target.head().identity()))
    }

    pub(super) fn expire(self: Pin<&mut Self>, limit: Duration) -> AskError<ErrOf<A, M>> {
        let Parts {
            receiver,
            sending,
            target,
            ..
        } = self.project();
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
            mut sending,
            target,
            ..
        } = self.project();
        let sent = ready!(
            sending
                .as_mut()
                .poll_send(target, Parcel::seal::<A>, || None, cx)
        );
        Poll::Ready(sent.map_err(|refused| {
            let message = sending.cancel().expect("a refused message is the sender's");
            TellError::new(target.head().identity(), refusal(target, refused), message)
        }))
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
            sending, target, ..
        } = self.project();
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
