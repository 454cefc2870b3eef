//! What a reply slot carries: the reply, or why there is none.

use super::error::{AnyMessage, AskError, Interrupted, Refusal};
use super::exit::ExitReason;
use super::identity::Identity;
use crate::reply::Answer;

/// What a reply slot carries: the reply, or why there is none. The asker knows whom it asked, so
/// the slot does not say.
pub(crate) struct Outcome<T, E>(pub(crate) Result<T, Setback<E>>);

/// Why there is no reply.
pub(crate) enum Setback<E> {
    Handler(E),
    NotHandled(Refusal, AnyMessage),
    Interrupted(Option<ExitReason>),
    /// What has become of it with another actor than was asked.
    Elsewhere(Box<Elsewhere>),
}

/// What has become of an ask that was forwarded.
pub(crate) struct Elsewhere {
    actor: Identity,
    mishap: Mishap,
}

enum Mishap {
    NotHandled(Refusal, AnyMessage),
    Interrupted(ExitReason),
}

impl Elsewhere {
    pub(crate) fn not_handled<E>(
        actor: Identity,
        refusal: Refusal,
        message: AnyMessage,
    ) -> Setback<E> {
        let mishap = Mishap::NotHandled(refusal, message);
        Setback::Elsewhere(Box::new(Self { actor, mishap }))
    }

    pub(crate) fn interrupted<E>(actor: Identity, reason: ExitReason) -> Setback<E> {
        let mishap = Mishap::Interrupted(reason);
        Setback::Elsewhere(Box::new(Self { actor, mishap }))
    }

    fn into_error<E>(self) -> AskError<E> {
        match self.mishap {
            Mishap::NotHandled(refusal, message) => AskError::refused(self.actor, refusal, message),
            Mishap::Interrupted(reason) => {
                AskError::Interrupted(Interrupted::new(self.actor, Some(reason)))
            }
        }
    }
}

impl<E> Setback<E> {
    /// Apart, so that whoever has a reply need not pass by.
    #[inline(never)]
    fn into_error(self, actor: impl FnOnce() -> Identity) -> AskError<E> {
        match self {
            Self::Handler(error) => AskError::Handler(error),
            Self::NotHandled(refusal, message) => AskError::refused(actor(), refusal, message),
            Self::Interrupted(reason) => AskError::Interrupted(Interrupted::new(actor(), reason)),
            Self::Elsewhere(elsewhere) => elsewhere.into_error(),
        }
    }

    /// The message, if it was not handled.
    pub(crate) fn into_message(self) -> Option<AnyMessage> {
        match self {
            Self::NotHandled(_, message) => Some(message),
            Self::Elsewhere(elsewhere) => match elsewhere.mishap {
                Mishap::NotHandled(_, message) => Some(message),
                Mishap::Interrupted(_) => None,
            },
            Self::Handler(_) | Self::Interrupted(_) => None,
        }
    }
}

impl<T: Send + 'static, E: Send + 'static> Answer for Outcome<T, E> {
    fn orphaned() -> Self {
        Self(Err(Setback::Interrupted(None)))
    }
}

impl<T, E> Outcome<T, E> {
    #[inline]
    pub(crate) fn into_result(self, actor: impl FnOnce() -> Identity) -> Result<T, AskError<E>> {
        self.0.map_err(|setback| setback.into_error(actor))
    }
}
