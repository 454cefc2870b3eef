//! The join handle: outputs, wakers, detaching.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::ready;
use std::thread;

use super::*;
use crate::task::{AbortHandle, yield_now};

#[test]
fn the_output_arrives_through_the_handle() {
    let rig = Rig::new();
    let mut handle = rig.spawn(async { String::from("output") });
    assert!(poll_noop(&mut handle).is_pending());
    assert!(!handle.is_finished());
    rig.run_all();
    assert!(handle.is_finished());
    assert_eq!(result(handle).unwrap(), "output");
}

#[test]
fn the_end_is_announced_after_the_future_and_the_list_entry_have_gone() {
    let rig = Rig::new();
    let (drops, gate) = (Count::default(), Gate::default());
    let mut handle = rig.spawn({
        let (guard, wait) = (Guard::new(&drops), gate.clone().wait());
        async move {
            let _guard = guard;
            wait.await;
        }
    });
    let seen = Arc::new(Mutex::new(None));
    let (waker, wakes, _) = alarm_with({
        let (seen, drops, list) = (Arc::clone(&seen), drops.clone(), Arc::downgrade(&rig.0));
        move || {
            let owned = list.upgrade().unwrap().owned.lock().unwrap().len();
            *seen.lock().unwrap() = Some((drops.get(), owned));
        }
    });
    assert!(poll(&mut handle, &waker).is_pending());
    gate.open();
    rig.run_all();
    assert_eq!(wakes.get(), 1);
    assert_eq!(*seen.lock().unwrap(), Some((1, 0)));
    assert!(result(handle).is_ok());
}

#[test]
fn only_the_latest_waker_is_woken() {
    let rig = Rig::new();
    let mut handle = rig.spawn(async {});
    let (first, first_wakes, first_drops) = alarm();
    let (second, second_wakes, _) = alarm();
    assert!(poll(&mut handle, &first).is_pending());
    assert!(poll(&mut handle, &second).is_pending());
    drop(first);
    assert_eq!(first_drops.get(), 1, "the handle has let go of the first");
    rig.run_all();
    assert_eq!((first_wakes.get(), second_wakes.get()), (0, 1));
    assert!(result(handle).is_ok());
}

#[test]
fn polling_again_with_the_same_waker_does_not_clone_it() {
    let rig = Rig::new();
    let alarm = Arc::new(Alarm {
        wakes: Count::default(),
        action: Box::new(|| {}),
        _dropped: Guard::new(&Count::default()),
    });
    let waker = Waker::from(Arc::clone(&alarm));
    let mut handle = rig.spawn(async {});
    for _ in 0..3 {
        assert!(poll(&mut handle, &waker).is_pending());
        assert_eq!(Arc::strong_count(&alarm), 3);
    }
    rig.run_all();
    assert!(poll(&mut handle, &waker).is_ready());
    assert_eq!(
        Arc::strong_count(&alarm),
        2,
        "reading the output drops the waker"
    );
}

#[test]
fn the_waker_goes_with_the_handle_though_the_cell_stays() {
    let rig = Rig::new();
    let gate = Gate::default();
    let mut handle = rig.spawn(gate.clone().wait());
    let abort = handle.abort_handle();
    let (waker, wakes, drops) = alarm();
    assert!(poll(&mut handle, &waker).is_pending());
    drop(waker);
    assert_eq!(drops.get(), 0);
    drop(handle);
    assert_eq!(drops.get(), 1);
    gate.open();
    rig.run_all();
    assert!(abort.is_finished());
    assert_eq!(wakes.get(), 0);

    let mut handle = rig.spawn(async {});
    let (waker, wakes, drops) = alarm();
    assert!(poll(&mut handle, &waker).is_pending());
    drop(waker);
    rig.run_all();
    let abort = handle.abort_handle();
    assert_eq!(wakes.get(), 1);
    drop(handle);
    assert_eq!(drops.get(), 1, "the handle drops a waker that was used");
    drop(abort);
}

