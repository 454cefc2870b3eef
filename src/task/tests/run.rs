//! Activations, wakes and drops of the future.

use std::future::{pending, poll_fn};
use std::task::Poll;

use super::*;
use crate::task::yield_now;

#[test]
fn a_task_is_polled_once_per_wake() {
    let rig = Rig::new();
    let (polls, gate) = (Count::default(), Gate::default());
    let handle = rig.spawn({
        let (polls, gate) = (polls.clone(), gate.clone());
        poll_fn(move |cx| {
            polls.add();
            gate.poll(cx)
        })
    });
    assert_eq!(rig.run_all(), 1);
    assert_eq!(rig.run_all(), 0);
    gate.waker().wake_by_ref();
    assert_eq!(rig.run_all(), 1);
    gate.open();
    assert_eq!(rig.run_all(), 1);
    assert_eq!(polls.get(), 3);
    assert!(result(handle).is_ok());
}

#[test]
fn wakes_before_a_run_merge_into_one() {
    let rig = Rig::new();
    let gate = Gate::default();
    let handle = rig.spawn(gate.clone().wait());
    gate.open();
    assert_eq!(rig.run_all(), 1);
    assert!(handle.is_finished());

    let gate = Gate::default();
    let handle = rig.spawn(gate.clone().wait());
    rig.run_all();
    gate.waker().wake();
    gate.waker().wake_by_ref();
    gate.open();
    assert_eq!(rig.queued(), 1);
    rig.run_all();
    assert!(handle.is_finished());
}

#[test]
fn a_wake_after_the_end_is_ignored() {
    let rig = Rig::new();
    let gate = Gate::default();
    let handle = rig.spawn(gate.clone().wait());
    rig.run_all();
    let waker = gate.waker();
    gate.open();
    rig.run_all();
    waker.wake_by_ref();
    waker.wake();
    assert_eq!(rig.queued(), 0);
    assert!(result(handle).is_ok());
}

#[test]
fn a_wake_during_the_poll_queues_the_task_behind_what_waits() {
    let rig = Rig::new();
    let first = rig.spawn(async {
        note("first");
        yield_now().await;
        note("first again");
    });
    let second = rig.spawn(async { note("second") });
    rig.run_all();
    assert_eq!(noted(), ["first", "second", "first again"]);
    assert_eq!(rig.yields(), 1);
    assert!(result(first).is_ok() && result(second).is_ok());
}

#[test]
fn the_future_is_dropped_at_its_end_though_a_waker_is_kept() {
    let rig = Rig::new();
    let (drops, gate) = (Count::default(), Gate::default());
    let handle = rig.spawn({
        let (guard, gate) = (Guard::new(&drops), gate.clone());
        async move {
            gate.wait().await;
            drop(guard);
        }
    });
    rig.run_all();
    let waker = gate.waker();
    gate.open();
    assert_eq!(drops.get(), 0);
    rig.run_all();
    assert_eq!(drops.get(), 1);
    assert!(result(handle).is_ok());
    assert_eq!(
        Arc::strong_count(&rig.0),
        2,
        "the waker keeps the allocation"
    );
    drop(waker);
    assert_eq!(Arc::strong_count(&rig.0), 1);
}

#[test]
fn a_suspended_future_goes_with_the_last_count() {
    let rig = Rig::new();
    let drops = Count::default();
    let suspend = |guard| async move {
        let _guard = guard;
        pending::<()>().await;
    };
    // By the runner, as nobody can wake it.
    drop(rig.spawn_unlisted(suspend(Guard::new(&drops))));
    rig.run_all();
    assert_eq!(drops.get(), 1);
    // By the join handle.
    let handle = rig.spawn_unlisted(suspend(Guard::new(&drops)));
    rig.run_all();
    assert_eq!(drops.get(), 1);
    drop(handle);
    assert_eq!(drops.get(), 2);
    // By the abort handle.
    let handle = rig
        .spawn_unlisted(suspend(Guard::new(&drops)))
        .abort_handle();
    rig.run_all();
    assert_eq!(drops.get(), 2);
    drop(handle);
    assert_eq!(drops.get(), 3);
    // By the unit, before the first poll.
    drop(rig.spawn_unlisted(suspend(Guard::new(&drops))));
    rig.0.queue.lock().unwrap().clear();
    assert_eq!(drops.get(), 4);
    // By a waker.
    let (gate, guard) = (Gate::default(), Guard::new(&drops));
    drop(rig.spawn_unlisted({
        let wait = gate.clone().wait();
        async move {
            let _guard = guard;
            wait.await;
        }
    }));
    rig.run_all();
    assert_eq!(drops.get(), 4);
    let waker = gate.0.lock().unwrap().1.take();
    drop(waker);
    assert_eq!(drops.get(), 5);
}

#[test]
fn large_and_strictly_aligned_futures_work() {
    #[derive(Clone, Copy)]
    #[repr(align(256))]
    struct Aligned(u64);

    let rig = Rig::new();
    let large = rig.spawn(async {
        let bytes = [7_u8; 40_000];
        yield_now().await;
        bytes.iter().map(|&byte| usize::from(byte)).sum::<usize>()
    });
    let future = rig.spawn(async {
        let value = Aligned(3);
        yield_now().await;
        assert_eq!((&raw const value).addr() % 256, 0);
        value.0
    });
    let output = rig.spawn(async { Aligned(4) });
    rig.run_all();
    assert_eq!(result(large).unwrap(), 280_000);
    assert_eq!(result(future).unwrap(), 3);
    let output = result(output).unwrap();
    assert_eq!(output.0, 4);
}

#[test]
fn a_zero_sized_future_and_output_work() {
    let rig = Rig::new();
    let handle = rig.spawn(poll_fn(|_| Poll::Ready(())));
    rig.run_all();
    assert!(result(handle).is_ok());
}

#[test]
fn handles_are_one_word_and_a_small_task_is_under_two_cache_lines() {
    assert_eq!(size_of::<JoinHandle<[u8; 99]>>(), size_of::<usize>());
    assert_eq!(size_of::<Option<JoinHandle<()>>>(), size_of::<usize>());
    assert_eq!(size_of::<JoinError>(), 16);
    assert!(size_of::<crate::task::cell::Prefix<()>>() <= 104);
}
