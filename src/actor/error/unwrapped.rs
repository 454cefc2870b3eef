//! Errors of messages that were sent inside of others.

use super::{AnyMessage, AskError, NotHandled, TellError};

impl<M> TellError<M> {
    /// The same about the message that this one was made of.
    pub(crate) fn unwrap_message<N>(self, unwrap: impl FnOnce(M) -> N) -> TellError<N> {
        let message = unwrap(self.message.into_inner());
        TellError::new(self.actor, self.refusal, message)
    }
}

impl<E> AskError<E> {
    /// The same about the message that this one, of type `M`, was made of.
    pub(crate) fn unwrap_message<M: 'static, N: Send + 'static>(
        self,
        unwrap: impl FnOnce(M) -> N,
    ) -> Self {
        match self {
            Self::NotHandled(NotHandled {
                actor,
                refusal,
                message,
            }) => {
                let message = match message.into_inner().downcast::<M>() {
                    Ok(message) => Box::new(unwrap(*message)) as AnyMessage,
                    Err(message) => message,
                };
                Self::refused(actor, refusal, message)
            }
            other => other,
        }
    }
}
