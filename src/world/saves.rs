//! Savepoints of supervised actors: restarts that lose what came after the last one, and no more.

use std::fmt;
use std::sync::Arc;

use super::entry::Value;
use crate::actor::{Actor, Builder, Context, Factory};
use crate::supervise::Child;
use crate::sync::Mutex;

/// The last savepoint of an actor, by which it is restarted.
///
/// The actor says when its state is worth coming back to, by [`SavesState::save`]. A child or an
/// actor that is made here begins, and begins again after each failure, with what was saved last.
/// Cheap to clone; all clones are one.
///
/// ```
/// use greenroom::world::{Saves, SavesState};
/// use greenroom::{Context, Supervisor, actor};
///
/// #[actor]
/// #[derive(Clone)]
/// struct Import {
///     rows: u64,
/// }
///
/// #[actor]
/// impl Import {
///     fn take(&mut self, row: String, ctx: &mut Context<Self>) -> u64 {
///         self.rows += 1;
///         assert!(!row.is_empty(), "no row");
///         ctx.save(self);
///         self.rows
///     }
/// }
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), greenroom::Error> {
/// let saves = Saves::new(Import { rows: 0 });
/// let supervisor = Supervisor::builder().child(saves.child().name("import")).spawn();
/// let import = supervisor.child::<Import>("import").await?;
/// import.take("a".into()).await?;
/// assert!(import.take(String::new()).await.is_err()); // it is restarted
/// assert_eq!(import.take("b".into()).await?, 2); // as of the first row
/// assert_eq!(saves.last().rows, 2);
/// # Ok(()) }
/// ```
pub struct Saves<A>(Arc<Slot<A>>);

struct Slot<A>(Mutex<Arc<A>>);

impl<A> Slot<A> {
    fn get(&self) -> Arc<A> {
        Arc::clone(&self.0.lock())
    }

    fn put(&self, state: A) {
        let before = std::mem::replace(&mut *self.0.lock(), Arc::new(state));
        // Code of users: at the end, without the lock.
        drop(before);
    }
}

impl<A: Actor + Value> Saves<A> {
    /// Begins with this state.
    #[must_use]
    pub fn new(first: A) -> Self {
        Self(Arc::new(Slot(Mutex::new(Arc::new(first)))))
    }

    /// A child of a supervisor, whose state is what was saved last.
    pub fn child(&self) -> Child<A> {
        let slot = Arc::clone(&self.0);
        Child::new(move || A::clone(&slot.get())).within(self.0.clone())
    }

    /// An actor to be spawned, whose state is what was saved last, also after each
    /// [restart](crate::Handle::restart).
    pub fn builder(&self) -> Builder<A> {
        let slot = Arc::clone(&self.0);
        let again = move || std::future::ready(Ok(A::clone(&slot.get())));
        Builder::new(self.last())
            .rebuilt_by(Factory::new(again))
            .within(self.0.clone(), false)
    }

    /// What was saved last, or what it began with.
    #[must_use]
    pub fn last(&self) -> A {
        A::clone(&self.0.get())
    }

    /// Has it begin with another state, from the next restart on.
    pub fn set(&self, state: A) {
        self.0.put(state);
    }
}

/// Lets an actor save its state.
pub trait SavesState<A> {
    /// Makes a savepoint: a restart goes on with a clone of this state. False, and nothing is
    /// saved, if the actor was not made by [`Saves`]; those in a [`Stage`](super::Stage) have the
    /// savepoints of their world.
    fn save(&self, state: &A) -> bool;
}

impl<A: Actor + Value> SavesState<A> for Context<A> {
    fn save(&self, state: &A) -> bool {
        let slot = self
            .place()
            .and_then(|place| place.downcast_ref::<Slot<A>>());
        match slot {
            Some(slot) => {
                slot.put(state.clone());
                true
            }
            None => false,
        }
    }
}

impl<A> Clone for Saves<A> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<A> fmt::Debug for Saves<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Saves").finish_non_exhaustive()
    }
}
