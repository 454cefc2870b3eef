//! Aborts, and tasks that a closed scheduler refuses.

use std::future::pending;

use super::*;
use crate::task::{AbortHandle, yield_now};

/// A future that counts its polls and its drop, and never ends.
fn endless(polls: &Count, drops: &Count) -> impl Future<Output = ()> + Send + use<> {
    let (polls, guard) = (polls.clone(), Guard::new(drops));
    async move {
        let _guard = guard;
        polls.add();
        pending().await
    }
}

#[test]
fn aborting_an_idle_task_queues_it_and_a_worker_drops_its_future() {
    let rig = Rig::new();
    let (polls, drops) = (Count::default(), Count::default());
    let mut handle = rig.spawn(endless(&polls, &drops));
    rig.run_all();
    let (waker, wakes, _) = alarm();
    assert!(poll(&mut handle, &waker).is_pending());
    handle.abort();
    handle.abort();
    assert_eq!((rig.queued(), drops.get(), wakes.get()), (1, 0, 0));
    assert!(!handle.is_finished());
    assert!(
        poll(&mut handle, &waker).is_pending(),
        "the future is not dropped yet"
    );
    rig.run_all();
    assert_eq!((polls.get(), drops.get(), wakes.get()), (1, 1, 1));
    assert!(handle.is_finished());
    assert!(error(handle).is_cancelled());
}

#[test]
fn a_task_aborted_before_its_first_poll_is_never_polled() {
    let rig = Rig::new();
    let (polls, drops) = (Count::default(), Count::default());
    let handle = rig.spawn(endless(&polls, &drops));
    handle.abort();
    assert_eq!(rig.run_all(), 1);
    assert_eq!((polls.get(), drops.get()), (0, 1));
    assert!(error(handle).is_cancelled());
}

#[test]
fn an_abort_during_a_poll_takes_effect_at_its_end() {
    let rig = Rig::new();
    let (slot, drops) = (Arc::new(Mutex::new(None::<AbortHandle>)), Count::default());
    let handle = rig.spawn({
        let (slot, guard) = (Arc::clone(&slot), Guard::new(&drops));
        async move {
            let drops = guard.drops.clone();
            slot.lock().unwrap().take().unwrap().abort();
            assert_eq!(drops.get(), 0);
            yield_now().await;
            unreachable!("polled after the abort");
        }
    });
    *slot.lock().unwrap() = Some(handle.abort_handle());
    assert_eq!(rig.run_all(), 1, "no second activation is needed");
    assert_eq!((drops.get(), rig.yields()), (1, 0));
    assert!(error(handle).is_cancelled());
}

#[test]
fn an_output_wins_over_an_abort_during_the_same_poll() {
    let rig = Rig::new();
    let slot = Arc::new(Mutex::new(None::<AbortHandle>));
    let handle = rig.spawn({
        let slot = Arc::clone(&slot);
        async move {
            slot.lock().unwrap().take().unwrap().abort();
            "output"
        }
    });
    *slot.lock().unwrap() = Some(handle.abort_handle());
    rig.run_all();
    assert_eq!(result(handle).unwrap(), "output");
}

#[test]
fn an_abort_after_the_end_changes_nothing() {
    let rig = Rig::new();
    let handle = rig.spawn(async { 5 });
    rig.run_all();
    handle.abort();
    handle.abort_handle().abort();
    assert_eq!(rig.queued(), 0);
    assert_eq!(result(handle).unwrap(), 5);
}

#[test]
fn a_wake_after_an_abort_is_not_a_second_activation() {
    let rig = Rig::new();
    let gate = Gate::default();
    let handle = rig.spawn(gate.clone().wait());
    rig.run_all();
    handle.abort();
    gate.open();
    assert_eq!(rig.run_all(), 1);
    assert!(error(handle).is_cancelled());
}

#[test]
fn abort_handles_outlive_the_join_handle_and_name_the_task() {
    let rig = Rig::new();
    let (polls, drops) = (Count::default(), Count::default());
    let handle = rig.spawn(endless(&polls, &drops));
    let first = handle.abort_handle();
    let second = first.clone();
    assert_eq!(first.id(), handle.id());
    assert_eq!(
        format!("{second:?}"),
        format!("AbortHandle {{ id: {:?} }}", handle.id())
    );
    drop(handle);
    drop(first);
    rig.run_all();
    second.abort();
    assert!(!second.is_finished());
    rig.run_all();
    assert!(second.is_finished());
    assert_eq!((polls.get(), drops.get()), (1, 1));
}

#[test]
fn a_refused_task_is_cancelled_on_the_spot() {
    let rig = Rig::new();
    let (polls, drops) = (Count::default(), Count::default());
    let (unit, handle) = new_task(endless(&polls, &drops), rig.scheduler(), Id::next());
    unit.refuse();
    assert_eq!((polls.get(), drops.get(), rig.queued()), (0, 1, 0));
    assert!(error(handle).is_cancelled());

    let (unit, handle) = new_task(endless(&polls, &drops), rig.scheduler(), Id::next());
    drop(handle);
    unit.refuse();
    assert_eq!(drops.get(), 2);
}

#[test]
fn a_scheduler_that_closes_refuses_what_its_list_and_queue_hold() {
    let rig = Rig::new();
    let (polls, drops) = (Count::default(), Count::default());
    let suspended = rig.spawn(endless(&polls, &drops));
    rig.run_all();
    let queued = rig.spawn(endless(&polls, &drops));
    let listed: Vec<Unit> = rig.0.owned.lock().unwrap().values().cloned().collect();
    for unit in listed {
        unit.cancel();
    }
    while let Some(unit) = { rig.0.queue.lock().unwrap().pop_front() } {
        unit.refuse();
    }
    assert_eq!((polls.get(), drops.get(), rig.owned()), (1, 2, 0));
    assert!(error(suspended).is_cancelled() && error(queued).is_cancelled());
}
