//! Large futures and long chains of spawns need no deep stack.

use std::hint::black_box;
use std::sync::mpsc;
use std::thread;

use greenroom::runtime::Handle;
use greenroom::{JoinHandle, Runtime, yield_now};
use tokio::sync::oneshot;

use super::support::{LONG, both, multi, single, tokio_multi, tokio_single, within};

/// Bytes of a stack as threads get it unless they ask for more.
const STACK_BYTES: usize = 2 << 20;

/// How long chains are.
const DEEP: usize = 10_000;

/// Runs `body` on a thread with a stack of the usual size, whatever the test's own has.
fn on_usual_stack(body: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn(body);
    thread.unwrap().join().unwrap();
}

/// Bytes of a future that is large for any runtime.
const LARGE_BYTES: usize = 256 << 10;

/// A future that keeps so many bytes while it is suspended.
async fn large() -> usize {
    let kept = [1_u8; LARGE_BYTES];
    yield_now().await;
    black_box(&kept).iter().map(|&byte| usize::from(byte)).sum()
}

/// The output of a large future that was spawned on the runtime in some way.
fn output_of(spawn: impl FnOnce(&Runtime) -> JoinHandle<usize> + Copy + Send + 'static) {
    on_usual_stack(move || {
        for runtime in both() {
            let task = spawn(&runtime);
            let output = runtime.block_on(within("the output", task)).unwrap();
            assert_eq!(output, LARGE_BYTES);
        }
    });
}

#[test]
fn a_future_of_many_kilobytes_is_spawned_from_a_usual_stack() {
    assert!(size_of_val(&large()) >= LARGE_BYTES);
    output_of(|runtime| runtime.spawn(large()));
    output_of(|runtime| runtime.handle().spawn(large()));
    output_of(|runtime| {
        let _inside = runtime.enter();
        greenroom::spawn(large())
    });
}

#[test]
fn a_future_of_many_kilobytes_is_spawned_from_a_worker() {
    output_of(|runtime| runtime.spawn(async { greenroom::spawn(large()).await.unwrap() }));
    output_of(|runtime| {
        let (task, spawned) = oneshot::channel();
        let of_tokio = async move { task.send(greenroom::spawn(large())).unwrap() };
        runtime.tokio_handle().spawn(of_tokio);
        runtime.block_on(spawned).unwrap()
    });
}

#[test]
fn a_future_of_many_kilobytes_is_refused_on_a_usual_stack() {
    on_usual_stack(|| {
        let runtime = single();
        let handle = runtime.handle().clone();
        drop(runtime);
        let task = handle.spawn(large());
        assert!(
            futures::executor::block_on(task)
                .unwrap_err()
                .is_cancelled()
        );
    });
}

/// A task that spawns the next and waits for it.
fn chain(left: usize) -> JoinHandle<usize> {
    greenroom::spawn(async move {
        match left {
            0 => 0,
            _ => boxed(left - 1).await.unwrap() + 1,
        }
    })
}

fn boxed(left: usize) -> std::pin::Pin<Box<dyn Future<Output = ChainEnd> + Send>> {
    Box::pin(chain(left))
}

type ChainEnd = Result<usize, greenroom::JoinError>;

#[test]
fn a_task_may_wait_for_ten_thousand_that_wait_for_each_other() {
    for runtime in both() {
        let depth = runtime.block_on(async { within("the depth", chain(DEEP)).await.unwrap() });
        assert_eq!(depth, DEEP);
    }
}

/// Spawns a task that holds the next of its kind, when it is dropped.
struct Heir {
    left: usize,
    /// Whether the task waits until it is cancelled.
    waits: bool,
    runtime: Handle,
    done: Option<oneshot::Sender<usize>>,
}

impl Drop for Heir {
    fn drop(&mut self) {
        let done = self.done.take();
        if self.left == 0 {
            let _ = done.unwrap().send(DEEP);
            return;
        }
        let (left, waits, runtime) = (self.left - 1, self.waits, self.runtime.clone());
        let heir = Heir {
            left,
            waits,
            runtime,
            done,
        };
        drop(self.runtime.spawn(async move {
            let heir = heir;
            if heir.waits {
                std::future::pending::<()>().await;
            }
        }));
    }
}

fn heir(runtime: &Handle, waits: bool) -> (Heir, oneshot::Receiver<usize>) {
    let (done, is_done) = oneshot::channel();
    let heir = Heir {
        left: DEEP,
        waits,
        runtime: runtime.clone(),
        done: Some(done),
    };
    (heir, is_done)
}

#[test]
fn ten_thousand_tasks_may_each_be_spawned_by_the_drop_of_the_one_before() {
    for runtime in both() {
        let (heir, is_done) = heir(runtime.handle(), false);
        drop(heir);
        assert_eq!(runtime.block_on(within("the last", is_done)), Ok(DEEP));
    }
}

#[test]
fn a_shutdown_ends_a_chain_of_ten_thousand_tasks_that_each_spawn_one_as_they_are_dropped() {
    for runtime in both() {
        let (heir, is_done) = heir(runtime.handle(), true);
        runtime.spawn(async move {
            let _heir = heir;
            std::future::pending::<()>().await;
        });
        let (ended, end) = mpsc::channel();
        on_usual_stack(move || {
            drop(runtime);
            ended.send(()).unwrap();
        });
        end.recv_timeout(LONG).unwrap();
        assert_eq!(multi(1).block_on(is_done), Ok(DEEP));
    }
}

#[test]
fn a_host_that_ends_takes_such_a_chain_with_it() {
    for host in [tokio_single(), tokio_multi(2)] {
        let handle = greenroom::runtime::attach(host.handle()).unwrap();
        let (heir, is_done) = heir(&handle, true);
        handle.spawn(async move {
            let _heir = heir;
            std::future::pending::<()>().await;
        });
        on_usual_stack(move || drop(host));
        assert_eq!(multi(1).block_on(is_done), Ok(DEEP));
        assert_eq!(handle.metrics().live, 0);
    }
}

#[test]
fn a_plain_thread_may_start_such_a_chain_after_the_end() {
    on_usual_stack(|| {
        for runtime in both() {
            let handle = runtime.handle().clone();
            drop(runtime);
            let (heir, is_done) = heir(&handle, true);
            drop(heir);
            assert_eq!(futures::executor::block_on(is_done), Ok(DEEP));
        }
    });
}
