//! What an actor leaves: its state, to who asked for it before its end.

use std::fmt;
use std::sync::Arc;

use super::exit::ExitReason;
use super::handle::Handle;
use super::identity::Identity;
use super::running::{Running, Stage};
use super::traits::Actor;
use crate::error::Error;
use crate::sync::Mutex;

/// Who asked, in the order in which they did. No user code runs under this lock, nor under one of
/// theirs.
#[derive(Default)]
pub(super) struct Estate(Mutex<Vec<Box<dyn Claim>>>);

/// Who asked for the state of an actor.
trait Claim: Send {
    /// Whether somebody still waits.
    fn is_live(&self) -> bool;

    /// Moves the state to who asked. False if that is nobody any more, and nothing was done.
    fn take(&self, running: Running, next: &Stage) -> bool;

    /// It went to another.
    fn lose(&self);
}

/// What has become of a claim.
enum Share<A> {
    Open,
    Given(A),
    Lost,
    /// Nobody waits.
    Gone,
}

struct ClaimTo<A>(Arc<Mutex<Share<A>>>);

impl<A: Actor> Claim for ClaimTo<A> {
    fn is_live(&self) -> bool {
        !matches!(*self.0.lock(), Share::Gone)
    }

    fn take(&self, running: Running, next: &Stage) -> bool {
        let mut share = self.0.lock();
        let is_open = matches!(*share, Share::Open);
        // SAFETY: `Claimant::new`: the claim is on a cell of `A`, which runs it.
        if is_open && let Some(actor) = unsafe { running.take_state(next.clone()) } {
            *share = Share::Given(actor);
        }
        is_open
    }

    fn lose(&self) {
        let mut share = self.0.lock();
        if matches!(*share, Share::Open) {
            *share = Share::Lost;
        }
    }
}

/// Who waits for a state.
struct Claimant<A>(Arc<Mutex<Share<A>>>);

impl<A: Actor> Claimant<A> {
    fn new(handle: &Handle<A>) -> Self {
        let share = Arc::new(Mutex::new(Share::Open));
        let claim = Box::new(ClaimTo(Arc::clone(&share)));
        let mut claims = handle.head().extras_or_make().estate.0.lock();
        // Who has left is not kept.
        claims.retain(|claim| claim.is_live());
        claims.push(claim);
        Self(share)
    }

    fn collect(&self) -> Share<A> {
        std::mem::replace(&mut *self.0.lock(), Share::Gone)
    }
}

impl<A> Drop for Claimant<A> {
    fn drop(&mut self) {
        let share = std::mem::replace(&mut *self.0.lock(), Share::Gone);
        drop(share);
    }
}

impl Running {
    /// Moves the state to who asked for it first and still waits, or drops it, at an end of this
    /// reason. The next stage has none.
    pub(super) fn leave_state(self, next: Stage, reason: &ExitReason) {
        let extras = self.head().extras();
        let claims = extras.map(|extras| std::mem::take(&mut *extras.estate.0.lock()));
        let claims = claims.filter(|_| reason.is_normal()).unwrap_or_default();
        let mut claims = claims.iter();
        match claims.find(|claim| claim.take(self, &next)) {
            Some(_) => claims.for_each(|claim| claim.lose()),
            None => self.drop_state(next),
        }
    }
}

/// # The state
impl<A: Actor> Handle<A> {
    /// Stops the actor, waits for its end, and gives its state, which is not dropped then.
    ///
    /// What was accepted is handled, and the stop hook has run, as with
    /// [`shutdown`](Handle::shutdown). Of several who ask, the first that still waits gets it.
    ///
    /// ```
    /// # use greenroom::actor;
    /// # #[actor] struct Counter { count: u64 }
    /// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
    /// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let counter = Counter { count: 0 }.spawn();
    /// counter.add(7).tell().await?;
    /// let state = counter.join_state().await?;
    /// assert_eq!(state.count, 7);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// When the actor ended otherwise than normally, as by a panic in its stop hook: then its state
    /// was dropped. When it had ended already, or another got the state. When it is
    /// [local](crate::OneThread): then its state was dropped on its thread.
    ///
    /// Cancel safety: the actor is told to stop at the first poll. What is dropped later is only
    /// the wait: the state then goes to who asked next, or is dropped.
    pub async fn join_state(&self) -> Result<A, NoState> {
        let claimant = A::LEAVES.then(|| Claimant::new(self));
        self.stop();
        let reason = self.join().await;
        let cause = match claimant.map(|claimant| claimant.collect()) {
            Some(Share::Given(actor)) => return Ok(actor),
            Some(Share::Lost) => Cause::Lost,
            Some(Share::Open | Share::Gone) => Cause::Ended,
            None => Cause::Stays,
        };
        Err(NoState {
            actor: self.identity(),
            reason,
            cause,
        })
    }
}

/// Why an actor left no state.
#[derive(Clone, Debug)]
pub struct NoState {
    actor: Identity,
    reason: ExitReason,
    cause: Cause,
}

#[derive(Clone, Copy, Debug)]
enum Cause {
    /// It ended as it did.
    Ended,
    /// Another got it.
    Lost,
    /// It does not leave its thread.
    Stays,
}

impl NoState {
    /// Which actor.
    #[must_use]
    pub fn actor(&self) -> &Identity {
        &self.actor
    }

    /// Why it ended.
    #[must_use]
    pub fn reason(&self) -> &ExitReason {
        &self.reason
    }

    /// Whether it left its state to another who asked.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        matches!(self.cause, Cause::Lost)
    }
}

impl fmt::Display for NoState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (actor, reason) = (&self.actor, &self.reason);
        match self.cause {
            Cause::Lost => write!(f, "{actor} left its state to another who asked"),
            Cause::Ended => write!(f, "{actor} left no state: {reason}"),
            Cause::Stays => write!(f, "{actor} is local: its state does not leave its thread"),
        }
    }
}

impl std::error::Error for NoState {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.reason.source()
    }
}

impl From<NoState> for Error {
    fn from(error: NoState) -> Self {
        Self::new(error)
    }
}
