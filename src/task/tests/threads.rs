//! Real threads: runners, wakers, aborts and joins at once; everything is dropped once.

use std::sync::atomic::AtomicBool;
use std::thread;

use super::*;
use crate::task::yield_now;

/// Runs units until told to stop.
fn runner(queue: &Collector, stop: &AtomicBool) {
    while !stop.load(Ordering::Acquire) {
        let unit = queue.queue.lock().unwrap().pop_front();
        match unit {
            Some(unit) => unit.run(),
            None => thread::yield_now(),
        }
    }
}

/// Awaits a handle on this thread, which is unparked when the output is there.
fn join<T>(mut handle: JoinHandle<T>) -> Result<T, JoinError> {
    let this = thread::current();
    let (waker, ..) = alarm_with(move || this.unpark());
    loop {
        if let Poll::Ready(result) = poll(&mut handle, &waker) {
            return result;
        }
        thread::park();
    }
}

#[test]
fn outputs_and_futures_are_dropped_once_whoever_wins() {
    const TASKS: usize = if cfg!(debug_assertions) {
        2_000
    } else {
        20_000
    };
    let rig = Rig::new();
    let stop = AtomicBool::new(false);
    let (futures, outputs) = (Count::default(), Count::default());
    let made = Count::default();
    thread::scope(|scope| {
        let runners = [(); 2].map(|()| scope.spawn(|| runner(&rig.0, &stop)));
        for turn in 0..TASKS {
            let (guard, outputs, made) = (Guard::new(&futures), outputs.clone(), made.clone());
            let handle = rig.spawn(async move {
                let _guard = guard;
                for _ in 0..turn % 3 {
                    yield_now().await;
                }
                made.add();
                Guard::new(&outputs)
            });
            abort_some(scope, &handle, turn);
            match turn % 4 {
                0 => drop(join(handle)),
                1 => drop(handle),
                2 => {
                    let mut handle = handle;
                    let _ = poll_noop(&mut handle);
                }
                _ => {
                    scope.spawn(|| drop(join(handle)));
                }
            }
        }
        while rig.owned() > 0 {
            thread::yield_now();
        }
        stop.store(true, Ordering::Release);
        for runner in runners {
            runner.join().unwrap();
        }
    });
    assert_eq!(futures.get(), TASKS);
    assert_eq!(outputs.get(), made.get());
}

/// Aborts one task in five, from another thread in half of the cases.
fn abort_some<'scope, T>(
    scope: &'scope thread::Scope<'scope, '_>,
    handle: &JoinHandle<T>,
    turn: usize,
) {
    let abort = handle.abort_handle();
    match turn % 10 {
        4 => abort.abort(),
        9 => {
            scope.spawn(move || abort.abort());
        }
        _ => {}
    }
}
