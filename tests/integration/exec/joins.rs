//! When a task counts as ended: after its future is gone, and not when that was asked for.

use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::task::Poll;
use std::thread;

use futures::poll;
use greenroom::{ExitReason, JoinHandle, actor, yield_now};
use tokio::sync::oneshot;

use super::support::{LONG, both, multi, within};

/// Takes its time to be dropped, and then says so.
struct Slow(Arc<AtomicBool>);

impl Drop for Slow {
    fn drop(&mut self) {
        for _ in 0..3 {
            thread::yield_now();
        }
        // Ordering: Relaxed; the join alone must make it visible.
        self.0.store(true, Ordering::Relaxed);
    }
}

/// How the task of a round ends.
#[derive(Clone, Copy, Debug)]
enum Way {
    Completes,
    Panics,
    IsAborted,
    IsAbortedBeforeItRuns,
}

impl Way {
    const ALL: [Self; 4] = [
        Self::Completes,
        Self::Panics,
        Self::IsAborted,
        Self::IsAbortedBeforeItRuns,
    ];

    fn task(self, kept: Slow) -> JoinHandle<()> {
        greenroom::spawn(async move {
            let _kept = kept;
            yield_now().await;
            match self {
                Self::Completes => {}
                Self::Panics => std::panic::resume_unwind(Box::new(())),
                Self::IsAborted | Self::IsAbortedBeforeItRuns => pending().await,
            }
        })
    }
}

/// Spawns a task and waits for its end in one of three ways.
async fn round(way: Way, observer: usize) {
    let gone = Arc::new(AtomicBool::new(false));
    let is_gone = || gone.load(Ordering::Relaxed);
    let task = way.task(Slow(Arc::clone(&gone)));
    let abort = task.abort_handle();
    match way {
        Way::IsAborted => {
            yield_now().await;
            abort.abort();
        }
        Way::IsAbortedBeforeItRuns => abort.abort(),
        Way::Completes | Way::Panics => {}
    }
    match observer {
        0 => {
            while !task.is_finished() {
                yield_now().await;
            }
            assert!(is_gone(), "{way:?}: finished, says the join handle");
        }
        1 => {
            while !abort.is_finished() {
                yield_now().await;
            }
            assert!(is_gone(), "{way:?}: finished, says the abort handle");
        }
        _ => {}
    }
    let result = within("the end", task).await;
    assert!(is_gone(), "{way:?}: joined");
    match way {
        Way::Completes => assert!(result.is_ok()),
        Way::Panics => assert!(result.unwrap_err().is_panic()),
        Way::IsAborted | Way::IsAbortedBeforeItRuns => assert!(result.unwrap_err().is_cancelled()),
    }
}

#[test]
fn in_ten_thousand_rounds_an_end_is_told_only_after_the_future_was_dropped() {
    let runtime = multi(4);
    let rounds: usize = if cfg!(debug_assertions) {
        2_500
    } else {
        10_000
    };
    let drivers = (0..4).map(|driver| {
        runtime.spawn(async move {
            for index in (driver..4 * rounds).step_by(4) {
                round(Way::ALL[index / 4 % 4], index / 16 % 3).await;
            }
        })
    });
    let drivers: Vec<_> = drivers.collect();
    for driver in drivers {
        runtime.block_on(driver).unwrap();
    }
    assert_eq!(runtime.metrics().live, 0);
}

/// A poll that goes on until it is let go.
fn long_poll() -> (
    impl Future<Output = u32> + Send,
    mpsc::Receiver<()>,
    mpsc::Sender<bool>,
) {
    let (enter, entered) = mpsc::channel();
    let (release, released) = mpsc::channel();
    let future = async move {
        enter.send(()).unwrap();
        if released.recv_timeout(LONG).unwrap() {
            return 7;
        }
        pending().await
    };
    (future, entered, release)
}

#[test]
fn an_aborted_task_is_not_finished_while_its_poll_runs() {
    let runtime = multi(2);
    for gives_output in [true, false] {
        let (future, entered, release) = long_poll();
        let mut task = runtime.spawn(future);
        entered.recv_timeout(LONG).unwrap();
        task.abort();
        task.abort_handle().abort();
        assert!(!task.is_finished() && !task.abort_handle().is_finished());
        let early = runtime.block_on(async { poll!(&mut task).is_pending() });
        assert!(early, "joined while the poll was running");
        assert_eq!(runtime.metrics().live, 1);
        release.send(gives_output).unwrap();
        let result = runtime.block_on(within("the end", task));
        match gives_output {
            true => assert_eq!(result.unwrap(), 7, "the output counts"),
            false => assert!(result.unwrap_err().is_cancelled()),
        }
        assert_eq!(runtime.metrics().live, 0);
    }
}

/// Is in its handler until it is let go.
#[actor]
struct Spinner;

#[actor]
impl Spinner {
    #[message(inline = never)]
    fn spin(&mut self, entered: oneshot::Sender<()>, released: mpsc::Receiver<()>) -> u32 {
        entered.send(()).unwrap();
        released.recv_timeout(LONG).unwrap();
        7
    }
}

#[test]
fn a_killed_actor_is_not_stopped_while_its_handler_runs() {
    let runtime = multi(2);
    runtime.block_on(async {
        let spinner = Spinner.spawn();
        let (enter, entered) = oneshot::channel();
        let (release, released) = mpsc::channel();
        let mut ask = std::pin::pin!(spinner.spin(enter, released));
        assert!(poll!(&mut ask).is_pending());
        within("the handler", entered).await.unwrap();
        spinner.kill();
        let mut join = std::pin::pin!(spinner.join());
        assert!(!spinner.is_stopped() && spinner.exit_reason().is_none());
        assert!(
            poll!(&mut join).is_pending(),
            "ended while the handler was running"
        );
        release.send(()).unwrap();
        assert!(matches!(within("the end", join).await, ExitReason::Killed));
        assert!(spinner.is_stopped());
        // It never awaited, so it has replied.
        assert_eq!(within("the reply", ask).await.unwrap(), 7);
    });
}

#[test]
fn a_join_handle_that_is_polled_once_and_kept_is_told_of_the_end() {
    for runtime in both() {
        runtime.block_on(async {
            let (go, gate) = oneshot::channel::<()>();
            let mut task = greenroom::spawn(gate);
            assert_eq!(poll!(&mut task).map(drop), Poll::Pending);
            go.send(()).unwrap();
            within("the end", task).await.unwrap().unwrap();
        });
    }
}
