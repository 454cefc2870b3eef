//! A circle of waits, as errors and events tell it.

use std::fmt;
use std::sync::Arc;

use crate::actor::identity::Identity;

/// One wait in a circle: who waits, and what it has sent to the next.
#[derive(Clone)]
pub struct Hop {
    actor: Identity,
    handler: Option<fn() -> &'static str>,
    message: fn() -> &'static str,
}

impl Hop {
    pub(super) fn new(
        actor: Identity,
        handler: Option<fn() -> &'static str>,
        message: fn() -> &'static str,
    ) -> Self {
        Self {
            actor,
            handler,
            message,
        }
    }

    /// Whose handler waits.
    #[must_use]
    pub fn actor(&self) -> &Identity {
        &self.actor
    }

    /// The type of the message whose handler waits; `None` for a hook, and where a
    /// [message](Hop::message) waits for handlers of its own actor.
    #[must_use]
    pub fn handler(&self) -> Option<&'static str> {
        self.handler.map(|handler| handler())
    }

    /// The type of the message that it has sent to the next actor of the path, and waits for: for
    /// its answer, or for a slot in that actor's mailbox; or to one that has
    /// [forwarded](crate::Context#forwarding) the ask to that actor. Or of one that this actor
    /// keeps back until its `#[message(reentrant)]` handlers are done, that of the path's next
    /// above all.
    #[must_use]
    pub fn message(&self) -> &'static str {
        (self.message)()
    }
}

impl fmt::Debug for Hop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} -> {}", self.actor, self.message())
    }
}

/// Handlers that wait for each other in a circle: none of them can go on.
///
/// The wait that closed the circle fails with it, so that the others go on.
///
/// ```
/// # use greenroom::{AskError, Context, actor};
/// #[actor]
/// struct Clerk;
///
/// #[actor]
/// impl Clerk {
///     fn ready(&self) -> bool { true }
///     async fn is_ready(&self, ctx: &mut Context<Self>) -> String {
///         // Its own handler runs, so nobody can answer this.
///         let Err(error) = ctx.handle().ready().await else { unreachable!() };
///         error.to_string()
///     }
/// }
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// let text = Clerk.spawn().is_ready().await?;
/// assert!(text.contains("Clerk#") && text.contains("ClerkReady"));
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Deadlock(Arc<[Hop]>);

impl Deadlock {
    pub(super) fn new(circle: Arc<[Hop]>) -> Self {
        debug_assert!(!circle.is_empty(), "a circle has a wait");
        Self(circle)
    }

    /// The waits in their order. The first is the one that fails; the last is for the first's
    /// actor.
    #[must_use]
    pub fn path(&self) -> &[Hop] {
        &self.0
    }

    /// Whom the request that fails was for, or was forwarded to.
    #[must_use]
    pub fn target(&self) -> &Identity {
        &self.0[1 % self.0.len()].actor
    }
}

impl fmt::Display for Deadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a deadlock: ")?;
        for (index, hop) in self.0.iter().enumerate() {
            let next = &self.0[(index + 1) % self.0.len()];
            let comma = if index > 0 { ", " } else { "" };
            let (actor, message) = (&hop.actor, hop.message());
            write!(f, "{comma}{actor}")?;
            if let Some(handler) = hop.handler() {
                write!(f, " in {handler}")?;
            }
            write!(f, " waits for {} with {message}", next.actor)?;
        }
        Ok(())
    }
}

impl fmt::Debug for Deadlock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Deadlock").field(&self.0).finish()
    }
}

impl std::error::Error for Deadlock {}
