//! `spawn_blocking`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};

use futures::executor::block_on;
use greenroom::{JoinHandle, spawn, spawn_blocking};

use super::support::{Drops, LONG, multi, single, within};

/// A runtime whose blocking pool has one thread.
fn narrow() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(1)
        .enable_all()
        .build()
        .unwrap()
}

/// A job that has begun, and goes on when the sender is used or dropped.
fn hold() -> (JoinHandle<&'static str>, mpsc::Sender<()>) {
    let ((begin, began), (go, gate)) = (mpsc::channel(), mpsc::channel());
    let job = spawn_blocking(move || {
        begin.send(()).unwrap();
        let _ = gate.recv();
        "held"
    });
    began.recv_timeout(LONG).expect("the job begins");
    (job, go)
}

#[test]
fn outputs_and_panics_of_jobs_come_through_the_handle() {
    single().block_on(async {
        assert_eq!(spawn_blocking(|| 6 * 7).await.unwrap(), 42);
        let error = spawn_blocking(|| panic!("on purpose")).await.unwrap_err();
        assert!(error.is_panic());
        let payload = error.try_into_panic().unwrap();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"on purpose"));
        let inside = spawn_blocking(|| spawn(async { 7 }));
        assert_eq!(inside.await.unwrap().await.unwrap(), 7);
    });
}

#[test]
fn a_job_aborted_before_it_starts_never_runs() {
    narrow().block_on(async {
        let (first, go) = hold();
        let (drops, ran) = (Drops::default(), Arc::new(AtomicBool::new(false)));
        let (guard, flag) = (drops.guard(), Arc::clone(&ran));
        let second = spawn_blocking(move || {
            let _guard = guard;
            flag.store(true, Ordering::SeqCst);
        });
        second.abort();
        assert!(!second.is_finished(), "its closure is still there");
        go.send(()).unwrap();
        let error = within("the abort", second).await.unwrap_err();
        assert!(error.is_cancelled());
        assert_eq!((drops.count(), ran.load(Ordering::SeqCst)), (1, false));
        assert_eq!(first.await.unwrap(), "held");
    });
}

#[test]
fn a_job_that_has_started_ends_in_spite_of_an_abort() {
    narrow().block_on(async {
        let (job, go) = hold();
        job.abort();
        go.send(()).unwrap();
        assert_eq!(within("the job", job).await.unwrap(), "held");
    });
}

#[test]
fn at_the_runtimes_end_each_job_ends_or_is_cancelled() {
    let runtime = narrow();
    let guard = runtime.enter();
    let (first, go) = hold();
    let drops = Drops::default();
    let unstarted = [(); 3].map(|()| {
        let guard = drops.guard();
        spawn_blocking(move || drop(guard))
    });
    drop(guard);
    runtime.shutdown_background();
    drop(go);
    assert_eq!(block_on(first).unwrap(), "held");
    for job in unstarted {
        assert!(block_on(job).map_or_else(|error| error.is_cancelled(), |()| true));
    }
    assert_eq!(drops.count(), 3);
}

#[test]
fn a_job_after_the_runtimes_end_is_cancelled_at_once() {
    let runtime = multi(1);
    let handle = runtime.handle().clone();
    drop(runtime);
    let drops = Drops::default();
    let guard = drops.guard();
    let job = handle.spawn_blocking(move || drop(guard));
    assert!(job.is_finished());
    assert_eq!(drops.count(), 1);
    assert!(block_on(job).unwrap_err().is_cancelled());
}

#[test]
fn a_job_whose_handle_was_dropped_runs() {
    single().block_on(async {
        let (tell, told) = tokio::sync::oneshot::channel();
        drop(spawn_blocking(move || tell.send(7)));
        assert_eq!(within("the job", told).await.unwrap(), 7);
    });
}

#[test]
fn no_job_is_forgotten() {
    const JOBS: usize = if cfg!(debug_assertions) { 500 } else { 5_000 };
    let runtime = multi(2);
    std::thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                let handle = runtime.handle();
                let jobs = async {
                    for i in 0..JOBS {
                        let job = handle.spawn_blocking(move || i);
                        assert_eq!(within("a job", job).await.unwrap(), i);
                    }
                };
                handle.block_on(jobs);
            });
        }
    });
}

#[test]
fn outside_a_runtime_the_panic_says_so() {
    let called = std::panic::catch_unwind(|| spawn_blocking(|| ()));
    let text = called.unwrap_err().downcast::<String>().unwrap();
    assert!(
        text.starts_with("greenroom::spawn_blocking: no runtime is around"),
        "{text}"
    );
}
