//! That an actor has ended, as those hear of it who watch it.

use std::fmt;

use super::exit::ExitReason;
use super::handle::Handle;
use super::identity::Identity;

/// An actor that was watched has ended.
///
/// It comes as a message to an actor that [monitors](crate::Context::monitor) another: without a
/// slot, and after all that the other had sent it. For who is no actor there is
/// [`Ends`](crate::Ends).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Down {
    /// Which actor.
    pub actor: Identity,
    /// Why it ended.
    pub reason: ExitReason,
}

impl Down {
    pub(super) fn new(actor: &Identity, reason: &ExitReason) -> Self {
        Self {
            actor: actor.clone(),
            reason: reason.clone(),
        }
    }
}

impl fmt::Display for Down {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ended: {}", self.actor, self.reason)
    }
}

/// An actor of no matter which type: what an [`AnyHandle`] is of. There are no values of it.
#[derive(Debug)]
pub enum AnyActor {}

/// A handle of an actor of no matter which type. It sends no messages; it does everything else that
/// a handle does.
///
/// ```
/// # use greenroom::{AnyHandle, Handle, actor};
/// # #[actor] struct Reader;
/// # #[actor] impl Reader {}
/// # #[actor] struct Writer;
/// # #[actor] impl Writer {}
/// # #[tokio::main] async fn main() {
/// let all: Vec<AnyHandle> = vec![Reader.spawn().erase(), Writer.spawn().erase()];
/// for actor in &all {
///     println!("{actor:?}: {}", Handle::shutdown(actor).await);
/// }
/// # }
/// ```
pub type AnyHandle = Handle<AnyActor>;

impl<A> Handle<A> {
    /// A handle to the same actor that does not say of what type that is. It counts as any other.
    #[must_use]
    pub fn erase(&self) -> AnyHandle {
        AnyHandle::from_strong(self.target().0.clone())
    }
}
