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
}

impl<T: Send + 'static, E: Send + 'static> Answer for Outcome<T, E> {
    fn orphaned() -> Self {
        Self(Err(Setback::Interrupted(None)))
    }
}

impl<T, E> Outcome<T, E> {
    pub(crate) fn into_result(self, actor: impl FnOnce() -> Identity) -> Result<T, AskError<E>> {
        self.0.map_err(|setback| match setback {
            Setback::Handler(error) => AskError::Handler(error),
            Setback::NotHandled(refusal, message) => AskError::refused(actor(), refusal, message),
            Setback::Interrupted(reason) => {
                AskError::Interrupted(Interrupted::new(actor(), reason))
            }
        })
    }
}
