//! What an actor holds of its timers.

use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Weak};

use tokio::time::MissedTickBehavior;

use crate::actor::incarnation::Incarnation;
use crate::actor::policy;

/// A timer that an actor has set.
///
/// Dropping it does not cancel the timer. It may be kept, cloned and used anywhere, and keeps
/// nothing.
#[derive(Clone)]
pub struct Timer {
    incarnation: Weak<Incarnation>,
    number: u64,
}

impl Timer {
    pub(super) fn new(incarnation: Weak<Incarnation>, number: u64) -> Self {
        Self {
            incarnation,
            number,
        }
    }

    /// One that was not set.
    pub(super) fn none() -> Self {
        Self {
            incarnation: Weak::new(),
            number: 0,
        }
    }

    /// Cancels it: no message of it is handled any more, also if one is queued already. False if
    /// there was nothing left to cancel.
    #[allow(clippy::must_use_candidate)] // most who cancel don't care
    pub fn cancel(&self) -> bool {
        let incarnation = self.incarnation.upgrade();
        incarnation.is_some_and(|all| all.alarms.cancel(self.number))
    }

    /// Whether its message is still to be delivered, perhaps again.
    #[must_use]
    pub fn is_set(&self) -> bool {
        let incarnation = self.incarnation.upgrade();
        incarnation.is_some_and(|all| all.alarms.is_set(self.number))
    }

    /// Puts it under a key. The timer that is there is cancelled: it is not delivered any more.
    ///
    /// A key is any value that can be hashed. Keys that hash the same, as `"a"` and
    /// `String::from("a")` do, are the same.
    #[allow(clippy::must_use_candidate)] // the timer is set without it
    pub fn keyed(self, key: impl Hash) -> Self {
        if let Some(incarnation) = self.incarnation.upgrade() {
            incarnation.alarms.key(self.number, policy::hashed(&key));
        }
        self
    }

    /// What becomes of the ticks of [`every`](crate::Context::every) that come due while one is
    /// still queued, or while nothing could be sent: all that are missed follow at once (`Burst`),
    /// or the next comes one period after that one is handled (`Delay`), or when it would have come
    /// anyway (`Skip`, which is what it is without this, and not what tokio's intervals do).
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use greenroom::{Context, actor};
    /// # use tokio::time::MissedTickBehavior;
    /// # #[actor] struct Meter { ticks: u64 }
    /// #[actor]
    /// impl Meter {
    ///     #[on(start)]
    ///     fn begin(&mut self, ctx: &mut Context<Self>) {
    ///         ctx.every(Duration::from_secs(1), || MeterTick)
    ///             .missed_ticks(MissedTickBehavior::Burst); // each second counts
    ///     }
    ///
    ///     fn tick(&mut self) {
    ///         self.ticks += 1;
    ///     }
    /// }
    /// ```
    #[allow(clippy::must_use_candidate)] // the timer is set without it
    pub fn missed_ticks(self, missed: MissedTickBehavior) -> Self {
        if let Some(incarnation) = self.incarnation.upgrade() {
            incarnation.alarms.set_missed(self.number, missed);
        }
        self
    }
}

/// The timers that an actor has set, as [`timers`](crate::Context::timers) gives them.
pub struct Timers(pub(super) Option<Arc<Incarnation>>);

impl Timers {
    /// The timer under a key.
    #[must_use]
    pub fn get(&self, key: impl Hash) -> Option<Timer> {
        let incarnation = self.0.as_ref()?;
        Some(Timer {
            number: incarnation.alarms.with_key(policy::hashed(&key))?,
            incarnation: Arc::downgrade(incarnation),
        })
    }

    /// Cancels the timer under a key, as [`Timer::cancel`] does.
    #[allow(clippy::must_use_candidate)] // most who cancel don't care
    pub fn cancel(&self, key: impl Hash) -> bool {
        self.get(key).is_some_and(|timer| timer.cancel())
    }

    /// Cancels all.
    pub fn clear(&self) {
        if let Some(incarnation) = &self.0 {
            incarnation.alarms.clear();
        }
    }

    /// How many are still to be delivered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |all| all.alarms.len())
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl fmt::Debug for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timer").finish_non_exhaustive()
    }
}

impl fmt::Debug for Timers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Timers").field("len", &self.len()).finish()
    }
}
