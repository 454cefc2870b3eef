//! Messages that an actor puts aside, to handle them later.

use std::collections::VecDeque;
use std::fmt;

use super::cell::Head;
use super::context::Context;
use super::delegated::Delegated;
use super::envelope::{Stashed, put_aside};
use super::error::Owned;
use super::identity::Identity;
use super::traits::Handler;
use crate::error::Error;
use crate::limits::STASH_MAX;
use crate::mailbox::Accepted;
use crate::sync::Mutex;

/// What an actor has put aside, the oldest first. No user code runs under this lock.
#[derive(Default)]
pub(super) struct Stash(Mutex<VecDeque<Box<dyn Stashed>>>);

/// # Stash
///
/// An actor that can't handle a message now can put it aside, with whoever asked, and take up later
/// what it has put aside: in order, and before all that is queued.
///
/// States are best written as an enum, by which handlers choose:
///
/// ```
/// use greenroom::{Context, Delegated, actor};
///
/// #[actor]
/// struct Store {
///     state: State,
/// }
///
/// enum State {
///     Opening,
///     Open { rows: Vec<String> },
/// }
///
/// #[actor]
/// impl Store {
///     #[on(start)]
///     fn begin(&mut self, ctx: &mut Context<Self>) {
///         let open = async { vec!["a row".to_owned()] };
///         ctx.pipe(open, |rows| StoreOpened { rows: rows.expect("it opens") });
///     }
///
///     fn opened(&mut self, rows: Vec<String>, ctx: &mut Context<Self>) {
///         self.state = State::Open { rows };
///         ctx.unstash();
///     }
///
///     /// A row; asked before the store is open, it comes when that is.
///     fn row(&mut self, n: usize, ctx: &mut Context<Self>) -> Delegated<Option<String>> {
///         match &self.state {
///             State::Open { rows } => Delegated::ready(rows.get(n).cloned()),
///             State::Opening => ctx
///                 .stash(StoreRow { n })
///                 .unwrap_or_else(|_full| Delegated::ready(None)),
///         }
///     }
/// }
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// let store = Store { state: State::Opening }.spawn();
/// assert_eq!(store.row(0).await?.as_deref(), Some("a row"));
/// # Ok(()) }
/// ```
///
/// What is put aside holds no slot. A limit of its asker goes on, and a message whose asker has
/// gone is skipped when its turn comes, like any that is queued.
///
/// What is still put aside when the actor ends goes the way of what is queued then: back to who
/// asked, or it is [`Undelivered`](crate::Undelivered). When the actor is restarted, it is taken up
/// by the next incarnation, before what is queued.
impl<A> Context<A> {
    /// Puts a message aside, with the asker of the message that is being handled. The handler
    /// returns the result, and so its asker waits on. If it is cut short before it does, its asker
    /// is told so, like any, and the message stays put aside: it is handled for nobody.
    ///
    /// # Errors
    ///
    /// When [`STASH_MAX`](crate::limits::STASH_MAX) messages are put aside. The message is handed
    /// back.
    pub fn stash<M, T>(&self, message: M) -> Result<Delegated<T>, StashFull<M>>
    where
        A: Handler<M, Reply = Delegated<T>>,
        M: Send + 'static,
        T: Send + 'static,
    {
        let stash = &self.head().extras_or_make().stash;
        // One handler at a time adds to it.
        if stash.0.lock().len() >= STASH_MAX {
            let actor = self.identity();
            let message = Owned::new(message);
            return Err(StashFull { actor, message });
        }
        let (stashed, heir) = put_aside::<A, M>(message);
        stash.0.lock().push_back(stashed);
        Ok(Delegated::handed(heir))
    }

    /// Takes up all that was put aside: it is handled next, in the order in which it came. Gives
    /// how many messages that are.
    #[allow(clippy::must_use_candidate)] // few care how many
    pub fn unstash(&self) -> usize {
        let (count, accepted) = self.head().unstash();
        if accepted == Accepted::Notify {
            self.unit().notify();
        }
        count
    }

    /// How many messages are put aside.
    #[must_use]
    pub fn stashed(&self) -> usize {
        let extras = self.head().extras();
        extras.map_or(0, |extras| extras.stash.0.lock().len())
    }
}

impl Head {
    /// Moves what was put aside before all that is queued. The caller is the mailbox's consumer.
    pub(super) fn unstash(&self) -> (usize, Accepted) {
        let Some(extras) = self.extras() else {
            return (0, Accepted::Attended);
        };
        let stashed = std::mem::take(&mut *extras.stash.0.lock());
        let count = stashed.len();
        let mut all = Accepted::Attended;
        for message in stashed {
            if message.put_back(self) == Accepted::Notify {
                all = Accepted::Notify;
            }
        }
        (count, all)
    }
}

/// A message that could not be put aside: too many are. It is handed back.
pub struct StashFull<M> {
    actor: Identity,
    message: Owned<M>,
}

impl<M> StashFull<M> {
    /// Whose stash it is.
    #[must_use]
    pub fn actor(&self) -> &Identity {
        &self.actor
    }

    /// The message.
    #[must_use]
    pub fn into_message(self) -> M {
        self.message.into_inner()
    }
}

impl<M> fmt::Display for StashFull<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has {STASH_MAX} messages put aside", self.actor)
    }
}

impl<M> fmt::Debug for StashFull<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StashFull")
            .field("actor", &self.actor)
            .finish_non_exhaustive()
    }
}

impl<M> std::error::Error for StashFull<M> {}

impl<M: Send + 'static> From<StashFull<M>> for Error {
    fn from(error: StashFull<M>) -> Self {
        Self::new(error)
    }
}
