//! The handle of a supervisor.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use super::desk::Order;
use super::error::{ChildError, ChildKey};
use super::spec::Supervised;
use super::supervisor::{Add, AwaitLaunch, Command, Find, List, Supervisor};
use super::tree::{ChildInfo, ChildState, Listing, Tree, Twig};
use crate::actor::{Actor, AskError, Declared, Local, Route};

/// Handle to a running [`Supervisor`]. It derefs to [`Handle`](crate::Handle): `stop` stops the
/// children first.
///
/// Of a supervisor that nobody supervises it is what keeps it running.
pub struct SupervisorHandle<R: Route = Local>(R::Handle<Supervisor>);

impl<R: Route> SupervisorHandle<R> {
    pub(super) fn wrap(raw: R::Handle<Supervisor>) -> Self {
        Self(raw)
    }
}

/// What can be asked of a supervisor. Each is an ask: it waits for a slot of its mailbox, and
/// dropping it before that withdraws it.
impl SupervisorHandle {
    /// Adds a child after all others, and starts it. Gives its handle: what is sent before it has
    /// started waits in its mailbox.
    ///
    /// ```
    /// # use greenroom::{Child, Restart, Supervisor, actor};
    /// # #[actor] struct Session { user: u32 }
    /// # #[actor] impl Session { fn user(&self) -> u32 { self.user } }
    /// # #[greenroom::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), greenroom::Error> {
    /// let sessions = Supervisor::builder().name("sessions").spawn();
    /// let child = Child::new(|| Session { user: 7 }).restart(Restart::Temporary);
    /// let session = sessions.add(child).await?;
    /// assert_eq!(session.user().await?, 7);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// [`AskError::Handler`] with a [`ChildError`] when it is not added.
    pub async fn add<C: Supervised>(
        &self,
        child: C,
    ) -> Result<<C::Actor as Declared>::Handle<Local>, AskError<ChildError>> {
        let handle = self.0.ask(Add::new(child.into_parts())).await?;
        Ok(C::Actor::wrap::<Local>(handle))
    }

    /// The handle of a child.
    ///
    /// # Errors
    ///
    /// [`AskError::Handler`] with a [`ChildError`]: there is no such child, it is of another type,
    /// or it was terminated.
    pub async fn child<A: Actor>(
        &self,
        key: impl Into<ChildKey>,
    ) -> Result<A::Handle<Local>, AskError<ChildError>> {
        let handle = self.0.ask(Find::new(key.into())).await?;
        Ok(A::wrap::<Local>(handle))
    }

    /// Stops a child within its limit, and waits for its end. It stays a child, without an actor,
    /// until it is restarted or deleted; a temporary one does not.
    ///
    /// # Errors
    ///
    /// [`AskError::Handler`] with a [`ChildError`]: there is no such child, or the supervisor ends.
    pub async fn terminate(&self, key: impl Into<ChildKey>) -> Result<(), AskError<ChildError>> {
        self.command(Order::Terminate, key.into()).await
    }

    /// Starts a child again, whether it runs or not, and waits until it has started. That does not
    /// count as a failure, and does not touch others.
    ///
    /// One that runs ends what it is doing first, within its limit; its handles and its queue stay.
    /// One that was terminated gets another actor.
    ///
    /// # Errors
    ///
    /// [`AskError::Handler`] with a [`ChildError`]: there is no such child, or it ends for good
    /// meanwhile, or the supervisor does.
    pub async fn restart(&self, key: impl Into<ChildKey>) -> Result<(), AskError<ChildError>> {
        self.command(Order::Restart, key.into()).await
    }

    /// Forgets a child that was terminated, and drops what its factory owns.
    ///
    /// # Errors
    ///
    /// [`AskError::Handler`] with a [`ChildError`]: there is no such child, it was not terminated,
    /// or the supervisor ends.
    pub async fn delete(&self, key: impl Into<ChildKey>) -> Result<(), AskError<ChildError>> {
        self.command(Order::Delete, key.into()).await
    }

    async fn command(&self, order: Order, key: ChildKey) -> Result<(), AskError<ChildError>> {
        self.0.ask(Command { order, key }).await
    }

    /// Waits until all children that it was built with have started, but for those that failed and
    /// wait for another try.
    ///
    /// # Errors
    ///
    /// When it ends before.
    pub async fn wait_launched(&self) -> Result<(), AskError> {
        self.0.ask(AwaitLaunch).await
    }

    /// Its children, in the order of their starts.
    ///
    /// # Errors
    ///
    /// When it has ended, or is about to.
    pub async fn children(&self) -> Result<Vec<ChildInfo>, AskError> {
        let listing = self.0.ask(List).await?;
        Ok(listing.twigs.into_iter().map(|twig| twig.info).collect())
    }

    /// Its children, and theirs, to any depth. What ends meanwhile is shown without children.
    ///
    /// # Errors
    ///
    /// When it has ended, or is about to.
    pub async fn tree(&self) -> Result<Tree, AskError> {
        let listing = self.0.ask(List).await?;
        let root = ChildInfo {
            name: self.0.name().to_owned(),
            actor: Some(self.0.identity()),
            state: ChildState::Up(listing.up),
            restarts: self.0.incarnation().saturating_sub(1),
            last_failure: None,
        };
        Ok(grow(root, listing).await)
    }
}

/// Asks a supervisor's supervisors, and so on. One that does not answer has no children to show.
async fn grow(root: ChildInfo, listing: Listing) -> Tree {
    let mut children = Vec::new();
    for Twig { info, supervisor } in listing.twigs {
        let below = match &supervisor {
            Some(supervisor) => supervisor.ask(List).await.ok(),
            None => None,
        };
        children.push(match below {
            Some(listing) => Box::pin(grow(info, listing)).await,
            None => Tree {
                root: info,
                children: Vec::new(),
            },
        });
    }
    Tree { root, children }
}

impl<R: Route> Deref for SupervisorHandle<R> {
    type Target = R::Handle<Supervisor>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl<R: Route> Clone for SupervisorHandle<R> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<R: Route> PartialEq for SupervisorHandle<R> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<R: Route> Eq for SupervisorHandle<R> {}

impl<R: Route> Hash for SupervisorHandle<R> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl<R: Route> fmt::Debug for SupervisorHandle<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