#[test]
fn a_handle_dropped_by_the_wake_leaves_the_waker_to_the_runner() {
    let rig = Rig::new();
    let slot: Arc<Mutex<Option<JoinHandle<Guard>>>> = Arc::default();
    let outputs = Count::default();
    let mut handle = rig.spawn({
        let output = Guard::new(&outputs);
        async move { output }
    });
    let (waker, wakes, drops) = alarm_with({
        let slot = Arc::clone(&slot);
        move || drop(slot.lock().unwrap().take())
    });
    assert!(poll(&mut handle, &waker).is_pending());
    drop(waker);
    let abort = handle.abort_handle();
    *slot.lock().unwrap() = Some(handle);
    rig.run_all();
    assert_eq!((wakes.get(), drops.get(), outputs.get()), (1, 1, 1));
    assert!(abort.is_finished());
}

#[test]
fn dropping_the_handle_detaches_the_task() {
    let rig = Rig::new();
    let (polls, outputs) = (Count::default(), Count::default());
    drop(rig.spawn({
        let (polls, output) = (polls.clone(), Guard::new(&outputs));
        async move {
            polls.add();
            yield_now().await;
            polls.add();
            output
        }
    }));
    rig.run_one();
    assert_eq!((polls.get(), outputs.get()), (1, 0));
    rig.run_all();
    assert_eq!(
        (polls.get(), outputs.get()),
        (2, 1),
        "the runner drops the output"
    );
}

#[test]
fn dropping_the_handle_after_the_end_drops_the_output() {
    let rig = Rig::new();
    let outputs = Count::default();
    let handle = rig.spawn({
        let output = Guard::new(&outputs);
        async move { output }
    });
    let abort = handle.abort_handle();
    rig.run_all();
    assert_eq!(outputs.get(), 0);
    drop(handle);
    assert_eq!(outputs.get(), 1, "though an abort handle keeps the cell");
    drop(abort);
    assert_eq!(outputs.get(), 1);
}

#[test]
#[should_panic(expected = "polled after it gave the output")]
fn polling_the_handle_after_the_output_panics() {
    let rig = Rig::new();
    let mut handle = rig.spawn(async {});
    rig.run_all();
    assert!(poll_noop(&mut handle).is_ready());
    let _ = poll_noop(&mut handle);
}

#[test]
fn the_handle_works_elsewhere_after_the_scheduler_has_gone() {
    let drops = Count::default();
    let scheduler: Arc<Collector> = Arc::default();
    let [read, dropped] = [Guard::new(&drops), Guard::new(&drops)].map(|output| {
        let scheduler = Arc::clone(&scheduler);
        let (unit, handle) = new_task(async move { output }, scheduler, Id::next());
        unit.run();
        handle
    });
    let weak = Arc::downgrade(&scheduler);
    drop(scheduler);
    thread::spawn(move || {
        assert!(result(read).is_ok());
        drop(dropped);
    })
    .join()
    .unwrap();
    assert_eq!((drops.get(), weak.strong_count()), (2, 0));
}

#[test]
fn polling_handles_spends_the_budget_of_the_host_task() {
    let rig = Rig::new();
    let mut handles: Vec<_> = (0..200).map(|_| rig.spawn(async {})).collect();
    rig.run_all();
    let host = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let mut turns = 0;
    host.block_on(poll_fn(|cx| {
        turns += 1;
        while let Some(handle) = handles.last_mut() {
            ready!(Pin::new(handle).poll(cx)).unwrap();
            handles.pop();
        }
        Poll::Ready(())
    }));
    assert_eq!(turns, 2, "128 in the first turn");
}

#[test]
fn handles_cross_threads_as_their_output_does() {
    trait Ambiguous<Marker> {
        fn check() {}
    }
    struct Sendable;
    impl<T: ?Sized> Ambiguous<()> for T {}
    impl<T: ?Sized + Send> Ambiguous<Sendable> for T {}
    // Ambiguous, hence an error, if the handle of an output that is not `Send` were `Send`.
    <JoinHandle<std::rc::Rc<()>> as Ambiguous<_>>::check();

    fn send_sync<T: Send + Sync + Unpin>() {}
    fn unwind<T: std::panic::UnwindSafe + std::panic::RefUnwindSafe>() {}
    send_sync::<JoinHandle<std::cell::Cell<u8>>>();
    send_sync::<AbortHandle>();
    send_sync::<JoinError>();
    unwind::<JoinHandle<std::cell::Cell<u8>>>();
}
