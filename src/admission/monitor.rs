//! A monitor: measures, and says how bad it is.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use tokio::sync::watch;

use super::error::{MonitorError, Overload};
use super::policy::{ResourcePolicy, SpawnRequest};
use super::source::{Source, resident_memory};
use crate::contain::catch;
use crate::exec::runtime;
use crate::limits::{PRESSURE_INTERVAL, PRESSURE_LEFT_AT};
use crate::task::AbortHandle;

/// How much there is of what there should not be too much of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Pressure {
    /// There is room.
    #[default]
    Normal,
    /// Whoever can wait should: [`PressureMonitor::ready`].
    Elevated,
    /// There is no room: spawns are refused, if the monitor is the runtime's policy.
    Critical,
}

impl Pressure {
    fn of(level: u8) -> Self {
        match level {
            0 => Self::Normal,
            1 => Self::Elevated,
            _ => Self::Critical,
        }
    }
}

impl fmt::Display for Pressure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Normal => "normal",
            Self::Elevated => "elevated",
            Self::Critical => "critical",
        })
    }
}

/// Measures what may become too much, and says how bad it is.
///
/// As the [policy](crate::set_resource_policy) of a runtime it refuses spawns at the critical
/// level. What sends messages under load may ask it first:
///
/// ```
/// use greenroom::PressureMonitor;
/// # use greenroom::{WorkQueue, actor};
/// # pub struct Mail;
/// # #[actor] struct Sender;
/// # #[actor] impl Sender { #[message] fn on_mail(&mut self, mail: Mail) {} }
///
/// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let queue = WorkQueue::builder(|| Sender).spawn()?;
/// let measured = queue.clone();
/// let monitor = PressureMonitor::builder()
///     .source("mails that wait", 100, 200, move || measured.stats().queued as u64)
///     .memory(2 << 30, 3 << 30)
///     .spawn()?;
/// monitor.ready().await?; // waits while it is elevated, fails when it is critical
/// queue.tell(Mail).await?;
/// # Ok(()) }
/// ```
///
/// The level is that of the worst source. A source's level rises at once as a threshold is
/// reached, and falls when it is well below: by [`PressureBuilder::left_at`].
///
/// It measures as long as there is a clone of it, and its runtime.
#[derive(Clone)]
pub struct PressureMonitor(Arc<Inner>);

struct Inner {
    sources: Vec<Source>,
    left_at: u8,
    /// Of the last sample.
    level: AtomicU8,
    state: watch::Sender<State>,
    task: std::sync::OnceLock<AbortHandle>,
}

/// What the last sample found.
struct State {
    level: Pressure,
    levels: Vec<Pressure>,
    /// The worst source, unless all is normal.
    overload: Option<Overload>,
}

impl PressureMonitor {
    /// A monitor, to be spawned.
    pub fn builder() -> PressureBuilder {
        PressureBuilder {
            sources: Vec::new(),
            left_at: PRESSURE_LEFT_AT,
            interval: PRESSURE_INTERVAL,
            needs_memory: false,
        }
    }

    /// The level of the last sample: one load.
    #[must_use]
    pub fn level(&self) -> Pressure {
        // Ordering: it is a number alone.
        Pressure::of(self.0.level.load(Ordering::Relaxed))
    }

    /// What is too much, if the level is not normal.
    #[must_use]
    pub fn overload(&self) -> Option<Overload> {
        self.0.state.borrow().overload.clone()
    }

    /// Measures now.
    pub fn sample(&self) -> Pressure {
        self.0.sample()
    }

    /// Whether there is room.
    ///
    /// # Errors
    ///
    /// At the critical level.
    pub fn check(&self) -> Result<(), Overload> {
        match self.level() {
            Pressure::Normal | Pressure::Elevated => Ok(()),
            Pressure::Critical => self.refusal(),
        }
    }

    /// Waits while the level is elevated.
    ///
    /// # Errors
    ///
    /// At the critical level, also when that comes while it waits.
    ///
    /// # Cancel safety
    ///
    /// Nothing is lost with it.
    pub async fn ready(&self) -> Result<(), Overload> {
        if self.level() == Pressure::Elevated {
            let mut state = self.0.state.subscribe();
            // The sender is ours, so it does not fail.
            let _ = state
                .wait_for(|state| state.level != Pressure::Elevated)
                .await;
        }
        self.check()
    }

    /// Of the last sample, unless that has found better meanwhile.
    fn refusal(&self) -> Result<(), Overload> {
        let overload = self.overload();
        match overload.filter(|overload| overload.level == Pressure::Critical) {
            Some(overload) => Err(overload),
            None => Ok(()),
        }
    }
}

