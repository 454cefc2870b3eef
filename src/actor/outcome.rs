//! What a reply slot carries: the reply, or why there is none.

use super::dead_letters::HandedBack;
use super::error::{AskError, Interrupted};
use super::exit::ExitReason;
use super::identity::Identity;
use crate::reply::Answer;

/// What a reply slot carries: the reply, or why there is none. The asker knows whom it asked, so
/// the slot says so only where there is a choice.
pub(crate) struct Outcome<T, E>(pub(crate) Result<T, Setback<E>>);

/// Why there is no reply.
pub(crate) enum Setback<E> {
    Handler(E),
    NotHandled(HandedBack),
    Interrupted(Option<ExitReason>),
    /// The same, by another actor than was asked.
    Elsewhere(Box<Interrupted>),
}

impl<E> Setback<E> {
    pub(crate) fn elsewhere(actor: Identity, reason: ExitReason) -> Self {
        Self::Elsewhere(Box::new(Interrupted::new(actor, Some(reason))))
    }

    /// Apart, so that whoever has a reply need not pass by.
    #[inline(never)]
    fn into_error(self, actor: impl FnOnce() -> Identity) -> AskError<E> {
        match self {
            Self::Handler(error) => AskError::Handler(error),
            Self::NotHandled(message) => message.into_error(),
            Self::Interrupted(reason) => AskError::Interrupted(Interrupted::new(actor(), reason)),
            Self::Elsewhere(interrupted) => AskError::Interrupted(*interrupted),
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
