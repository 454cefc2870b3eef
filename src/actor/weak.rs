//! A handle that does not keep its actor running.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::ptr::NonNull;

use super::cause::{Cause, close};
use super::cell::Head;
use super::down::AnyActor;
use super::exit::ExitReason;
use super::handle::Handle;
use super::identity::Identity;
use super::route::Local;
use super::strong::Strong;
use super::traits::Declared;
use crate::id::Id;
use crate::task::Unit;

/// A handle that does not keep the actor running. It sends nothing; it can be upgraded.
///
/// ```
/// # use greenroom::{ExitReason, actor};
/// # #[actor] struct Counter { count: u64 }
/// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
/// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let counter = Counter { count: 0 }.spawn();
/// let weak = counter.downgrade();
/// if let Some(counter) = weak.upgrade() {
///     counter.add(1).await?;
/// }
/// drop(counter); // the last strong handle
/// assert!(matches!(weak.join().await, ExitReason::Dropped));
/// assert!(weak.upgrade().is_none());
/// # Ok(()) }
/// ```
pub struct WeakHandle<A> {
    unit: Unit,
    _actor: PhantomData<fn() -> A>,
}

impl<A> WeakHandle<A> {
    pub(super) fn new(unit: Unit) -> Self {
        Self {
            unit,
            _actor: PhantomData,
        }
    }

    fn raw(&self) -> NonNull<Head> {
        self.unit.as_raw().cast()
    }

    pub(super) fn unit(&self) -> &Unit {
        &self.unit
    }

    /// The part of the actor's cell that needs no type.
    pub(crate) fn head(&self) -> &Head {
        // SAFETY: the unit is a cell's, and a count of it.
        unsafe { self.raw().as_ref() }
    }

    pub(super) fn erase(self) -> WeakHandle<AnyActor> {
        WeakHandle::new(self.unit)
    }

    /// Closes the mailbox.
    pub(super) fn close(&self, cause: Cause) {
        // SAFETY: the unit is a count of the cell.
        unsafe { close(self.raw(), cause) }
    }

    /// The actor's id.
    #[must_use]
    pub fn id(&self) -> Id {
        self.head().id()
    }

    /// Name and id.
    #[must_use]
    pub fn identity(&self) -> Identity {
        self.head().identity()
    }

    /// Waits for the end, as [`Handle::join`] does, without keeping the actor from it.
    pub async fn join(&self) -> ExitReason {
        self.head().ending.wait().await
    }
}

impl<A: Declared> WeakHandle<A> {
    /// A strong handle, as long as others exist. After the last has gone there is none: the actor
    /// is ending, or has ended.
    #[must_use]
    pub fn upgrade(&self) -> Option<A::Handle<Local>> {
        // SAFETY: the unit is a count of the cell.
        let strong = unsafe { Strong::upgrade(self.raw()) }?;
        Some(A::wrap::<Local>(Handle::from_strong(strong)))
    }
}

impl<A> Clone for WeakHandle<A> {
    fn clone(&self) -> Self {
        Self::new(self.unit.clone())
    }
}

impl<A> PartialEq for WeakHandle<A> {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

impl<A> Eq for WeakHandle<A> {}

impl<A> Hash for WeakHandle<A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id().hash(state);
    }
}

impl<A> fmt::Debug for WeakHandle<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WeakHandle").field(&self.identity()).finish()
    }
}

// As for `Handle`.
impl<A> UnwindSafe for WeakHandle<A> {}
impl<A> RefUnwindSafe for WeakHandle<A> {}
