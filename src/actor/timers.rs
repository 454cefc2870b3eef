//! Timers: messages that an actor sends itself, later.

mod alarms;
mod driver;
mod handle;

use std::any::TypeId;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior};

pub(super) use alarms::Alarms;
use alarms::{Alarm, Rhythm, later};
use driver::Driver;
pub use handle::{Timer, Timers};

use super::context::Context;
use super::envelope::Source;
use super::idle::Idle;
use super::incarnation::Incarnation;
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
        match self.set_timer(instant, None, None, Make::Once(message)) {
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
        self.set_timer(first, Some(rhythm), None, Make::Again(Box::new(make)))
            .unwrap_or_else(|_| Timer::none())
    }

    /// Sends the actor a message when it has handled none for so long; and again after each such
    /// time without one. It takes the place of the idle timeout that was set before.
    ///
    /// What counts are messages that were sent to it, also the items of its streams; its timers and
    /// other notices do not. A handler that is at an await is at work. It comes late by an eighth
    /// of the time, or a millisecond, at most: messages pay nothing for it, so how long ago the
    /// last one was is only looked at now and then.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use greenroom::{Context, actor};
    /// #[actor]
    /// struct Session;
    ///
    /// #[actor]
    /// impl Session {
    ///     #[on(start)]
    ///     fn begin(&mut self, ctx: &mut Context<Self>) {
    ///         ctx.idle_timeout(Duration::from_secs(900), || SessionLeave);
    ///     }
    ///
    ///     fn leave(&mut self, ctx: &mut Context<Self>) {
    ///         ctx.stop();
    ///     }
    /// }
    /// # #[tokio::main(flavor = "current_thread", start_paused = true)] async fn main() {
    /// let session = Session.spawn();
    /// session.join().await; // a quarter of an hour later
    /// # }
    /// ```
    pub fn idle_timeout<M: Send + 'static>(
        &self,
        limit: Duration,
        make: impl FnMut() -> M + Send + 'static,
    ) -> Timer
    where
        A: Handler<M>,
    {
        let (idle, period) = Idle::begin(self.head(), limit);
        let rhythm = Rhythm {
            period,
            missed: MissedTickBehavior::Skip,
        };
        let first = later(Instant::now(), period);
        let make = Make::Again(Box::new(make));
        self.set_timer(first, Some(rhythm), Some(idle), make)
            .map_or_else(|_| Timer::none(), |timer| timer.keyed(TypeId::of::<Idle>()))
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
        idle: Option<Idle>,
        make: Make<M>,
    ) -> Result<Timer, Make<M>>
    where
        A: Handler<M>,
    {
        let incarnation = self.belongings();
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
            idle,
            _place: place,
        };
        let (number, is_first) = incarnation.alarms.set(due, rhythm, bell);
        let weak = Arc::downgrade(&incarnation);
        if is_first {
            drop(incarnation.spawn(Driver::new(Weak::clone(&weak))));
        }
        Ok(Timer::new(weak, number))
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
    /// For one that rings when its actor is idle.
    idle: Option<Idle>,
    /// Among the timers of the actor.
    _place: Arc<()>,
}

impl<M: Send + 'static> Bell<M> {
    /// The message, if it still is to be delivered.
    fn unload(self: Arc<Self>) -> Option<M> {
        let incarnation = self.incarnation.upgrade()?;
        let again = incarnation.alarms.deliver(self.number)?;
        if let Some(idle) = &self.idle
            && !idle.confirm(self.source.head())
        {
            return None;
        }
        if again {
            Arc::clone(&self).ring();
        }
        let make = self.make.lock().take();
        match make? {
            Make::Once(message) => Some(message),
            Make::Again(make) => {
                let slot = &self.make;
                let mut lent = LentMake {
                    make: Some(make),
                    slot,
                };
                lent.make.as_mut().map(|make| make())
            }
        }
    }
}

/// What makes messages, while it is called; it goes back also when that panics, since the actor may
/// go on.
struct LentMake<'a, M> {
    make: Option<Box<dyn FnMut() -> M + Send>>,
    slot: &'a Mutex<Option<Make<M>>>,
}

impl<M> Drop for LentMake<'_, M> {
    fn drop(&mut self) {
        *self.slot.lock() = self.make.take().map(Make::Again);
    }
}

impl<M: Send + 'static> Alarm for Bell<M> {
    fn ring(self: Arc<Self>) -> bool {
        if let Some(idle) = &self.idle
            && !idle.look(self.source.head())
        {
            return false;
        }
        let source = self.source.clone();
        // What was still queued says the same; an actor that is ending is told nothing.
        contain(|| drop(source.send(self)));
        true
    }

    fn silence(&self) {
        let (make, queued) = (self.make.lock().take(), self.source.revoke());
        contain(|| drop(make));
        contain(|| drop(queued));
    }
}
