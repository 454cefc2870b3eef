//! To whom messages are told, and how.

use std::borrow::Cow;
use std::pin::Pin;
#[cfg(feature = "remote")]
use std::sync::Arc;
use std::task::{Context, Poll};

#[cfg(feature = "remote")]
use super::far::{FarTell, FarTo};
use super::{Place, Recipient, SealFor};
use crate::actor::error::{Refusal, TellError};
use crate::actor::identity::Identity;
use crate::actor::local::{Parts, Target, try_tell};
use crate::actor::sending::Sending;
use crate::actor::waits::Watch;
use crate::reply::Receiver;

/// To whom is told, and whether the wait for a slot is seen. One message after the other: each is
/// polled until it is accepted, given up or taken back.
pub(in crate::actor) struct Telling<'h, M: Send + 'static> {
    to: To<'h, M>,
    watch: Watch,
}

enum To<'h, M: Send + 'static> {
    Here {
        target: Cow<'h, Target>,
        seal: SealFor<M>,
    },
    #[cfg(feature = "remote")]
    Far {
        to: Arc<dyn FarTo<M>>,
        /// The message that is on its way.
        tell: Option<Box<dyn FarTell<M>>>,
    },
}

impl<'h, M: Send + 'static> Telling<'h, M> {
    /// `seal` seals for the target.
    pub(in crate::actor) fn here(target: Cow<'h, Target>, seal: SealFor<M>) -> Self {
        Self::new(To::Here { target, seal })
    }

    pub(in crate::actor) fn to(recipient: &'h Recipient<M>) -> Self {
        Self::new(match &recipient.0 {
            Place::Here { target, seal } => To::Here {
                target: Cow::Borrowed(target),
                seal: *seal,
            },
            #[cfg(feature = "remote")]
            Place::Far(to) => To::Far {
                to: to.clone(),
                tell: None,
            },
        })
    }

    fn new(to: To<'h, M>) -> Self {
        let watch = Watch::Fail;
        Self { to, watch }
    }

    /// Before its first message is polled.
    pub(in crate::actor) fn into_owned(self) -> Telling<'static, M> {
        let to = match self.to {
            To::Here { target, seal } => To::Here {
                target: Cow::Owned(target.into_owned()),
                seal,
            },
            #[cfg(feature = "remote")]
            To::Far { to, tell } => To::Far { to, tell },
        };
        let watch = self.watch;
        Telling { to, watch }
    }

    pub(in crate::actor) fn relax(&mut self, watch: Watch) {
        self.watch.relax(watch);
    }

    pub(in crate::actor) fn identity(&self) -> Identity {
        match &self.to {
            To::Here { target, .. } => target.0.head().identity(),
            #[cfg(feature = "remote")]
            To::Far { to, .. } => to.identity(),
        }
    }

    /// The actor and what seals for it, if it is in this process.
    pub(in crate::actor) fn target(&self) -> Option<(&Target, SealFor<M>)> {
        match &self.to {
            To::Here { target, seal } => Some((target, *seal)),
            #[cfg(feature = "remote")]
            To::Far { .. } => None,
        }
    }

    /// Sends, waiting for a slot.
    pub(in crate::actor) fn poll(
        &mut self,
        sending: Pin<&mut Sending<M>>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), TellError<M>>> {
        let watch = self.watch;
        match &mut self.to {
            To::Here { target, seal } => {
                let seal = *seal;
                with_parts(sending, target, watch, |parts| parts.poll_tell(seal, cx))
            }
            #[cfg(feature = "remote")]
            To::Far { to, tell } => {
                let begun = match (&mut *tell, sending.bypass()) {
                    (Some(begun), _) => begun,
                    (none, Some(message)) => none.insert(to.tell(message)),
                    (None, None) => return Poll::Ready(Ok(())),
                };
                let told = std::task::ready!(begun.poll(cx));
                *tell = None;
                Poll::Ready(told)
            }
        }
    }

    /// Takes the message back, unless it was accepted.
    pub(in crate::actor) fn give_up(
        &mut self,
        sending: Pin<&mut Sending<M>>,
        refusal: Refusal,
    ) -> Result<(), TellError<M>> {
        let watch = self.watch;
        match &mut self.to {
            To::Here { target, .. } => {
                with_parts(sending, target, watch, |parts| parts.fail_tell(refusal))
            }
            #[cfg(feature = "remote")]
            To::Far { to, tell } => match (tell.take(), sending.bypass()) {
                (Some(mut tell), _) => tell.give_up(refusal),
                (None, Some(message)) => Err(TellError::new(to.identity(), refusal, message)),
                (None, None) => Ok(()),
            },
        }
    }

    /// As [`Telling::give_up`].
    pub(in crate::actor) fn cancel(&mut self, sending: Pin<&mut Sending<M>>) -> Option<M> {
        match &mut self.to {
            To::Here { .. } => sending.cancel(),
            #[cfg(feature = "remote")]
            To::Far { tell, .. } => match tell.take() {
                Some(mut tell) => tell.cancel(),
                None => sending.bypass(),
            },
        }
    }

    pub(in crate::actor) fn try_tell(&self, message: M) -> Result<(), TellError<M>> {
        match &self.to {
            To::Here { target, seal } => try_tell(Sending::new(message), &target.0, *seal),
            #[cfg(feature = "remote")]
            To::Far { to, .. } => to.try_tell(message),
        }
    }
}

/// A tell as an ask without a reply.
fn with_parts<M: Send + 'static, R>(
    sending: Pin<&mut Sending<M>>,
    target: &Target,
    watch: Watch,
    f: impl FnOnce(&mut Parts<'_, M>) -> R,
) -> R {
    f(&mut Parts {
        receiver: &mut Receiver::none(),
        accepted: &mut false,
        watch,
        sending,
        target: &target.0,
    })
}
