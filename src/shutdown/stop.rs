//! Ending all actors of a runtime.

use std::collections::BTreeMap;
use std::future::{pending, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Timeout, timeout};

use super::report::Report;
use crate::actor::{ExitReason, Found};
use crate::exec::runtime;
use crate::id::Id;
use crate::limits::KILL_WAIT;
use crate::task;

impl runtime::Handle {
    /// Ends all actors of this runtime within `limit`: see [`shutdown`](crate::shutdown).
    ///
    /// The runtime itself goes on, and takes new actors.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use greenroom::{actor, runtime};
    /// # #[actor] struct Counter { count: u64 }
    /// # #[actor] impl Counter { fn add(&mut self, n: u64) { self.count += n } }
    /// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
    /// let counter = Counter { count: 0 }.spawn();
    /// counter.add(1).tell().await?; // it is handled first
    /// let report = runtime::Handle::current().stop_actors(Duration::from_secs(10)).await;
    /// assert!(report.is_clean());
    /// assert_eq!(report.to_string(), "actors stopped: 1");
    /// # Ok(()) }
    /// ```
    ///
    /// Cancel safety: dropped, it tells no more actors to end; those that were told end.
    pub async fn stop_actors(&self, limit: Duration) -> Report {
        stop(self, limit, pending()).await
    }
}

/// As [`runtime::Handle::stop_actors`]; when `hurry` is done the limit is over.
pub(super) async fn stop(
    runtime: &runtime::Handle,
    limit: Duration,
    hurry: impl Future<Output = ()>,
) -> Report {
    let mut sweep = Sweep {
        runtime,
        me: task::try_id(),
        seen: BTreeMap::new(),
        report: Report::default(),
    };
    let half = within(runtime, limit / 2, pending::<()>());
    let whole = within(runtime, limit, pending::<()>());
    let gently = async {
        first(sweep.one_by_one(), half).await;
        sweep.all_at_once().await;
    };
    first(gently, first(hurry, whole)).await;
    sweep.kill().await;
    sweep.report
}

/// A limit by the runtime's clock, whichever runtime is around.
fn within<F: Future>(runtime: &runtime::Handle, limit: Duration, future: F) -> Timeout<F> {
    let _around = runtime.enter();
    timeout(limit, future)
}

/// Waits for either, polled in this order.
pub(super) async fn first(one: impl Future, other: impl Future) {
    let (mut one, mut other) = (pin!(one), pin!(other));
    poll_fn(|cx| match one.as_mut().poll(cx) {
        Poll::Ready(_) => Poll::Ready(()),
        Poll::Pending => other.as_mut().poll(cx).map(drop),
    })
    .await;
}

struct Sweep<'a> {
    runtime: &'a runtime::Handle,
    me: Option<Id>,
    /// Those that were found, and are not in the report yet; whether each was killed.
    seen: BTreeMap<Id, (Found, bool)>,
    report: Report,
}

impl Sweep<'_> {
    /// Looks who lives. False if there is nobody.
    fn find(&mut self) -> bool {
        for actor in Found::all(self.runtime.executor()) {
            let id = actor.handle().id();
            if Some(id) != self.me {
                self.seen.entry(id).or_insert((actor, false));
            }
        }
        !self.seen.is_empty()
    }

    /// Waits for the end of one, and notes it.
    async fn see_end(&mut self, id: Id) {
        let Some((actor, _)) = self.seen.get(&id) else {
            return;
        };
        let (reason, unhandled) = actor.end().await;
        let Some((actor, was_killed)) = self.seen.remove(&id) else {
            return;
        };
        self.report.undelivered += unhandled;
        if was_killed && matches!(reason, ExitReason::Killed) {
            self.report.killed.push(actor.handle().identity());
        } else {
            self.report.stopped += 1;
        }
    }

    async fn see_all_end(&mut self) {
        while let Some((&id, _)) = self.seen.last_key_value() {
            self.see_end(id).await;
        }
    }

    async fn one_by_one(&mut self) {
        while self.find() {
            let ids: Vec<Id> = self.seen.keys().rev().copied().collect();
            for id in ids {
                let (actor, _) = &self.seen[&id];
                if !actor.is_supervised() {
                    actor.stop();
                    self.see_end(id).await;
                }
            }
            self.see_all_end().await;
        }
    }

    async fn all_at_once(&mut self) {
        while self.find() {
            for (actor, _) in self.seen.values().rev() {
                if !actor.is_supervised() {
                    actor.stop();
                }
            }
            self.see_all_end().await;
        }
    }

    async fn kill(&mut self) {
        let runtime = self.runtime;
        let killing = async {
            while self.find() {
                for (actor, was_killed) in self.seen.values_mut().rev() {
                    *was_killed = true;
                    actor.doom();
                }
                self.see_all_end().await;
            }
        };
        if within(runtime, KILL_WAIT, killing).await.is_err() {
            let left = self.seen.values().map(|(actor, _)| actor.info());
            self.report.left = left.filter(|actor| actor.is_busy).collect();
        }
    }
}
