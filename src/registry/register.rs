//! Getting a name, and giving it up.

use std::fmt;
use std::sync::Arc;

use super::error::RegisterError;
use super::table::{Claim, Table};
use crate::actor::{Actor, Builder, Handle, SpawnErrorKind};
use crate::ending::Order;
use crate::supervise::Child;

/// The right to a name that an actor got by [`Handle::register`].
///
/// Dropped, it changes nothing: the actor has the name until its end.
#[derive(Clone)]
pub struct Registration(Claim);

impl Registration {
    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Whether the actor still has the name by this registration.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.0.table.holds(&self.0)
    }

    /// Gives the name up. False if that was done before, or the actor has ended; then the name, if
    /// it is another's now, stays that one's.
    pub fn unregister(&self) -> bool {
        self.0.table.give_up(&self.0)
    }
}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Registration").field(&self.0.name).finish()
    }
}

/// A name that was taken for an actor which does not have it yet: given up if that never comes.
struct Pending(Option<Claim>);

impl Pending {
    /// R2 and R3.
    fn settle<A: 'static>(mut self, handle: &Handle<A>) -> Result<Claim, RegisterError> {
        let claim = self.0.as_ref().expect("it is settled once");
        let ends = claim.clone();
        let farewell = handle
            .head()
            .on_end(Order::Name, move |_, _| {
                ends.table.give_up(&ends);
            })
            .map_err(RegisterError::Ended)?;
        if !claim.table.publish(claim, handle.downgrade(), farewell) {
            // The farewell was said meanwhile.
            return Err(RegisterError::Ended(handle.head().refusal()));
        }
        Ok(self.0.take().expect("it is settled once"))
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let Some(claim) = &self.0 {
            claim.table.give_up(claim);
        }
    }
}

impl<A: 'static> Handle<A> {
    /// Gives the actor a name in the registry of its runtime, until its end. It may have several.
    ///
    /// Names outlive restarts: a start hook that registers finds the name taken, the second time,
    /// by the actor itself. A supervisor's child is best named from outside, by its handle.
    ///
    /// ```
    /// # use greenroom::{Context, actor, registry};
    /// # #[actor] struct Leader;
    /// #[actor]
    /// impl Leader {
    ///     /// Stands in for the old leader.
    ///     fn take_over(&mut self, ctx: &mut Context<Self>) -> Result<(), greenroom::Error> {
    ///         ctx.handle().register("leader")?;
    ///         Ok(())
    ///     }
    /// }
    /// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
    /// # let leader = Leader.spawn();
    /// leader.take_over().await?;
    /// assert_eq!(registry().get::<Leader>("leader")?, leader);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When the name is taken, or when the actor has ended.
    pub fn register(&self, name: impl Into<Arc<str>>) -> Result<Registration, RegisterError> {
        let name = name.into();
        let table = self.head().extension::<Table>();
        match table.claim(&name, self.identity()) {
            Ok(claim) => Pending(Some(claim)).settle(self).map(Registration),
            Err(by) => Err(RegisterError::Taken { name, by }),
        }
    }
}

impl<A: Actor> Builder<A> {
    /// Spawns it under a name of the runtime's [`registry`](fn@crate::registry), or not at all: the
    /// spawn then fails with [`SpawnErrorKind::NameTaken`], and hands the actor back.
    ///
    /// The actor has the name before its start hook runs, and until its end. It is its name in
    /// errors and spans too, unless [`Builder::name`] says another.
    ///
    /// ```
    /// # use greenroom::{Builder, SpawnErrorKind, actor, registry};
    /// # #[actor] struct Counter { count: u64 }
    /// # #[actor] impl Counter { fn get(&self) -> u64 { self.count } }
    /// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
    /// let counter = Builder::new(Counter { count: 7 }).register("visits").spawn();
    /// let second = Builder::new(Counter { count: 8 }).register("visits").try_spawn();
    /// let error = second.unwrap_err();
    /// let taken = SpawnErrorKind::NameTaken { by: counter.identity() };
    /// assert_eq!(error.kind(), taken);
    /// assert_eq!(error.into_actor().count, 8);
    /// # Ok(()) }
    /// ```
    pub fn register(self, name: impl Into<Arc<str>>) -> Self {
        let name = name.into();
        let called = Arc::clone(&name);
        self.claim(called, move |executor, identity| {
            let table = executor.extension::<Table>();
            let claim = table.claim(&name, identity.clone());
            let claim = claim.map_err(|by| SpawnErrorKind::NameTaken { by })?;
            let pending = Pending(Some(claim));
            // An actor that has ended by now has no name, as it should.
            Ok(Box::new(move |handle: &Handle<A>| {
                drop(pending.settle(handle))
            }))
        })
    }
}

impl<A: Actor> Child<A> {
    /// Has it under a name of the runtime's [`registry`](fn@crate::registry): from before it starts
    /// until it ends for good, through all its restarts. It is its name in errors and spans too,
    /// unless [`Child::name`] says another.
    ///
    /// While another has the name, its start fails, which counts as any failure of a start.
    ///
    /// ```
    /// # use greenroom::{Child, Supervisor, actor, registry};
    /// # #[actor] struct Counter { count: u64 }
    /// # #[actor] impl Counter {
    /// #     fn add(&mut self, n: u64) { self.count = self.count.checked_add(n).unwrap() }
    /// # }
    /// # #[greenroom::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let visits = Child::new(|| Counter { count: 1 }).register("visits");
    /// let supervisor = Supervisor::builder().child(visits).spawn();
    /// let visits = registry().wait_for::<Counter>("visits").await?;
    /// assert!(visits.add(u64::MAX).await.is_err()); // it panics, and is restarted
    /// assert_eq!(registry().get::<Counter>("visits")?, visits);
    /// # drop(supervisor);
    /// # Ok(()) }
    /// ```
    pub fn register(self, name: impl Into<Arc<str>>) -> Self {
        let name = name.into();
        self.dress(move |builder| builder.register(Arc::clone(&name)))
    }
}
