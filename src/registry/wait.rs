//! Waiting for a name.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::Registry;
use super::error::LookupError;
use super::table::Look;
use crate::actor::{Declared, Local};
use crate::contain::contain;

/// Waits until an actor has the name. Made by [`Registry::wait_for`].
///
/// # Errors
///
/// As [`Registry::get`], but for [`LookupError::NotFound`], which it waits for to pass.
///
/// # Cancel safety
///
/// Dropped at any time, it leaves nothing behind.
#[must_use = "it does nothing until it is awaited"]
pub struct WaitFor<A> {
    registry: Registry,
    name: Arc<str>,
    /// Under which a waker stands in the table.
    ticket: Option<u64>,
    _actor: PhantomData<fn() -> A>,
}

impl<A> WaitFor<A> {
    pub(super) fn new(registry: Registry, name: Arc<str>) -> Self {
        Self {
            registry,
            name,
            ticket: None,
            _actor: PhantomData,
        }
    }
}

impl<A: Declared> Future for WaitFor<A> {
    type Output = Result<A::Handle<Local>, LookupError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = &mut *self;
        let Some(table) = &this.registry.0 else {
            return Poll::Ready(Err(LookupError::NoRuntime));
        };
        let mut waker = Some(cx.waker().clone());
        // The number of the claim of one that can't be reached any more.
        let mut gone = 0;
        let found = loop {
            match table.look_or_wait::<A>(&this.name, gone, &mut this.ticket, &mut waker) {
                Look::Actor(_, serial) if serial == gone => break None,
                Look::Nobody => break None,
                Look::Actor(weak, serial) => match weak.upgrade() {
                    Some(handle) => break Some(Ok(handle)),
                    None => gone = serial,
                },
                look => break Some(this.registry.found(&this.name, look)),
            }
        };
        contain(|| drop(waker));
        found.map_or(Poll::Pending, Poll::Ready)
    }
}

impl<A> Drop for WaitFor<A> {
    fn drop(&mut self) {
        if let (Some(table), Some(ticket)) = (&self.registry.0, self.ticket) {
            let waker = table.leave(&self.name, ticket);
            contain(|| drop(waker));
        }
    }
}

impl<A> fmt::Debug for WaitFor<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WaitFor").field(&self.name).finish()
    }
}