impl Inner {
    fn sample(&self) -> Pressure {
        // A source that panics, or does not know, keeps its level.
        let read = |source: &Source| catch(|| (source.read)()).ok().flatten();
        let values: Vec<_> = self.sources.iter().map(read).collect();
        let mut level = Pressure::Normal;
        self.state.send_if_modified(|state| {
            let was = state.level;
            let mut overload = None;
            for ((source, value), last) in self.sources.iter().zip(values).zip(&mut state.levels) {
                if let Some(value) = value {
                    *last = source.level(*last, value, self.left_at);
                }
                if *last > level {
                    level = *last;
                    overload = Some(source.overload(level, value.unwrap_or_default()));
                }
            }
            state.level = level;
            state.overload = overload;
            // Ordering: as where it is loaded.
            self.level.store(level as u8, Ordering::Relaxed);
            was != level
        });
        level
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if let Some(task) = self.task.get() {
            task.abort();
        }
    }
}

impl ResourcePolicy for PressureMonitor {
    fn admit_spawn(&self, _: &SpawnRequest<'_>) -> Result<(), Overload> {
        self.check()
    }
}

impl fmt::Debug for PressureMonitor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PressureMonitor")
            .field("level", &self.level())
            .field("overload", &self.overload())
            .finish_non_exhaustive()
    }
}

/// A monitor to be spawned: see [`PressureMonitor::builder`].
#[must_use = "nothing is measured before `.spawn()`"]
pub struct PressureBuilder {
    sources: Vec<Source>,
    left_at: u8,
    interval: Duration,
    needs_memory: bool,
}

impl PressureBuilder {
    /// Measures something: by `read`, which must not block. From `elevated` on there is too much of
    /// it for comfort, from `critical` on for any more.
    pub fn source<F>(self, name: impl Into<Arc<str>>, elevated: u64, critical: u64, read: F) -> Self
    where
        F: Fn() -> u64 + Send + Sync + 'static,
    {
        self.push(name.into(), elevated, critical, move || Some(read()))
    }

    /// Measures how many tasks and actors of the current runtime live.
    pub fn live(self, elevated: u64, critical: u64) -> Self {
        let runtime = runtime::Handle::try_current().ok();
        self.push(
            Arc::from("live tasks and actors"),
            elevated,
            critical,
            move || {
                let live = runtime.as_ref()?.metrics().live;
                u64::try_from(live).ok()
            },
        )
    }

    /// Measures the resident memory of the process, in bytes; on Linux alone.
    pub fn memory(mut self, elevated: u64, critical: u64) -> Self {
        self.needs_memory = true;
        let name = Arc::from("bytes of resident memory");
        self.push(name, elevated, critical, resident_memory)
    }

    fn push<F>(mut self, name: Arc<str>, elevated: u64, critical: u64, read: F) -> Self
    where
        F: Fn() -> Option<u64> + Send + Sync + 'static,
    {
        self.sources.push(Source {
            name,
            elevated,
            critical,
            read: Box::new(read),
        });
        self
    }

    /// Below how many percent of its threshold a level is left:
    /// [`PRESSURE_LEFT_AT`](crate::limits::PRESSURE_LEFT_AT), unless it is said.
    pub fn left_at(self, percent: u8) -> Self {
        Self {
            left_at: percent,
            ..self
        }
    }

    /// How often it measures: by
    /// [`PRESSURE_INTERVAL`](crate::limits::PRESSURE_INTERVAL), unless it is said.
    pub fn interval(self, interval: Duration) -> Self {
        Self { interval, ..self }
    }

    /// Measures once, and then as a task on the current runtime, again and again.
    ///
    /// # Errors
    ///
    /// When there is no current runtime, a number is out of range, or memory can't be measured.
    pub fn spawn(self) -> Result<PressureMonitor, MonitorError> {
        if let Some(source) = self.sources.iter().find(|source| !source.is_sound()) {
            return Err(MonitorError::Thresholds(Arc::clone(&source.name)));
        }
        if self.interval.is_zero() {
            return Err(MonitorError::Interval);
        }
        if self.left_at > 100 {
            return Err(MonitorError::Hysteresis(self.left_at));
        }
        if self.needs_memory && resident_memory().is_none() {
            return Err(MonitorError::Memory);
        }
        let runtime = runtime::Handle::try_current().map_err(|_| MonitorError::NoRuntime)?;
        let state = State {
            level: Pressure::Normal,
            levels: vec![Pressure::Normal; self.sources.len()],
            overload: None,
        };
        let inner = Arc::new(Inner {
            sources: self.sources,
            left_at: self.left_at,
            level: AtomicU8::new(Pressure::Normal as u8),
            state: watch::Sender::new(state),
            task: std::sync::OnceLock::new(),
        });
        inner.sample();
        let (interval, weak) = (self.interval, Arc::downgrade(&inner));
        let task = runtime.spawn(async move {
            loop {
                tokio::time::sleep(interval).await;
                match weak.upgrade() {
                    Some(inner) => inner.sample(),
                    None => break,
                };
            }
        });
        inner.task.get_or_init(|| task.abort_handle());
        Ok(PressureMonitor(inner))
    }
}

impl fmt::Debug for PressureBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PressureBuilder")
            .field("sources", &self.sources.len())
            .field("left_at", &self.left_at)
            .field("interval", &self.interval)
            .finish_non_exhaustive()
    }
}
