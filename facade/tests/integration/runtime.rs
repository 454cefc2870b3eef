//! Runtimes and handles with tokio's names.

use std::future::pending;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Handle, LocalOptions, Runtime, RuntimeFlavor};
use tokio::time::timeout;

use crate::support::{Drops, both, is_ours, multi, single, until, within};

/// A counter, and a hook that counts up.
fn counter() -> (Arc<AtomicUsize>, impl Fn() + Send + Sync + 'static) {
    let count = Arc::new(AtomicUsize::new(0));
    let mine = Arc::clone(&count);
    (count, move || {
        mine.fetch_add(1, Ordering::SeqCst);
    })
}

#[test]
fn a_builder_hands_each_option_to_the_host() {
    let (started, on_start) = counter();
    let (stopped, on_stop) = counter();
    let (parked, on_park) = counter();
    let (unparked, on_unpark) = counter();
    let runtime = Builder::new_multi_thread()
        .enable_all()
        .worker_threads(3)
        .max_blocking_threads(1)
        .thread_name("stage")
        .name("house")
        .thread_stack_size(1 << 20)
        .thread_keep_alive(Duration::from_secs(1))
        .event_interval(31)
        .max_io_events_per_tick(64)
        .max_io_events_per_busy_tick(32)
        .global_queue_interval(31)
        .on_thread_start(on_start)
        .on_thread_stop(on_stop)
        .on_thread_park(on_park)
        .on_thread_unpark(on_unpark)
        .build()
        .unwrap();
    assert_eq!(runtime.metrics().num_workers(), 3);
    assert_eq!(runtime.handle().name(), Some("house"));
    // The scheduler was told as well: it is there with this option, and only so.
    let options = |picks| greenroom::Runtime::builder().global_queue_interval(picks);
    assert!(options(31).attach(runtime.handle()).is_ok());
    assert!(options(30).attach(runtime.handle()).is_err());
    let task = runtime.spawn(async { thread::current().name().map(str::to_owned) });
    let name = runtime.block_on(within(task)).unwrap();
    assert_eq!(name.as_deref(), Some("stage"));
    drop(runtime);
    assert!(started.load(Ordering::SeqCst) >= 3);
    assert_eq!(
        started.load(Ordering::SeqCst),
        stopped.load(Ordering::SeqCst)
    );
    assert!(parked.load(Ordering::SeqCst) > 0);
    assert!(unparked.load(Ordering::SeqCst) > 0);
}

#[test]
fn threads_may_be_named_by_a_function() {
    let mut builder = Builder::new_multi_thread();
    let runtime = builder.worker_threads(1).thread_name_fn(|| "named".into());
    let runtime = runtime.build().unwrap();
    let task = runtime.spawn(async { thread::current().name().map(str::to_owned) });
    let name = runtime.block_on(task).unwrap();
    assert_eq!(name.as_deref(), Some("named"));
}

#[test]
fn a_builder_builds_more_than_once() {
    let mut builder = Builder::new_current_thread();
    builder.enable_all().global_queue_interval(7);
    let (one, two) = (builder.build().unwrap(), builder.build().unwrap());
    assert_ne!(one.handle().id(), two.handle().id());
    assert_eq!(one.block_on(one.spawn(async { 1 })).unwrap(), 1);
    assert_eq!(two.block_on(two.spawn(async { 2 })).unwrap(), 2);
}

#[test]
fn drivers_are_there_only_if_they_were_asked_for() {
    let sleeps = async { drop(timeout(Duration::ZERO, pending::<()>())) };
    let connects = async { tokio::net::UdpSocket::bind("127.0.0.1:0").await.map(drop) };
    let build = |set: fn(&mut Builder) -> &mut Builder| {
        set(&mut Builder::new_current_thread()).build().unwrap()
    };
    build(|builder| builder.enable_time()).block_on(sleeps);
    build(|builder| builder.enable_io())
        .block_on(connects)
        .unwrap();
    let bare = build(|builder| builder);
    let task = bare.spawn(async { drop(timeout(Duration::ZERO, pending::<()>())) });
    assert!(bare.block_on(task).unwrap_err().is_panic());
}

#[test]
fn options_without_sense_panic_as_in_tokio() {
    let settings: [fn(&mut Builder) -> &mut Builder; 4] = [
        |builder| builder.worker_threads(0),
        |builder| builder.max_blocking_threads(0),
        |builder| builder.global_queue_interval(0),
        |builder| builder.event_interval(0),
    ];
    for set in settings {
        let tried = thread::spawn(move || drop(set(&mut Builder::new_multi_thread()).build()));
        assert!(tried.join().is_err());
    }
}

#[test]
fn a_current_thread_builder_takes_worker_threads_and_ignores_them() {
    let runtime = Builder::new_current_thread().worker_threads(4).build();
    assert_eq!(runtime.unwrap().metrics().num_workers(), 1);
}

