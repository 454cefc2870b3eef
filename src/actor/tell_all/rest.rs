//! What is not accepted yet of many messages, and what is handed back.

use std::collections::VecDeque;
use std::fmt;
use std::iter::{Fuse, FusedIterator};

use crate::actor::envelope::Parcel;
use crate::actor::error::{Owned, Refusal, TellError};
use crate::actor::identity::Identity;
use crate::actor::recipient::Telling;
use crate::actor::sending::note;
use crate::error::Error;
use crate::limits::TELL_BATCH;

/// Messages that are not accepted yet.
pub(super) struct Source<I: Iterator> {
    /// Taken out of the iterator. In front are those that were sealed.
    drawn: VecDeque<Parcel<I::Item>>,
    iter: Fuse<I>,
    pub(super) accepted: usize,
}

impl<I: Iterator<Item: Send + 'static>> Source<I> {
    pub(super) fn new(iter: I) -> Self {
        Self {
            drawn: VecDeque::new(),
            iter: iter.fuse(),
            accepted: 0,
        }
    }

    /// Takes messages out of the iterator. Says whether there are any.
    pub(super) fn draw(&mut self) -> bool {
        let room = TELL_BATCH - self.drawn.len();
        let next = (&mut self.iter).take(room).map(Parcel::Loose);
        self.drawn.extend(next);
        !self.drawn.is_empty()
    }

    /// Moves as many in as go the plain way, now.
    pub(super) fn push_many(&mut self, telling: &Telling<'_, I::Item>) {
        let Some((target, seal)) = telling.target() else {
            return; // one by one
        };
        for parcel in &mut self.drawn {
            parcel.seal_by(seal);
            // None of them is.
            if !parcel.is_plain() {
                return;
            }
        }
        let target = &target.0;
        let mut envelopes = self.drawn.iter_mut().map_while(Parcel::bytes);
        // SAFETY: sealed for the target (E1), and those that went in are forgotten.
        let (count, accepted) = unsafe { target.head().mailbox.push_many(&mut envelopes) };
        self.drawn.drain(..count).for_each(std::mem::forget);
        self.accepted += count;
        note(accepted, target);
    }

    /// The next message.
    pub(super) fn pop(&mut self) -> Option<I::Item> {
        self.drawn.pop_front()?.open()
    }

    pub(super) fn push_front(&mut self, message: I::Item) {
        self.drawn.push_front(Parcel::Loose(message));
    }

    /// What is handed back when the message before these fails.
    pub(super) fn fail(mut self, error: TellError<I::Item>) -> TellAllError<I> {
        let (actor, refusal) = (error.actor().clone(), error.refusal().clone());
        self.push_front(error.into_message());
        TellAllError {
            actor,
            refusal,
            accepted: self.accepted,
            rest: Owned::new(Rest::new(Some(self))),
        }
    }
}

/// Messages that were not accepted, in order: those that were taken out of the iterator, then the
/// iterator itself.
pub struct Rest<I: Iterator>(Option<Source<I>>);

impl<I: Iterator> Rest<I> {
    pub(super) fn new(source: Option<Source<I>>) -> Self {
        Self(source)
    }
}

impl<I: Iterator<Item: Send + 'static>> Iterator for Rest<I> {
    type Item = I::Item;

    fn next(&mut self) -> Option<I::Item> {
        let source = self.0.as_mut()?;
        source.pop().or_else(|| source.iter.next())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let Some(source) = &self.0 else {
            return (0, Some(0));
        };
        let (drawn, (low, high)) = (source.drawn.len(), source.iter.size_hint());
        let high = high.and_then(|high| high.checked_add(drawn));
        (low.saturating_add(drawn), high)
    }
}

impl<I: Iterator<Item: Send + 'static>> FusedIterator for Rest<I> {}

impl<I: Iterator> fmt::Debug for Rest<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rest<{}>", std::any::type_name::<I::Item>())
    }
}

/// Many tells of which one was not accepted. That message, and all after it, are handed back.
pub struct TellAllError<I: Iterator> {
    actor: Identity,
    refusal: Refusal,
    accepted: usize,
    rest: Owned<Rest<I>>,
}

impl<I: Iterator> TellAllError<I> {
    /// Whom the messages were for.
    #[must_use]
    pub fn actor(&self) -> &Identity {
        &self.actor
    }

    /// Why the first that is handed back was not accepted.
    #[must_use]
    pub fn refusal(&self) -> &Refusal {
        &self.refusal
    }

    /// Whether the mailbox had no slot.
    #[must_use]
    pub fn is_full(&self) -> bool {
        matches!(self.refusal, Refusal::Full)
    }

    /// How many messages were accepted: the first ones.
    #[must_use]
    pub fn accepted(&self) -> usize {
        self.accepted
    }

    /// The others, in order.
    pub fn into_messages(self) -> Rest<I> {
        self.rest.into_inner()
    }
}

impl<I: Iterator> fmt::Display for TellAllError<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            actor,
            refusal,
            accepted,
            ..
        } = self;
        write!(
            f,
            "{actor} accepted {accepted} messages, and no more: {refusal}"
        )
    }
}

impl<I: Iterator> fmt::Debug for TellAllError<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TellAllError")
            .field("actor", &self.actor)
            .field("refusal", &self.refusal)
            .field("accepted", &self.accepted)
            .finish_non_exhaustive()
    }
}

impl<I: Iterator> std::error::Error for TellAllError<I> {}

impl<I: Iterator<Item: Send + 'static> + Send + 'static> From<TellAllError<I>> for Error {
    fn from(error: TellAllError<I>) -> Self {
        Self::new(error)
    }
}
