//! Following a group's changes.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_core::Stream;

use super::members::Members;
use crate::actor::{Identity, WeakHandle};
use crate::contain::contain;

/// A change of a group.
#[non_exhaustive]
pub enum Change<A> {
    /// An actor has joined.
    Joined(WeakHandle<A>),
    /// A member has left, or has ended.
    Left(Identity),
    /// More than [`GROUP_CHANGES`](crate::limits::GROUP_CHANGES) changes were not read, and they
    /// are not told: these are the members now. What follows comes after that.
    Lagged(Vec<WeakHandle<A>>),
}

impl<A> fmt::Debug for Change<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Joined(actor) => f.debug_tuple("Joined").field(actor).finish(),
            Self::Left(identity) => f.debug_tuple("Left").field(identity).finish(),
            Self::Lagged(members) => f.debug_tuple("Lagged").field(members).finish(),
        }
    }
}

/// The changes of a group, in order. Made by [`Group::watch`](crate::Group::watch).
///
/// Dropped, it is gone: the group keeps nothing for it. As a [`Stream`] it never ends.
#[must_use = "changes are kept for it until it is dropped"]
pub struct Changes<A: 'static> {
    members: Arc<Members<A>>,
    ticket: u64,
}

impl<A: 'static> Changes<A> {
    pub(super) fn new(members: Arc<Members<A>>, ticket: u64) -> Self {
        Self { members, ticket }
    }

    /// Waits for the next change.
    ///
    /// Cancel safety: dropped, it loses none.
    pub async fn next(&mut self) -> Change<A> {
        poll_fn(|cx| self.poll_change(cx)).await
    }

    fn poll_change(&mut self, cx: &mut Context<'_>) -> Poll<Change<A>> {
        let mut waker = Some(cx.waker().clone());
        let change = self.members.poll(self.ticket, &mut waker);
        contain(|| drop(waker));
        change.map_or(Poll::Pending, Poll::Ready)
    }
}

impl<A: 'static> Stream for Changes<A> {
    type Item = Change<A>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Change<A>>> {
        self.poll_change(cx).map(Some)
    }
}

impl<A: 'static> Drop for Changes<A> {
    fn drop(&mut self) {
        self.members.unwatch(self.ticket);
    }
}

impl<A: 'static> fmt::Debug for Changes<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changes").finish_non_exhaustive()
    }
}
