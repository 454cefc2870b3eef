//! The express: how a unit that a task of tokio's has woken runs soon though tokio is busy.
//!
//! A unit in the global queue waits for a pump, and while tokio is busy the pumps wait behind all
//! that tokio has queued. A task of tokio's own would not: woken by the one that runs, it is the
//! next on that worker. So the unit is given to such a task, a *ride*. There are few at a time;
//! what does not find a place goes to the global queue, as do units that yield.
//!
//! Where a ride waits no other worker looks (tokio behaviour 1), and the poll before it may last.
//! So the units stand in a queue here: a ride takes the first, and if none has gone between two
//! looks of the monitor, it moves them to the global queue.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use super::place;
use super::shared::Shared;
use crate::contain::contain;
use crate::limits;
use crate::sync::Mutex;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::task::Unit;

#[cfg(test)]
mod tests;

/// The units that wait for their rides.
pub(super) struct Express {
    /// Tokio keeps the pumps away.
    crowded: AtomicBool,
    queue: Mutex<Queue>,
    /// Most units that wait.
    places: usize,
}

#[derive(Default)]
struct Queue {
    units: VecDeque<Unit>,
    /// Units that have gone, by a ride or otherwise.
    gone: usize,
}

impl Express {
    /// For so many workers; none where nobody would look after it.
    pub(super) fn new(workers: usize, is_watched: bool) -> Self {
        Self {
            crowded: AtomicBool::new(false),
            queue: Mutex::default(),
            places: if is_watched {
                workers * limits::RIDES_PER_WORKER
            } else {
                0
            },
        }
    }

    /// A pump tells whether tokio keeps it away.
    pub(super) fn set_crowded(&self, crowded: bool) {
        // Ordering: Relaxed, as in `is_crowded`; a hint.
        if self.crowded.load(Ordering::Relaxed) != crowded {
            self.crowded.store(crowded, Ordering::Relaxed);
        }
    }

    fn is_crowded(&self) -> bool {
        self.crowded.load(Ordering::Relaxed)
    }

    fn push(&self, unit: Unit) -> Result<(), Unit> {
        let units = &mut self.queue.lock().units;
        if units.len() >= self.places {
            return Err(unit);
        }
        units.push_back(unit);
        Ok(())
    }

    fn pop(&self) -> Option<Unit> {
        let mut queue = self.queue.lock();
        let unit = queue.units.pop_front()?;
        queue.gone = queue.gone.wrapping_add(1);
        Some(unit)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.queue.lock().units.is_empty()
    }

    /// All units, if none has gone since `seen`, which is brought up to date.
    fn take_overdue(&self, seen: &mut usize) -> VecDeque<Unit> {
        let mut queue = self.queue.lock();
        if std::mem::replace(seen, queue.gone) != queue.gone {
            return VecDeque::new();
        }
        queue.gone = queue.gone.wrapping_add(queue.units.len());
        std::mem::take(&mut queue.units)
    }
}

impl Shared {
    /// Has the unit run after the task of tokio's that has woken it, if tokio is busy; otherwise
    /// gives it back.
    pub(super) fn send_express(&self, unit: Unit) -> Result<(), Unit> {
        let is_wanted = self.express.is_crowded() && place::is_in_task();
        if !is_wanted || !self.is_around() || self.is_closing() {
            return Err(unit);
        }
        let (Some(handle), Some(shared)) = (self.host(), self.me().upgrade()) else {
            return Err(unit);
        };
        self.express.push(unit)?;
        self.arm();
        drop(handle.spawn(Ride(Some(shared))));
        Ok(())
    }

    /// Moves units that have waited for long to where pumps look.
    pub(super) fn end_waits(self: &Arc<Self>, seen: &mut usize) {
        let overdue = self.express.take_overdue(seen);
        if overdue.is_empty() {
            return;
        }
        for unit in overdue {
            self.inject(unit);
        }
        self.drain_elsewhere();
    }
}

/// A task of tokio's that runs one unit, if one still waits.
struct Ride(Option<Arc<Shared>>);

impl Future for Ride {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        if let Some(shared) = self.0.take()
            && let Some(unit) = shared.express.pop()
        {
            // A unit contains its own panics; should one get past it, nobody would hear of it.
            contain(|| unit.run());
        }
        Poll::Ready(())
    }
}

/// Dropped before it was polled: the runtime ends.
impl Drop for Ride {
    fn drop(&mut self) {
        if let Some(shared) = self.0.take()
            && let Some(unit) = shared.express.pop()
        {
            shared.schedule_remote(unit);
        }
    }
}
