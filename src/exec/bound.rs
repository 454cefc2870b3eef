//! A thread of an actor's own: a scheduler that runs one unit, on that thread alone.
//!
//! The unit is in the executor's list as any other, so the executor's end reaches it. It stands in
//! none of the executor's queues, so nobody else runs it: it is not lent either. The thread waits
//! for the unit, which stands in the channel at most once (U3), and ends when the unit has.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread;

use super::executor::Executor;
use super::host::tokio::Shared;
use crate::contain::contain;
use crate::limits::OWN_THREADS_MAX;
use crate::task::{Extensions, Header, Loss, Observer, Schedule, Unit};

/// Why there is no thread.
#[derive(Debug)]
pub(crate) enum NoThread {
    /// There are as many as there may be.
    TooMany,
    /// The runtime has ended.
    Gone,
    /// The operating system refuses.
    Refused(io::Error),
}

/// What a thread's unit is scheduled by.
struct Bound {
    shared: Arc<Shared>,
    /// `None` ends the thread, as does the drop of this.
    to_thread: Sender<Option<Unit>>,
}

impl Executor {
    /// Starts a thread for one unit that is about to be made, and bound to this executor. If it is
    /// not, the thread ends when the result is dropped.
    pub(crate) fn own_thread(&self, name: &str) -> Result<Arc<dyn Schedule>, NoThread> {
        let shared = Arc::clone(self.shared());
        let place = Place::take(&shared).ok_or(NoThread::TooMany)?;
        let tokio = shared.host().ok_or(NoThread::Gone)?;
        let (to_thread, units) = mpsc::channel::<Option<Unit>>();
        let run = move || {
            let _place = place;
            let _around = tokio.enter();
            while let Ok(Some(unit)) = units.recv() {
                // A unit contains its own panics; should one get past it, the thread goes on.
                contain(|| unit.run());
            }
        };
        // An operating system's name ends at a zero.
        let name = name.replace('\0', "");
        let thread = thread::Builder::new().name(name).spawn(run);
        drop(thread.map_err(NoThread::Refused)?);
        Ok(Arc::new(Bound { shared, to_thread }))
    }
}

/// One of the threads that there may be, until it is dropped.
struct Place(Arc<Shared>);

impl Place {
    fn take(shared: &Arc<Shared>) -> Option<Self> {
        let count: &AtomicUsize = shared.own_threads();
        // Ordering: Relaxed; a number, which orders nothing.
        let old = count.fetch_add(1, Ordering::Relaxed);
        let place = Self(Arc::clone(shared));
        (old < OWN_THREADS_MAX).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // Ordering: Relaxed; as above.
        self.0.own_threads().fetch_sub(1, Ordering::Relaxed);
    }
}

impl Schedule for Bound {
    fn schedule(&self, unit: Unit) {
        // The thread goes on until the unit has ended, and then nothing schedules it.
        drop(self.to_thread.send(Some(unit)));
    }

    fn schedule_yielded(&self, unit: Unit) {
        self.schedule(unit);
    }

    fn schedule_background(&self, unit: Unit) {
        self.schedule(unit);
    }

    fn unbind(&self, header: &Header) -> Option<Unit> {
        drop(self.to_thread.send(None));
        Schedule::unbind(&*self.shared, header)
    }

    fn is_around(&self) -> bool {
        self.shared.is_around()
    }

    fn count_loss(&self, loss: Loss) {
        self.shared.count_loss(loss);
    }

    fn observer(&self) -> Option<&Observer> {
        self.shared.observer()
    }

    fn aborts_on_panic(&self) -> bool {
        self.shared.aborts_on_panic()
    }

    fn extensions(&self) -> Option<&Extensions> {
        Schedule::extensions(&*self.shared)
    }
}
