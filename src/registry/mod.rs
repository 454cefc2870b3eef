//! Names of actors, for each runtime its own.

mod error;
mod register;
mod table;
#[cfg(all(test, feature = "macros"))]
mod tests;
mod wait;

use std::fmt;
use std::sync::Arc;

pub use error::{LookupError, RegisterError};
pub use register::Registration;
use table::{Look, Table};
pub use wait::WaitFor;

use crate::actor::{Declared, Identity, Local};
use crate::exec::Executor;

/// The names of the current runtime's actors.
///
/// An actor gets a name as it is spawned, by [`Builder::register`](crate::Builder::register), or
/// later, by [`Handle::register`](crate::Handle::register).
///
/// ```
/// use greenroom::{Builder, Context, actor, registry};
///
/// #[actor]
/// struct Counter { count: u64 }
///
/// #[actor]
/// impl Counter {
///     fn add(&mut self, n: u64) -> u64 { self.count += n; self.count }
/// }
///
/// #[tokio::main]
/// async fn main() -> Result<(), greenroom::Error> {
///     let counter = Builder::new(Counter { count: 0 }).register("visits").spawn();
///     let same = registry().get::<Counter>("visits")?; // a `CounterHandle`
///     assert_eq!(same.add(1).await?, 1);
///     counter.shutdown().await;
///     assert!(registry().get::<Counter>("visits").is_err()); // the name is free again
///     Ok(())
/// }
/// ```
///
/// Outside a tokio runtime it is one whose look-ups fail with [`LookupError::NoRuntime`].
#[must_use]
pub fn registry() -> Registry {
    Registry(Executor::with_current(Executor::extension).ok())
}

/// The names of a runtime's actors. See [`registry`].
///
/// Who looks up often keeps it, rather than taking it anew: it is cheap to clone.
///
/// # What a name is
///
/// - It has one owner, which many handles may reach. The registry keeps no actor alive.
/// - It is the owner's until that gives it up or has ended, whatever it ends of. It is free before
///   who joins is told of the end: a join may be followed by a spawn under the same name.
/// - A look-up gives the owner at that moment, and a handle stays with its actor: what is sent by
///   it never reaches a later owner of the name. An owner that has been told to stop is still
///   found; what is sent to it is handed back. One whose last handle has gone is not found.
#[derive(Clone)]
pub struct Registry(Option<Arc<Table>>);

impl Registry {
    /// The actor of this name.
    ///
    /// # Errors
    ///
    /// When nobody has the name, when its owner is of another type, or when there is no runtime.
    pub fn get<A: Declared>(&self, name: &str) -> Result<A::Handle<Local>, LookupError> {
        let Some(table) = &self.0 else {
            return Err(LookupError::NoRuntime);
        };
        self.found(name, table.look::<A>(name))
    }

    /// Waits until an actor has this name; it is there at once if one has it now.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use greenroom::{Builder, actor, registry};
    /// # #[actor] struct Store; #[actor] impl Store { fn ping(&self) {} }
    /// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let user = tokio::spawn(async {
    ///     let wait = registry().wait_for::<Store>("store");
    ///     tokio::time::timeout(Duration::from_secs(10), wait).await
    /// });
    /// let store = Builder::new(Store).register("store").spawn();
    /// let found = user.await???;
    /// assert_eq!(found, store);
    /// # Ok(()) }
    /// ```
    pub fn wait_for<A: Declared>(&self, name: impl Into<Arc<str>>) -> WaitFor<A> {
        WaitFor::new(self.clone(), name.into())
    }

    /// Names and their owners, sorted by name: as it was at that moment.
    #[must_use]
    pub fn list(&self) -> Vec<(Arc<str>, Identity)> {
        self.0
            .as_ref()
            .map(|table| table.list())
            .unwrap_or_default()
    }

    fn found<A: Declared>(
        &self,
        name: &str,
        look: Look<A>,
    ) -> Result<A::Handle<Local>, LookupError> {
        let not_found = || LookupError::NotFound { name: name.into() };
        match look {
            Look::Actor(weak, _) => weak.upgrade().ok_or_else(not_found),
            Look::Nobody => Err(not_found()),
            Look::Other(owner, found) => Err(LookupError::WrongType {
                name: name.into(),
                owner,
                found,
                wanted: std::any::type_name::<A>(),
            }),
            Look::Ended => Err(LookupError::RuntimeGone),
        }
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.list()).finish()
    }
}
