//! Waiting until actors have nothing to do.

use std::fmt;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::report::list;
use crate::actor::{ActorInfo, AnyHandle, Found};
use crate::error::Error;
use crate::exec::runtime;
use crate::id::Id;
use crate::limits::QUIESCE_LOOK_MAX;
use crate::task;

/// Actors that had something to do when the limit had passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Busy {
    actors: Vec<ActorInfo>,
}

impl Busy {
    /// Which, the first spawned first.
    #[must_use]
    pub fn actors(&self) -> &[ActorInfo] {
        &self.actors
    }
}

impl fmt::Display for Busy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not at rest")?;
        list(f, "busy", &self.actors)
    }
}

impl std::error::Error for Busy {}

impl From<Busy> for Error {
    fn from(busy: Busy) -> Self {
        Self::new(busy)
    }
}

/// Waits until these actors have nothing to do: no message is queued or being handled, no hook
/// runs, none waits to be restarted, and none was told to end and has not.
///
/// They were so at one moment. Timers, tasks of an actor, and whoever else sends to them are not
/// waited for, and may give them something to do at any time. An actor that calls it is left out.
///
/// # Errors
///
/// When the limit has passed, with those that were busy then.
///
/// ```
/// # use std::time::Duration;
/// # use greenroom::{actor, shutdown::quiesce};
/// # #[actor] struct Counter { count: u64 }
/// # #[actor] impl Counter { fn add(&mut self, n: u64) { self.count += n } }
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// let counter = Counter { count: 0 }.spawn();
/// counter.add(1).tell().await?;
/// quiesce([counter.erase()], Duration::from_secs(1)).await?;
/// assert_eq!(counter.mailbox().used, 0); // the tell was handled
/// # Ok(()) }
/// ```
///
/// # Panics
///
/// Outside a tokio runtime.
///
/// Cancel safety: it may be dropped at any time.
pub async fn quiesce<I>(actors: I, limit: Duration) -> Result<(), Busy>
where
    I: IntoIterator<Item = AnyHandle>,
{
    let handles: Vec<AnyHandle> = actors.into_iter().collect();
    at_rest(|| handles.iter().map(Found::of).collect(), limit).await
}

impl runtime::Handle {
    /// Waits until no actor of this runtime has anything to do: see [`quiesce`].
    ///
    /// # Errors
    ///
    /// When the limit has passed, with those that were busy then.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    pub async fn quiesce(&self, limit: Duration) -> Result<(), Busy> {
        at_rest(|| Found::all(self.executor()).collect(), limit).await
    }
}

/// Whether nobody has anything to do, and what each had taken out then.
fn look(actors: &[Found]) -> Result<Vec<(Id, usize)>, Vec<ActorInfo>> {
    let infos = actors.iter().map(Found::info);
    let mut busy: Vec<_> = infos.filter(|info| info.is_busy).collect();
    if busy.is_empty() {
        let taken = |actor: &Found| (actor.handle().id(), actor.consumed());
        let mut seen: Vec<_> = actors.iter().map(taken).collect();
        seen.sort_unstable();
        return Ok(seen);
    }
    busy.sort_by_key(|info| info.identity.id());
    Err(busy)
}

/// Those that have handled something since, or are new.
fn moved(actors: &[Found], before: &[(Id, usize)]) -> Vec<ActorInfo> {
    let is_new = |actor: &&Found| {
        let seen = (actor.handle().id(), actor.consumed());
        before.binary_search(&seen).is_err()
    };
    actors.iter().filter(is_new).map(Found::info).collect()
}

/// Two looks in a row that find all at rest, none of which has taken out a message in between: so
/// they were at rest together when the first look was over.
async fn at_rest(actors: impl Fn() -> Vec<Found>, limit: Duration) -> Result<(), Busy> {
    let me = task::try_id();
    let others = || {
        let mut all = actors();
        all.retain(|actor| Some(actor.handle().id()) != me);
        all
    };
    let deadline = Instant::now().checked_add(limit);
    let mut pause = Duration::from_millis(1);
    loop {
        let before = look(&others());
        let actors = others();
        let busy = match (before, look(&actors)) {
            (Ok(before), Ok(after)) if before == after => return Ok(()),
            (Err(busy), _) | (_, Err(busy)) => busy,
            (Ok(before), Ok(_)) => moved(&actors, &before),
        };
        let now = Instant::now();
        if deadline.is_some_and(|deadline| now >= deadline) {
            return Err(Busy { actors: busy });
        }
        let next = now + pause;
        sleep_until(deadline.map_or(next, |deadline| next.min(deadline))).await;
        pause = (pause * 2).min(QUIESCE_LOOK_MAX);
    }
}
