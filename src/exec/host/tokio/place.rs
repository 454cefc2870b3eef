//! Whether this thread is in the middle of a tokio task, or between tasks, where tokio's driver
//! wakes those whose data or time has come.
//!
//! `tokio::task::try_id()` alone does not tell: a worker thread is a blocking task itself, with an
//! id that shows between the tasks that it polls. So each worker thread finds out that id: a
//! pump leaves a *probe* with tokio's deferral, which is a waker that tokio wakes on the same
//! thread when it is between tasks.

use std::cell::Cell;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Wake, Waker};

use tokio::task::Id;

thread_local! {
    /// The id that shows on this worker thread between tasks, once it is known.
    static BETWEEN: Cell<Option<Id>> = const { Cell::new(None) };
    /// Turns of pumps on this thread.
    static TURNS: Cell<u32> = const { Cell::new(0) };
}

/// A thread may be a worker for a while, leave, and come back with another id; so probes are
/// repeated, every so many turns.
const TURNS_PER_PROBE: u32 = 4096;

static PROBE: LazyLock<Waker> = LazyLock::new(|| Waker::from(Arc::new(Probe)));

struct Probe;

impl Wake for Probe {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        BETWEEN.set(tokio::task::try_id());
    }
}

/// Called by a pump when its turn begins.
pub(super) fn probe() {
    let turns = TURNS.get();
    TURNS.set(turns.wrapping_add(1));
    if turns.is_multiple_of(TURNS_PER_PROBE) {
        leave_probe();
    }
}

#[cold]
fn leave_probe() {
    let known = BETWEEN.get();
    let _ = pin!(tokio::task::yield_now()).poll(&mut Context::from_waker(&PROBE));
    // Where there is nothing to defer to, tokio wakes at once: that says nothing.
    if BETWEEN.get() == tokio::task::try_id() {
        BETWEEN.set(known);
    }
}

/// Whether a wake on this thread comes from the middle of a task of tokio's.
pub(super) fn is_in_task() -> bool {
    tokio::task::try_id().is_some_and(|id| BETWEEN.get() != Some(id))
}

#[cfg(test)]
mod tests {
    use std::future::Future;
    use std::sync::Arc;
    use std::sync::mpsc::{Sender, channel};
    use std::task::{Context, Wake, Waker};
    use std::time::Duration;

    use tokio::sync::Notify;

    use super::{is_in_task, probe};

    /// Says from where it was woken, and that it was.
    struct Tell(Sender<bool>, Arc<Notify>);

    impl Wake for Tell {
        fn wake(self: Arc<Self>) {
            self.0.send(is_in_task()).unwrap();
            self.1.notify_one();
        }
    }

    #[test]
    fn wakes_by_the_driver_and_by_tasks_are_told_apart() {
        let host = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let (told, tells) = channel();
        let task = host.spawn(async move {
            probe();
            tokio::task::yield_now().await;
            let woken = Arc::new(Notify::new());
            let tell = Waker::from(Arc::new(Tell(told, Arc::clone(&woken))));
            tell.wake_by_ref();
            woken.notified().await;
            let mut timer = Box::pin(tokio::time::sleep(Duration::from_millis(1)));
            let poll = timer.as_mut().poll(&mut Context::from_waker(&tell));
            assert!(poll.is_pending());
            woken.notified().await;
        });
        host.block_on(task).unwrap();
        assert_eq!(tells.iter().collect::<Vec<_>>(), [true, false]);
    }
}