#[test]
fn a_paused_clock_jumps_while_tasks_sleep() {
    let mut builder = Builder::new_current_thread();
    let runtime = builder.enable_all().start_paused(true).build().unwrap();
    let slept = runtime.block_on(async {
        let began = tokio::time::Instant::now();
        let hour = Duration::from_secs(3600);
        tokio::spawn(timeout(hour, pending::<()>()))
            .await
            .unwrap()
            .unwrap_err();
        began.elapsed()
    });
    assert!(slept >= Duration::from_secs(3600));
}

#[test]
fn a_new_runtime_has_workers_and_drivers() {
    let runtime = Runtime::new().unwrap();
    assert_eq!(
        runtime.handle().runtime_flavor(),
        RuntimeFlavor::MultiThread
    );
    let ends = async { timeout(Duration::ZERO, pending::<()>()).await };
    assert!(runtime.block_on(ends).is_err());
}

#[test]
fn a_handle_knows_its_runtime() {
    for runtime in both() {
        let here = runtime.block_on(async { Handle::current() });
        assert_eq!(here.id(), runtime.handle().id());
        assert_eq!(here.runtime_flavor(), runtime.handle().runtime_flavor());
        let _inside = here.enter();
        assert_eq!(Handle::try_current().unwrap().id(), here.id());
    }
    assert!(Handle::try_current().unwrap_err().is_missing_context());
}

#[test]
fn a_handle_blocks_on_a_future_from_another_thread() {
    let runtime = multi();
    let handle = runtime.handle().clone();
    let other =
        thread::spawn(move || handle.block_on(async { tokio::spawn(async { 6 * 7 }).await }));
    assert_eq!(other.join().unwrap().unwrap(), 42);
}

#[test]
fn metrics_count_our_tasks_and_tokios_workers() {
    let runtime = multi();
    let metrics = runtime.metrics();
    assert_eq!((metrics.num_workers(), metrics.num_alive_tasks()), (2, 0));
    let (finish, end) = tokio::sync::oneshot::channel::<()>();
    let task = runtime.spawn(end);
    assert_eq!(metrics.num_alive_tasks(), 1);
    finish.send(()).unwrap();
    runtime.block_on(within(task)).unwrap().unwrap();
    assert_eq!(runtime.handle().metrics().num_alive_tasks(), 0);
    until(|| metrics.worker_park_count(0) + metrics.worker_park_count(1) > 0);

    let still = single();
    drop(still.spawn(async {}));
    assert_eq!(still.metrics().global_queue_depth(), 1);
}

#[test]
fn a_dropped_runtime_has_dropped_its_tasks_and_waited_for_what_blocks() {
    for runtime in both() {
        let drops = Drops::default();
        let (task, blocking) = (drops.guard(), drops.guard());
        runtime.spawn(async move {
            let _kept = task;
            std::future::pending::<()>().await;
        });
        let (began, begun) = mpsc::channel();
        runtime.spawn_blocking(move || {
            let _kept = blocking;
            began.send(()).unwrap();
        });
        begun.recv().unwrap();
        drop(runtime);
        assert_eq!(drops.count(), 2);
    }
}

#[test]
fn a_shutdown_with_a_limit_leaves_what_blocks_behind() {
    let runtime = multi();
    let (began, begun) = mpsc::channel();
    let (open, gate) = mpsc::channel::<()>();
    runtime.spawn_blocking(move || {
        began.send(()).unwrap();
        let _ = gate.recv();
    });
    begun.recv().unwrap();
    runtime.shutdown_timeout(Duration::ZERO);
    drop(open);
}

#[test]
fn a_runtime_may_be_dropped_in_async_code() {
    let (outer, inner) = (single(), single());
    let drops = Drops::default();
    let guard = drops.guard();
    inner.spawn(async move {
        let _kept = guard;
        pending::<()>().await;
    });
    let task = outer.spawn(async { drop(inner) });
    assert!(outer.block_on(within(task)).is_ok());
    assert_eq!(drops.count(), 1);
}

#[test]
fn a_runtime_ends_though_a_task_blocks_until_another_is_dropped() {
    let (ended, end) = mpsc::channel();
    thread::spawn(move || {
        let runtime = multi();
        let (began, begun) = mpsc::channel();
        let (kept, gate) = mpsc::channel::<()>();
        runtime.spawn(async move {
            let _kept = kept;
            pending::<()>().await;
        });
        runtime.spawn(async move {
            tokio::task::block_in_place(|| {
                began.send(()).unwrap();
                let _ = gate.recv();
            });
        });
        begun.recv().unwrap();
        drop(runtime);
        ended.send(()).unwrap();
    });
    end.recv_timeout(Duration::from_secs(30)).expect("a hang");
}

#[test]
fn tasks_spawned_in_a_local_runtime_are_ours_and_stay_on_its_thread() {
    let mut builder = Builder::new_current_thread();
    let runtime = builder.enable_all().build_local(LocalOptions::default());
    runtime.unwrap().block_on(async {
        let here = thread::current().id();
        let task = tokio::spawn(async { thread::current().id() });
        assert_eq!(within(task).await.unwrap(), here);
        assert!(tokio::spawn(is_ours()).await.unwrap());
    });
}
