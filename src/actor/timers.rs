//! Timers: messages that an actor sends itself, later.

mod alarms;
mod driver;

use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior};

pub(super) use alarms::Alarms;
use alarms::{Alarm, Rhythm, later};
use driver::Driver;

use super::context::Context;
use super::envelope::Source;
use super::incarnation::Incarnation;
use super::policy;
use super::traits::Handler;
use super::undelivered::UndeliveredReason;
use crate::contain::contain;
use crate::sync::Mutex;
use crate::trace;

/// # Timers
///
/// A timer's message comes as a *notice*: it stands in the mailbox in order, and needs no slot, so
/// that a full mailbox does not delay it. Its handler runs as if the actor had told itself.
///
/// Timers are the actor's own. They do not keep it running, take no messages to it once it has been
/// told to stop, and go when it ends. There is one task for all timers of an actor, made with the
/// first. They go by tokio's clock, to the millisecond, also where that is paused.
///
/// ```
/// use std::time::Duration;
/// use greenroom::{Context, actor};
///
/// #[actor]
/// struct Session {
///     user: String,
/// }
///
/// #[actor]
/// impl Session {
///     #[on(start)]
///     fn begin(&mut self, ctx: &mut Context<Self>) {
///         ctx.every(Duration::from_secs(30), || SessionSave);
///         self.touch(ctx);
///     }
///
///     /// Somebody was here: the session lasts another quarter of an hour.
///     fn touch(&mut self, ctx: &mut Context<Self>) {
///         ctx.after(Duration::from_secs(900), SessionExpire).keyed("expiry");
///     }
///
///     fn save(&self) {}
///
///     fn expire(&self, ctx: &mut Context<Self>) {
///         ctx.stop();
///     }
/// }
/// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() {
/// let session = Session { user: "ann".into() }.spawn();
/// session.join().await; // a quarter of an hour later
/// # }
/// ```
///
/// An actor has [`TIMERS_MAX`](crate::limits::TIMERS_MAX) timers at most. One beyond is not set:
/// its message is [`Undelivered`](crate::Undelivered) for want of room, and there is a WARN event.
impl<A> Context<A> {
    /// Sends the actor a message, after a delay. It comes once, unless the timer is cancelled.
    pub fn after<M: Send + 'static>(&self, delay: Duration, message: M) -> Timer
    where
        A: Handler<M>,
    {
        self.at(later(Instant::now(), delay), message)
    }

    /// As [`Context::after`], at an instant. One that has passed is now.
    pub fn at<M: Send + 'static>(&self, instant: Instant, message: M) -> Timer
    where
        A: Handler<M>,
    {
        match self.set_timer(instant, None, Make::Once(message)) {
            Ok(timer) => timer,
            Err(Make::Once(message)) => {
                let reason = UndeliveredReason::Overflow;
                self.head().lose(&reason, message);
                Timer::none()
            }
            Err(Make::Again(_)) => unreachable!("it is what was given"),
        }
    }

    /// Sends the actor messages, one after each period, until the timer is cancelled.
    ///
    /// Each is made when its turn comes, as its handler begins: a panic of `make` is one of the
    /// handler. One of them is queued at most. By default, ticks that come due meanwhile are
    /// skipped; [`Timer::missed_ticks`] says what else can become of them. A period below a
    /// millisecond is one.
    pub fn every<M: Send + 'static>(
        &self,
        period: Duration,
        make: impl FnMut() -> M + Send + 'static,
    ) -> Timer
    where
        A: Handler<M>,
    {
        let rhythm = Rhythm {
            period: period.max(Duration::from_millis(1)),
            missed: MissedTickBehavior::Skip,
        };
        let first = later(Instant::now(), rhythm.period);
        self.set_timer(first, Some(rhythm), Make::Again(Box::new(make)))
            .unwrap_or_else(|_| Timer::none())
    }

    /// The actor's timers: those that have been set, and are still to be delivered.
    #[must_use]
    pub fn timers(&self) -> Timers {
        Timers(self.head().incarnation())
    }

    fn set_timer<M: Send + 'static>(
        &self,
        due: Instant,
        rhythm: Option<Rhythm>,
        make: Make<M>,
    ) -> Result<Timer, Make<M>>
    where
        A: Handler<M>,
    {
        let incarnation = self.incarnation();
        let Some(place) = incarnation.alarms.admit() else {
            let message = std::any::type_name::<M>();
            contain(|| trace::too_many_timers(&self.identity(), message));
            return Err(make);
        };
        let source = Source::making(self, Bell::unload);
        let bell = |number| Bell {
            number,
            incarnation: Arc::downgrade(&incarnation),
            source,
            make: Mutex::new(Some(make)),
            _place: place,
        };
        let (number, is_first) = incarnation.alarms.set(due, rhythm, bell);
        let weak = Arc::downgrade(&incarnation);
        if is_first {
            drop(incarnation.spawn(Driver::new(Weak::clone(&weak))));
        }
        Ok(Timer {
            incarnation: weak,
            number,
        })
    }
}

/// What a timer sends.
enum Make<M> {
    Once(M),
    Again(Box<dyn FnMut() -> M + Send>),
}

/// A timer as it rings.
struct Bell<M> {
    number: u64,
    incarnation: Weak<Incarnation>,
    source: Source<M, Arc<Bell<M>>>,
    /// Taken out to be called, so that no user code runs under the lock.
    make: Mutex<Option<Make<M>>>,
    /// Among the timers of the actor.
    _place: Arc<()>,
}

impl<M: Send + 'static> Bell<M> {
    /// The message, if it still is to be delivered.
    fn unload(self: Arc<Self>) -> Option<M> {
        let incarnation = self.incarnation.upgrade()?;
        let again = incarnation.alarms.deliver(self.number)?;
        if again {
            Arc::clone(&self).ring();
        }
        let make = self.make.lock().take();
        match make? {
            Make::Once(message) => Some(message),
            Make::Again(mut make) => {
                let message = make();
                *self.make.lock() = Some(Make::Again(make));
                Some(message)
            }
        }
    }
}

impl<M: Send + 'static> Alarm for Bell<M> {
    fn ring(self: Arc<Self>) {
        let source = self.source.clone();
        // What was still queued says the same; an actor that is ending is told nothing.
        contain(|| drop(source.send(self)));
    }

    fn silence(&self) {
        let (make, queued) = (self.make.lock().take(), self.source.revoke());
        contain(|| drop(make));
        contain(|| drop(queued));
    }
}

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
    /// One that was not set.
    fn none() -> Self {
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

    /// What becomes of the ticks of [`Context::every`] that come due while one is still queued, or
    /// while nothing could be sent: all that are missed follow at once (`Burst`), or the next comes
    /// one period after that one is handled (`Delay`), or when it would have come anyway (`Skip`,
    /// which is what it is without this, and not what tokio's intervals do).
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

/// The timers that an actor has set, as [`Context::timers`] gives them.
pub struct Timers(Option<Arc<Incarnation>>);

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
