//! What a handle does with an actor's life, beside ending it.

use std::fmt;
use std::time::Duration;

use super::cause::{self, Cause, Signal};
use super::exit::ExitReason;
use super::handle::Handle;
use super::identity::Identity;
use crate::error::Error;

/// # Life
impl<A> Handle<A> {
    /// Has the actor begin no message until it is told to go on. What it does already it ends.
    /// Returns at once.
    ///
    /// Its mailbox takes messages meanwhile, as it does while the actor is busy. What is said of
    /// its life counts at once: [`resume`](Handle::resume), [`restart`](Handle::restart),
    /// [`kill`](Handle::kill), and [`stop`](Handle::stop), which ends the pause: what was accepted
    /// is handled. Lanes make no difference.
    ///
    /// ```
    /// # use greenroom::{Handle, actor};
    /// # #[actor] struct Counter { count: u64 }
    /// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
    /// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let counter = Counter { count: 0 }.spawn();
    /// Handle::pause(&counter);
    /// let answer = counter.add(1).enqueue().await?; // accepted, and not handled
    /// Handle::resume(&counter);
    /// assert_eq!(answer.await?, 1);
    /// # Ok(()) }
    /// ```
    pub fn pause(&self) {
        // SAFETY: C5: the handle holds a count.
        unsafe { cause::set_paused(self.target().0.raw(), true) }
    }

    /// Ends a [`pause`](Handle::pause).
    pub fn resume(&self) {
        // SAFETY: C5: the handle holds a count.
        unsafe { cause::set_paused(self.target().0.raw(), false) }
    }

    /// Restarts the actor, as far as what it is made by may: [`Builder::restartable`], or its
    /// supervisor. Returns at once.
    ///
    /// What it does already it ends, its stop hook runs, with [`ExitReason::Restarted`], and its
    /// state is dropped; then another is made, and its start hook runs. Handles, accepted messages
    /// and their order stay. Told several times before it happens, it restarts once. An actor that
    /// was told to end is not restarted.
    ///
    /// [`Builder::restartable`]: crate::Builder::restartable
    ///
    /// # Errors
    ///
    /// When there is nothing to make another state by.
    ///
    /// ```
    /// # use greenroom::{Builder, Handle, actor};
    /// # #[actor] struct Counter { count: u64 }
    /// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
    /// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
    /// let counter = Builder::restartable(|| Counter { count: 0 }).spawn();
    /// assert_eq!(counter.add(2).await?, 2);
    /// Handle::restart(&counter)?;
    /// assert_eq!(counter.add(2).await?, 2);
    /// assert_eq!(Handle::incarnation(&counter), 2);
    /// # Ok(()) }
    /// ```
    pub fn restart(&self) -> Result<(), NotRestartable> {
        if !self.head().life().is_some_and(|life| life.can_rebuild()) {
            return Err(NotRestartable(self.identity()));
        }
        self.signal(Signal::Halt);
        Ok(())
    }

    /// Which life of the actor this is: 1, and one more for each restart; 0 until it begins, if it
    /// is made later than its handle.
    #[must_use]
    pub fn incarnation(&self) -> u64 {
        self.head().incarnation_number()
    }

    /// Sends a signal of a supervisor's.
    pub(crate) fn signal(&self, signal: Signal) {
        // SAFETY: C5: the handle holds a count.
        unsafe { cause::signal(self.target().0.raw(), signal) }
    }

    /// Ends the actor for good, without asking its overseer: as [`Handle::kill`], or, if it waits
    /// for its next incarnation, with the reason of its last.
    pub(crate) fn dismiss(&self) {
        self.target().0.close(Cause::Doomed);
    }

    /// Waits until the start hook has returned; not at all where there is none. After a restart,
    /// that of the new incarnation.
    ///
    /// # Errors
    ///
    /// The reason of the end, if the actor ends before.
    ///
    /// ```
    /// # use greenroom::{ExitReason, Handle, actor};
    /// # #[actor] struct Server;
    /// #[actor]
    /// impl Server {
    ///     #[on(start)]
    ///     async fn bind(&mut self) -> Result<(), std::io::Error> {
    ///         Err(std::io::ErrorKind::AddrInUse.into())
    ///     }
    /// }
    /// # #[tokio::main] async fn main() {
    /// let server = Server.spawn();
    /// let reason = Handle::wait_started(&server).await.unwrap_err();
    /// assert!(matches!(reason, ExitReason::StartFailed(_)));
    /// # }
    /// ```
    ///
    /// Cancel safety: it may be dropped at any time.
    pub async fn wait_started(&self) -> Result<(), ExitReason> {
        self.head().ending.wait_started().await
    }

    /// Stops the actor, and kills it if it has not ended within the limit. Says what it came to.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use greenroom::{Handle, actor};
    /// # #[actor] struct Counter { count: u64 }
    /// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
    /// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let counter = Counter { count: 0 }.spawn();
    /// counter.add(1).tell().await?;
    /// let stopped = Handle::stop_within(&counter, Duration::from_secs(5)).await;
    /// assert!(stopped.reason.is_normal());
    /// assert_eq!(stopped.unhandled, 0);
    /// # Ok(()) }
    /// ```
    ///
    /// Cancel safety: dropped, it has told the actor to stop, and does not kill it any more.
    ///
    /// # Panics
    ///
    /// When polled outside a tokio runtime with its time driver on.
    pub async fn stop_within(&self, limit: Duration) -> Stopped {
        self.stop();
        let reason = match tokio::time::timeout(limit, self.join()).await {
            Ok(reason) => reason,
            Err(_) => {
                self.kill();
                self.join().await
            }
        };
        Stopped {
            reason,
            unhandled: self.head().ending.unhandled(),
        }
    }
}

/// What a stop with a limit came to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Stopped {
    /// [`ExitReason::Killed`] if the limit had passed.
    pub reason: ExitReason,
    /// The messages that it had accepted and did not handle. They went back to their askers, or to
    /// who takes what is [undelivered](crate::Undelivered).
    pub unhandled: usize,
}

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { reason, unhandled } = self;
        write!(f, "{reason}; messages not handled: {unhandled}")
    }
}

/// There is nothing to restart an actor by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotRestartable(Identity);

impl NotRestartable {
    /// Which actor.
    #[must_use]
    pub fn actor(&self) -> &Identity {
        &self.0
    }
}

impl fmt::Display for NotRestartable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let actor = &self.0;
        write!(f, "{actor} can't be restarted: it was spawned as a value")
    }
}

impl std::error::Error for NotRestartable {}

impl From<NotRestartable> for Error {
    fn from(error: NotRestartable) -> Self {
        Self::new(error)
    }
}
