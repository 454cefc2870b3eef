//! Handles of runtimes, and what they say to bad use.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use greenroom::runtime::{self, Handle};
use greenroom::{Runtime, yield_now};
use tokio::runtime::RuntimeFlavor;

use super::support::{Drops, both, multi, single, tokio_multi, tokio_single, within};

/// The text of the panic that `code` ends in.
fn panic_of<R>(code: impl FnOnce() -> R) -> String {
    let Err(payload) = catch_unwind(AssertUnwindSafe(code)) else {
        panic!("it did not panic");
    };
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => (*payload.downcast::<&'static str>().unwrap()).to_owned(),
    }
}

/// What tokio says to code that blocks a thread which drives tasks.
const NESTED: &str = "Cannot start a runtime from within a runtime";

#[test]
fn a_handle_says_which_runtime_it_is_of() {
    for (runtime, flavor) in [
        (single(), RuntimeFlavor::CurrentThread),
        (multi(1), RuntimeFlavor::MultiThread),
    ] {
        let handle = runtime.handle();
        assert_eq!(handle.runtime_flavor(), flavor);
        assert_eq!(handle.id(), runtime.tokio_handle().id());
        assert_eq!(handle.tokio_handle().id(), handle.id());
        let inside = runtime.block_on(async { Handle::current().id() });
        assert_eq!(inside, handle.id());
        let text = format!("{handle:?}");
        assert!(text.contains("is_closed: false"), "{text}");
    }
}

#[test]
fn a_handle_blocks_on_futures_of_its_runtime() {
    let runtime = multi(1);
    let handle = runtime.handle().clone();
    let answer = handle.block_on(within("the answer", async {
        let timer = tokio::time::timeout(std::time::Duration::ZERO, std::future::pending::<()>());
        timer.await.unwrap_err();
        greenroom::spawn(async { 7 }).await.unwrap()
    }));
    assert_eq!(answer, 7);
}

#[test]
fn an_entered_handle_is_the_one_around() {
    for runtime in both() {
        let handle = runtime.handle().clone();
        let task = {
            let _guard = handle.enter();
            greenroom::spawn(async { Handle::current().id() })
        };
        assert!(Handle::try_current().is_err());
        let id = runtime.block_on(within("the id", task)).unwrap();
        assert_eq!(id, handle.id());
    }
}

#[test]
fn blocking_jobs_run_inside_the_runtime_and_not_after_it() {
    for runtime in both() {
        let handle = runtime.handle().clone();
        let job = handle.spawn_blocking(|| Handle::current().id());
        let id = runtime.block_on(within("the id", job)).unwrap();
        assert_eq!(id, handle.id());
        drop(runtime);
        let late = handle.spawn_blocking(|| {});
        let error = futures::executor::block_on(late).unwrap_err();
        assert!(error.is_cancelled(), "{error}");
    }
}

#[test]
fn to_block_in_a_task_is_a_panic_and_no_deadlock() {
    for runtime in both() {
        let runtime = Arc::new(runtime);
        let inner = Arc::clone(&runtime);
        let task = runtime.spawn(async move {
            let texts = [
                panic_of(|| inner.block_on(yield_now())),
                panic_of(|| inner.handle().block_on(yield_now())),
                panic_of(|| multi(1).block_on(yield_now())),
                panic_of(|| single().block_on(yield_now())),
            ];
            drop(inner);
            texts
        });
        for text in runtime.block_on(within("the texts", task)).unwrap() {
            assert!(text.starts_with(NESTED), "{text}");
        }
    }
}

#[test]
fn to_block_in_block_on_is_a_panic_and_no_deadlock() {
    for runtime in both() {
        for inner in both() {
            let text = runtime.block_on(async { panic_of(|| inner.block_on(async {})) });
            assert!(text.starts_with(NESTED), "{text}");
        }
        let text = runtime.block_on(async { panic_of(|| runtime.block_on(async {})) });
        assert!(text.starts_with(NESTED), "{text}");
        assert_eq!(runtime.block_on(async { 7 }), 7);
    }
}

#[test]
fn a_blocking_section_of_a_task_may_block_on_the_runtime() {
    let runtime = multi(2);
    let handle = runtime.handle().clone();
    let task = runtime.spawn(async move {
        let woken = greenroom::spawn(async { 7 });
        tokio::task::block_in_place(|| handle.block_on(woken)).unwrap()
    });
    let answer = runtime.block_on(within("the answer", task)).unwrap();
    assert_eq!(answer, 7);
}

#[test]
fn after_the_end_a_handle_cancels_and_refuses() {
    let ended = |handle: Handle| {
        assert!(handle.is_closed());
        let error = futures::executor::block_on(handle.spawn(async {})).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("task {} was cancelled", error.id())
        );
        let drops = Drops::default();
        let guard = drops.guard();
        let refused = handle.try_spawn(async move { drop(guard) }).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "the runtime is shutting down and takes no task"
        );
        assert_eq!(drops.count(), 0);
        drop(refused.into_inner());
        assert_eq!(drops.count(), 1);
        assert_eq!(handle.metrics().live, 0);
    };
    for runtime in both() {
        let handle = runtime.handle().clone();
        drop(runtime);
        ended(handle);
    }
    for host in [tokio_single(), tokio_multi(1)] {
        let handle = runtime::attach(host.handle()).unwrap();
        drop(host);
        ended(handle);
    }
}

#[test]
fn timers_after_the_end_of_the_host_say_that_it_is_over() {
    for host in [tokio_single(), tokio_multi(1)] {
        let handle = runtime::attach(host.handle()).unwrap();
        drop(host);
        assert_eq!(handle.block_on(async { 7 }), 7);
        let limit = std::time::Duration::from_millis(1);
        let wait = async { tokio::time::timeout(limit, std::future::pending::<()>()).await };
        let text = panic_of(|| handle.block_on(wait));
        assert!(
            text.contains("shutdown") || text.contains("shutting down"),
            "{text}"
        );
    }
}

#[test]
fn a_future_is_handed_back_even_if_the_end_comes_during_the_spawn() {
    for builder in [
        Runtime::builder().current_thread(),
        Runtime::builder().worker_threads(1),
    ] {
        let held = Arc::new(Mutex::new(None::<Runtime>));
        let ends = Arc::clone(&held);
        // The hook runs after the look whether the runtime takes tasks, and before it takes one.
        let runtime = builder
            .on_task_spawn(move |_| drop(ends.lock().unwrap().take()))
            .build()
            .unwrap();
        let handle = runtime.handle().clone();
        *held.lock().unwrap() = Some(runtime);
        assert!(!handle.is_closed());
        let drops = Drops::default();
        let guard = drops.guard();
        let refused = handle.try_spawn(async move { drop(guard) }).unwrap_err();
        assert_eq!(drops.count(), 0);
        futures::executor::block_on(refused.into_inner());
        assert_eq!(drops.count(), 1);
    }
}

#[test]
fn what_is_spawned_by_the_fallible_call_runs() {
    for runtime in both() {
        let task = runtime.handle().try_spawn(async { 7 }).unwrap();
        assert_eq!(runtime.block_on(within("the answer", task)).unwrap(), 7);
    }
}
