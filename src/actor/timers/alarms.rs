//! The timers of one incarnation: when they are due, and which of them still are to be delivered.
//!
//! # Why a cancelled timer is never delivered
//!
//! A timer that is due sends a notice, and that finds its timer by number when its turn comes. A
//! number is never used twice, and who cancels or replaces a timer takes its entry away: so the
//! notice finds none, whatever happened between.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use tokio::time::{Instant, MissedTickBehavior};

use crate::contain::contain;
use crate::limits::TIMERS_MAX;
use crate::sync::Mutex;

/// What is done when a timer is due.
pub(super) trait Alarm: Send + Sync {
    /// Sends its notice, unless it finds that there is nothing to say.
    fn ring(self: Arc<Self>) -> bool;
    /// Drops its message, and what it has sent.
    fn silence(&self);
}

/// How a timer repeats.
pub(super) struct Rhythm {
    pub(super) period: Duration,
    pub(super) missed: MissedTickBehavior,
}

struct Entry {
    alarm: Arc<dyn Alarm>,
    /// When it is due next; `None` for one that has sent its last notice so far.
    due: Option<Instant>,
    /// Whether its notice is in the mailbox.
    is_queued: bool,
    key: Option<u128>,
    rhythm: Option<Rhythm>,
    /// Ticks to catch up with.
    owed: u32,
}

#[derive(Default)]
struct Table {
    last: u64,
    entries: HashMap<u64, Entry>,
    due: BTreeSet<(Instant, u64)>,
    keys: HashMap<u128, u64>,
    driver: Option<Waker>,
    has_driver: bool,
    has_ended: bool,
}

/// The timers of an incarnation.
#[derive(Default)]
pub(in crate::actor) struct Alarms {
    /// No user code runs under this lock.
    table: Mutex<Table>,
    /// Each alarm has a clone of it, also one that was cancelled and has a notice in the mailbox.
    census: Arc<()>,
}

/// What the driver has to do.
pub(super) enum Errand {
    /// This one is due.
    Ring(u64, Arc<dyn Alarm>),
    /// Nothing before then.
    Wait(Instant),
    /// Nothing before it is woken.
    Rest,
}

impl Alarms {
    /// A place for an alarm; `None` if there are too many.
    pub(super) fn admit(&self) -> Option<Arc<()>> {
        let place = Arc::clone(&self.census);
        // Those that go meanwhile leave at most one too few.
        (Arc::strong_count(&place) <= TIMERS_MAX + 1).then_some(place)
    }

    /// Sets a timer. Gives its number, and whether the driver is still to be spawned.
    pub(super) fn set<T: Alarm + 'static>(
        &self,
        due: Instant,
        rhythm: Option<Rhythm>,
        alarm: impl FnOnce(u64) -> T,
    ) -> (u64, bool) {
        let mut table = self.table.lock();
        table.last += 1;
        let number = table.last;
        let entry = Entry {
            alarm: Arc::new(alarm(number)),
            due: None,
            is_queued: false,
            key: None,
            rhythm,
            owed: 0,
        };
        table.entries.insert(number, entry);
        let driver = table.schedule(number, due);
        let is_first = !std::mem::replace(&mut table.has_driver, true);
        drop(table);
        wake(driver);
        (number, is_first)
    }

    /// Takes a timer away; false if it was not there any more.
    pub(super) fn cancel(&self, number: u64) -> bool {
        let entry = self.table.lock().remove(number);
        silence(entry)
    }

    /// Puts a timer under a key, in place of the one that is there.
    pub(super) fn key(&self, number: u64, key: u128) {
        let mut table = self.table.lock();
        let Some(entry) = table.entries.get_mut(&number) else {
            return;
        };
        let before = entry.key.replace(key);
        if let Some(before) = before.filter(|before| *before != key) {
            table.keys.remove(&before);
        }
        let replaced = table.keys.insert(key, number);
        let replaced = replaced
            .filter(|replaced| *replaced != number)
            .and_then(|replaced| table.remove(replaced));
        drop(table);
        silence(replaced);
    }

    pub(super) fn with_key(&self, key: u128) -> Option<u64> {
        self.table.lock().keys.get(&key).copied()
    }

    /// Whether it is still to be delivered, perhaps again.
    pub(super) fn is_set(&self, number: u64) -> bool {
        self.table.lock().entries.contains_key(&number)
    }

    pub(super) fn len(&self) -> usize {
        self.table.lock().entries.len()
    }

    pub(super) fn set_missed(&self, number: u64, missed: MissedTickBehavior) {
        let mut table = self.table.lock();
        let entry = table.entries.get_mut(&number);
        if let Some(rhythm) = entry.and_then(|entry| entry.rhythm.as_mut()) {
            rhythm.missed = missed;
        }
    }

    /// The turn of a timer's notice has come. `None` if it is not to be delivered; otherwise
    /// whether it is to ring again at once.
    pub(super) fn deliver(&self, number: u64) -> Option<bool> {
        let mut table = self.table.lock();
        let entry = table.entries.get_mut(&number)?;
        entry.is_queued = false;
        let Some(rhythm) = &entry.rhythm else {
            let gone = table.remove(number);
            drop(table);
            // Its message is with who calls.
            drop(gone);
            return Some(false);
        };
        if entry.owed > 0 {
            entry.owed -= 1;
            entry.is_queued = true;
            return Some(true);
        }
        if entry.due.is_none() {
            let next = later(Instant::now(), rhythm.period);
            let driver = table.schedule(number, next);
            drop(table);
            wake(driver);
        }
        Some(false)
    }

    /// The timer has rung, and there was nothing to say.
    pub(super) fn pass_over(&self, number: u64) {
        let mut table = self.table.lock();
        if let Some(entry) = table.entries.get_mut(&number) {
            entry.is_queued = false;
        }
    }

    /// What the driver has to do next; if that is nothing, it is woken when there is.
    pub(super) fn next(&self, now: Instant, driver: &Waker) -> Errand {
        let driver = driver.clone();
        let mut table = self.table.lock();
        loop {
            match table.due.first().copied() {
                Some((due, number)) if due <= now => {
                    table.due.pop_first();
                    if let Some(alarm) = table.ring(number, due, now) {
                        return Errand::Ring(number, alarm);
                    }
                }
                first => {
                    table.driver = Some(driver);
                    return first.map_or(Errand::Rest, |(due, _)| Errand::Wait(due));
                }
            }
        }
    }

    /// Takes all timers away.
    pub(in crate::actor) fn clear(&self) {
        let mut table = self.table.lock();
        let entries = std::mem::take(&mut table.entries);
        table.due.clear();
        table.keys.clear();
        drop(table);
        entries.into_values().for_each(|entry| {
            silence(Some(entry));
        });
    }

    /// Takes all timers away, for good.
    pub(in crate::actor) fn end(&self) {
        self.table.lock().has_ended = true;
        self.clear();
    }
}

