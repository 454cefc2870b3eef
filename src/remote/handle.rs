//! The handle of an actor in another process.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::panic::{RefUnwindSafe, UnwindSafe};

use super::by_value::by_value;
use super::carry::Port;
use super::remote_end::RemoteEnd;
use super::route::Remote;
use crate::actor::{Declared, Identity};

/// The handle of an actor in another process, of the type that `#[actor]` made:
/// `CounterHandle<Remote>`, with the same methods.
pub type RemoteHandle<A> = <A as Declared>::Handle<Remote>;

/// What a [`RemoteHandle`] derefs to: it sends, and its session keeps the actor exported.
pub struct Handle<A> {
    port: Port,
    _actor: PhantomData<fn() -> A>,
}

/// The handle of the actor behind a port, which is an `A`.
pub(crate) fn handle_of<A: Declared>(port: Port) -> RemoteHandle<A> {
    A::wrap::<Remote>(Handle {
        port,
        _actor: PhantomData,
    })
}

impl<A> Handle<A> {
    pub(super) fn port(&self) -> &Port {
        &self.port
    }

    /// The name that the actor was looked up by, and an id of this process for it.
    #[must_use]
    pub fn identity(&self) -> Identity {
        self.port.identity().clone()
    }

    /// Waits until the actor has ended, and says why, as far as its node tells; `Unknown` if the
    /// session ends before. It keeps neither running.
    ///
    /// Cancel safety: it may be dropped at any time.
    pub fn ended(&self) -> impl Future<Output = RemoteEnd> + Send + 'static + use<A> {
        self.port.carry().watch()
    }

    /// The name that the actor was looked up by.
    #[must_use]
    pub fn name(&self) -> &str {
        self.port.identity().name()
    }
}

by_value!(Handle, Remote);

impl<A> Clone for Handle<A> {
    fn clone(&self) -> Self {
        Self {
            port: self.port.clone(),
            _actor: PhantomData,
        }
    }
}

impl<A> PartialEq for Handle<A> {
    fn eq(&self, other: &Self) -> bool {
        self.port == other.port
    }
}

impl<A> Eq for Handle<A> {}

impl<A> Hash for Handle<A> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.port.hash(state);
    }
}

impl<A> fmt::Debug for Handle<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Handle").field(&self.port).finish()
    }
}

impl<A> UnwindSafe for Handle<A> {}
impl<A> RefUnwindSafe for Handle<A> {}
