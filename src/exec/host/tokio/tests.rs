use std::panic::Location;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};

use super::registry;
use super::shared::Shared;
use super::{Attach, attach};
use crate::exec::executor::Executor;
#[cfg(feature = "rt-multi-thread")]
use crate::exec::in_place::block_in_place;
use crate::exec::spawn;
use crate::task::yield_now;

fn hosts() -> [Runtime; 2] {
    let threads = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build();
    let current = Builder::new_current_thread().enable_all().build();
    [threads.unwrap(), current.unwrap()]
}

fn executor(host: &Runtime) -> Executor {
    Executor::from_shared(attach(host.handle(), Attach::Any).unwrap())
}

/// Whether it is what a spawn here would find.
fn is_around(executor: &Executor) -> bool {
    Executor::current().is_ok_and(|around| Arc::ptr_eq(around.shared(), executor.shared()))
}

/// Waits for others that look at the executor in passing.
fn wait_until_freed(shared: &Weak<Shared>) {
    while shared.strong_count() > 0 {
        thread::yield_now();
    }
}

#[test]
fn an_executor_is_freed_and_forgotten_with_its_host() {
    for host in hosts() {
        let id = host.handle().id();
        host.block_on(async {
            spawn(async { spawn(yield_now()).await.unwrap() })
                .await
                .unwrap()
        });
        let endless = std::future::pending::<()>();
        drop(executor(&host).spawn(endless, Location::caller()));
        let shared = Arc::downgrade(executor(&host).shared());
        assert!(registry::knows(id));
        drop(host);
        assert!(!registry::knows(id));
        wait_until_freed(&shared);
    }
}

#[test]
fn a_handle_that_is_kept_keeps_no_host() {
    for host in hosts() {
        let kept = executor(&host);
        let tokio_handle = kept.shared().handle.lock().clone();
        assert!(tokio_handle.is_some());
        drop(host);
        assert!(kept.shared().handle.lock().is_none());
        assert!(kept.is_closed());
        assert!(!registry::knows(tokio_handle.unwrap().id()));
    }
}

#[cfg(feature = "rt-multi-thread")]
#[test]
fn the_monitor_rests_while_a_task_blocks_in_place() {
    let [host, _] = hosts();
    let executor = executor(&host);
    let ((begin, began), (go, gate)) = (mpsc::channel(), mpsc::channel::<()>());
    let blocks = async move {
        block_in_place(|| {
            begin.send(()).unwrap();
            let _ = gate.recv();
        });
    };
    let task = executor.spawn(blocks, Location::caller());
    began.recv().unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while executor.shared().armed.load(Ordering::Acquire) {
        assert!(Instant::now() < deadline, "it watches for ever");
        thread::yield_now();
    }
    drop(go);
    host.block_on(task).unwrap();
}

#[test]
fn a_thread_is_inside_the_executor_whose_runtime_polls_it() {
    let [first, second] = hosts();
    let (ours, other) = (executor(&first), executor(&second));
    assert!(!is_around(&ours));
    let asked = ours.clone();
    // Twice, since the answer is remembered.
    let ask = move || {
        let answers = [is_around(&asked), is_around(&asked)];
        (answers, [is_around(&other), is_around(&other)])
    };
    let inside = ([true, true], [false, false]);
    let of_task = ask.clone();
    assert_eq!(
        first
            .block_on(ours.spawn(async move { of_task() }, Location::caller()))
            .unwrap(),
        inside
    );
    let of_task = ask.clone();
    assert_eq!(
        first
            .block_on(first.spawn(async move { of_task() }))
            .unwrap(),
        inside
    );
    let of_main = ask.clone();
    assert_eq!(first.block_on(async move { of_main() }), inside);
    let outside = ([false, false], [true, true]);
    assert_eq!(second.block_on(async move { ask() }), outside);
}