impl Table {
    /// The timer is due then. Gives whom to wake, if nothing is due before.
    fn schedule(&mut self, number: u64, due: Instant) -> Option<Waker> {
        if self.has_ended {
            return None;
        }
        self.entries.get_mut(&number)?.due = Some(due);
        let is_first = self.due.first().is_none_or(|(first, _)| due < *first);
        self.due.insert((due, number));
        if is_first { self.driver.take() } else { None }
    }

    fn remove(&mut self, number: u64) -> Option<Entry> {
        let entry = self.entries.remove(&number)?;
        if let Some(due) = entry.due {
            self.due.remove(&(due, number));
        }
        if let Some(key) = entry.key {
            self.keys.remove(&key);
        }
        Some(entry)
    }

    /// A timer was due then: when it is due next, and its alarm, unless that has rung and was not
    /// heard yet.
    fn ring(&mut self, number: u64, due: Instant, now: Instant) -> Option<Arc<dyn Alarm>> {
        let entry = self.entries.get_mut(&number)?;
        entry.due = None;
        let was_queued = std::mem::replace(&mut entry.is_queued, true);
        if let Some(rhythm) = &entry.rhythm {
            let period = rhythm.period;
            // Ticks after this one that are past, too.
            let past = (now - due).as_nanos() / period.as_nanos();
            let past = u32::try_from(past).unwrap_or(u32::MAX);
            let next = match rhythm.missed {
                MissedTickBehavior::Burst => {
                    entry.owed = entry.owed.saturating_add(past);
                    entry.owed = entry.owed.saturating_add(u32::from(was_queued));
                    Some(after(due, period, past))
                }
                // When it is heard.
                MissedTickBehavior::Delay => None,
                MissedTickBehavior::Skip => Some(after(due, period, past)),
            };
            if let Some(next) = next {
                entry.due = Some(next);
                self.due.insert((next, number));
            }
        }
        (!was_queued).then(|| Arc::clone(&entry.alarm))
    }
}

/// The first tick after `past` further ones.
fn after(due: Instant, period: Duration, past: u32) -> Instant {
    let skipped = period.checked_mul(past).unwrap_or(FAR);
    later(later(due, skipped), period)
}

/// Far beyond any program's life, and near enough that no clock overflows.
const FAR: Duration = Duration::from_secs(60 * 60 * 24 * 365 * 30);

/// The instant so much later, or one that is far enough.
pub(super) fn later(instant: Instant, delay: Duration) -> Instant {
    instant
        .checked_add(delay.min(FAR))
        .unwrap_or_else(|| Instant::now() + FAR)
}

fn wake(driver: Option<Waker>) {
    if let Some(driver) = driver {
        driver.wake();
    }
}

/// Drops what a timer has; false if there is none.
fn silence(entry: Option<Entry>) -> bool {
    let Some(entry) = entry else { return false };
    entry.alarm.silence();
    contain(|| drop(entry));
    true
}

#[cfg(test)]
mod tests;
