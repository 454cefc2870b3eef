//! Groups of actors of one type, whose members leave at their ends.

mod changes;
mod groups;
mod members;
#[cfg(all(test, feature = "macros"))]
mod tests;

use std::fmt;
use std::sync::Arc;

pub use changes::{Change, Changes};
use groups::Groups;
use members::Members;

use crate::actor::{Declared, ExitReason, Handle, Handler, Identity, Local, TellError, WeakHandle};
use crate::exec::Executor;
use crate::exec::runtime::NoRuntime;

/// The group of this name, for actors of this type, of the current runtime.
///
/// Whoever gives the same name and type gets the same group. It lasts while it has members, or
/// somebody has it.
///
/// ```
/// use greenroom::{actor, group};
///
/// #[actor]
/// struct Worker { done: u32 }
///
/// #[actor]
/// impl Worker {
///     #[message(derive(Clone))]
///     fn work(&mut self, n: u32) { self.done += n; }
///     fn done(&self) -> u32 { self.done }
/// }
///
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// let workers: Vec<_> = (0..3).map(|_| Worker { done: 0 }.spawn()).collect();
/// for worker in &workers {
///     group::<Worker>("workers").join(worker)?;
/// }
/// let report = group::<Worker>("workers").broadcast(WorkerWork { n: 5 });
/// assert_eq!(report.reached.len(), 3);
/// assert_eq!(workers[1].done().await?, 5);
/// # Ok(()) }
/// ```
///
/// # Panics
///
/// Outside a tokio runtime; see [`Group::try_named`].
#[must_use]
#[track_caller]
pub fn group<A: Declared>(name: impl Into<Arc<str>>) -> Group<A> {
    match Group::try_named(name) {
        Ok(group) => group,
        Err(error) => panic!("greenroom::group: {error}"),
    }
}

/// Actors of one type that are spoken to together.
///
/// Members may be of any runtime. The group keeps none of them running: one leaves when it ends,
/// before who joins is told, and is passed over once its last handle has gone. A restart in place
/// changes nothing.
pub struct Group<A>(Arc<Members<A>>);

impl<A: Declared> Group<A> {
    /// A group without a name, for who is given it.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(Members::new(None)))
    }

    /// As [`group`].
    ///
    /// # Errors
    ///
    /// Outside a tokio runtime.
    pub fn try_named(name: impl Into<Arc<str>>) -> Result<Self, NoRuntime> {
        Executor::with_current(|executor| {
            let groups = executor.extension::<Groups>();
            Self(groups.find(name.into()))
        })
    }

    /// Adds the actor. False if it is a member already.
    ///
    /// # Errors
    ///
    /// When the actor has ended.
    pub fn join(&self, member: &Handle<A>) -> Result<bool, GroupError> {
        self.0.join(member).map_err(GroupError)
    }

    /// Takes the actor out. False if it was no member.
    pub fn leave(&self, member: &Handle<A>) -> bool {
        self.0.leave(member.id())
    }

    /// The members at this moment, in the order in which they have joined.
    #[must_use]
    pub fn members(&self) -> Vec<A::Handle<Local>> {
        let members = self.0.list();
        members.iter().filter_map(WeakHandle::upgrade).collect()
    }

    /// Whether the actor is a member.
    #[must_use]
    pub fn contains(&self, member: &Handle<A>) -> bool {
        self.0.contains(member.id())
    }

    /// How many members there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no member.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Tells each member, without waiting: one that has no room, or takes no more, keeps no other
    /// from its message. The report hands back what was not accepted.
    ///
    /// What one task broadcasts comes to each member in order. To wait for room, tell the
    /// [members](Self::members) one by one; for their replies, use
    /// [`ask_all`](crate::ask_all).
    ///
    /// ```
    /// # use greenroom::{Group, actor};
    /// # #[actor] struct Worker;
    /// # #[actor] impl Worker { #[message(derive(Clone))] fn work(&mut self, n: u32) {} }
    /// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
    /// # let (workers, worker) = (Group::new(), Worker.spawn());
    /// # workers.join(&worker)?;
    /// for error in workers.broadcast(WorkerWork { n: 5 }).refused {
    ///     println!("{error}"); // says who
    ///     let message = error.into_message();
    /// }
    /// # Ok(()) }
    /// ```
    pub fn broadcast<M>(&self, message: M) -> Broadcast<M>
    where
        A: Handler<M>,
        M: Clone + Send + 'static,
    {
        let members = self.members();
        Broadcast::to(members.iter().map(|member| &**member), message)
    }

    /// The members now, and all changes from now on, in order and without a gap between.
    ///
    /// ```
    /// # use greenroom::{Change, Group, actor};
    /// # #[actor] struct Worker;
    /// # #[actor] impl Worker {}
    /// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
    /// # let workers = Group::new();
    /// let (members, mut changes) = workers.watch();
    /// assert!(members.is_empty());
    /// # let worker = Worker.spawn();
    /// workers.join(&worker)?;
    /// worker.shutdown().await;
    /// assert!(matches!(changes.next().await, Change::Joined(_)));
    /// assert!(matches!(changes.next().await, Change::Left(who) if who.id() == worker.id()));
    /// # Ok(()) }
    /// ```
    pub fn watch(&self) -> (Vec<WeakHandle<A>>, Changes<A>) {
        let (members, ticket) = self.0.watch();
        (members, Changes::new(Arc::clone(&self.0), ticket))
    }
}

/// What has become of a broadcast, by member.
#[derive(Debug)]
#[non_exhaustive]
pub struct Broadcast<M> {
    /// Who has accepted it, in the order in which they have joined.
    pub reached: Vec<Identity>,
    /// Who has not, and why; the message is handed back.
    pub refused: Vec<TellError<M>>,
}

impl<M: Clone + Send + 'static> Broadcast<M> {
    pub(crate) fn to<'h, A: Handler<M>>(
        actors: impl ExactSizeIterator<Item = &'h Handle<A>>,
        message: M,
    ) -> Self {
        let mut report = Self {
            reached: Vec::with_capacity(actors.len()),
            refused: Vec::new(),
        };
        let mut actors = actors.peekable();
        let mut message = Some(message);
        while let Some(actor) = actors.next() {
            let own = match actors.peek() {
                Some(_) => message.clone(),
                None => message.take(),
            };
            let Some(own) = own else { break };
            match actor.try_tell(own) {
                Ok(()) => report.reached.push(actor.identity()),
                Err(error) => report.refused.push(error),
            }
        }
        report
    }
}

/// An actor that did not join a group, for it has ended.
#[derive(Clone, Debug)]
pub struct GroupError(ExitReason);

impl GroupError {
    /// Why it ended.
    #[must_use]
    pub fn reason(&self) -> &ExitReason {
        &self.0
    }
}

impl fmt::Display for GroupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the actor has ended: {}", self.0)
    }
}

impl std::error::Error for GroupError {}

impl From<GroupError> for crate::error::Error {
    fn from(error: GroupError) -> Self {
        Self::new(error)
    }
}

impl<A: Declared> Default for Group<A> {
    fn default() -> Self {
        Self::new()
    }
}

impl<A> Clone for Group<A> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// The same members, not members that are equal.
impl<A> PartialEq for Group<A> {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<A> Eq for Group<A> {}

impl<A> fmt::Debug for Group<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_tuple("Group");
        if let Some(name) = self.0.name() {
            debug.field(&name);
        }
        debug.field(&self.0.identities()).finish()
    }
}
