//! Messages that a stub was sent.

use std::any::type_name;
use std::fmt;

use super::given::{ByHand, Given};
use crate::actor::ReplyTo;
use crate::actor::envelope::Lifted;
use crate::actor::error::Owned;
use crate::actor::exit::ExitReason;
use crate::actor::origin::Origin;
use crate::actor::traits::Handler;
use crate::actor::weak::WeakHandle;
use crate::error::Error;

/// A message to a stub, of whatever type. Dropped, it tells who asked that there is no reply.
pub struct Letter<A> {
    lifted: Owned<Lifted>,
    name: &'static str,
    cell: WeakHandle<A>,
}

impl<A> Letter<A> {
    pub(super) fn new(lifted: Lifted, cell: WeakHandle<A>) -> Self {
        Self {
            name: lifted.name(),
            lifted: Owned::new(lifted),
            cell,
        }
    }

    /// The name of the message's type.
    #[must_use]
    pub fn message_type(&self) -> &'static str {
        self.name
    }

    /// The message, if it is an `M`, and the right to answer it.
    ///
    /// # Errors
    ///
    /// Gives the letter back when the message is of another type.
    pub fn open<M>(self) -> Result<(M, ReplyTo<Given<A, M>>), Self>
    where
        A: Handler<M>,
        A::Shape: ByHand<A::Reply>,
        M: Send + 'static,
    {
        let origin = Origin::new(self.cell.unit().clone(), type_name::<M>);
        match self.lifted.into_inner().open::<A, M>(origin) {
            Ok((message, way)) => Ok((message, <A::Shape as ByHand<A::Reply>>::by_hand(way))),
            Err(lifted) => Err(Self::new(lifted, self.cell)),
        }
    }
}

impl<A> fmt::Debug for Letter<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Letter").field(&self.name).finish()
    }
}

/// What came in place of the message that was expected.
#[non_exhaustive]
pub enum Unexpected<A> {
    /// Another message.
    Other {
        /// The type that was expected.
        expected: &'static str,
        /// What came.
        letter: Letter<A>,
    },
    /// The end.
    Ended {
        /// The type that was expected.
        expected: &'static str,
        /// Of the end.
        reason: ExitReason,
    },
}

impl<A> Unexpected<A> {
    pub(super) fn other<M>(letter: Letter<A>) -> Self {
        Self::Other {
            expected: type_name::<M>(),
            letter,
        }
    }

    pub(super) fn ended<M>(reason: ExitReason) -> Self {
        Self::Ended {
            expected: type_name::<M>(),
            reason,
        }
    }
}

impl<A> fmt::Display for Unexpected<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Other { expected, letter } => {
                write!(
                    f,
                    "the next message is no {expected}, but a {}",
                    letter.name
                )
            }
            Self::Ended { expected, reason } => {
                write!(f, "there is no {expected}, nor any other message: {reason}")
            }
        }
    }
}

impl<A> fmt::Debug for Unexpected<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl<A> std::error::Error for Unexpected<A> {}

impl<A: 'static> From<Unexpected<A>> for Error {
    fn from(error: Unexpected<A>) -> Self {
        Self::new(error)
    }
}
