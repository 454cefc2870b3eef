//! Panics of user code: none passes a run, and each ends where its owner can see it.

use std::error::Error;
use std::future::pending;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::pin::Pin;
use std::ptr;
use std::task::{RawWaker, RawWakerVTable};

use super::*;
use crate::task::yield_now;

/// A future that holds `guard` until it ends or is dropped.
async fn holding<T>(guard: Guard, future: impl Future<Output = T>) -> T {
    let _guard = guard;
    future.await
}

#[test]
fn a_panic_in_a_poll_is_the_handles_error() {
    let rig = Rig::new();
    let drops = Count::default();
    let handle = rig.spawn(holding(Guard::new(&drops), async {
        yield_now().await;
        panic!("seven")
    }));
    let id = handle.id();
    rig.run_all();
    assert_eq!(drops.get(), 1);
    let error: JoinError = error::<()>(handle);
    assert!(error.is_panic() && !error.is_cancelled());
    assert_eq!(error.id(), id);
    assert_eq!(
        error.to_string(),
        format!("task {id} panicked with message \"seven\"")
    );
    assert_eq!(
        format!("{error:?}"),
        format!("JoinError::Panic({id:?}, \"seven\", ...)")
    );
    assert_eq!(
        *error.into_panic().downcast::<&'static str>().unwrap(),
        "seven"
    );
}

#[test]
fn a_panic_with_an_owned_text_or_another_value_is_told_apart() {
    let rig = Rig::new();
    let text = rig.spawn(async { panic!("{}", 8) });
    let value = rig.spawn(async { panic_any(9_u8) });
    let id = value.id();
    rig.run_all();
    let text: JoinError = error::<()>(text);
    assert!(text.to_string().ends_with(" panicked with message \"8\""));
    let value: JoinError = error::<()>(value);
    assert_eq!(value.to_string(), format!("task {id} panicked"));
    assert_eq!(
        value.try_into_panic().unwrap().downcast_ref::<u8>(),
        Some(&9)
    );
}

#[test]
fn a_cancellation_is_no_panic() {
    let rig = Rig::new();
    let handle = rig.spawn(pending::<()>());
    let id = handle.id();
    handle.abort();
    rig.run_all();
    let error = error(handle);
    assert_eq!(error.to_string(), format!("task {id} was cancelled"));
    assert_eq!(
        format!("{error:?}"),
        format!("JoinError::Cancelled({id:?})")
    );
    let error = error.try_into_panic().unwrap_err();
    assert!(error.is_cancelled() && error.id() == id && error.source().is_none());
    assert_eq!(
        std::io::Error::from(error).kind(),
        std::io::ErrorKind::Other
    );
}

#[test]
fn a_panic_in_the_drop_of_the_future_overrides_its_output() {
    struct Fragile {
        output: Option<Guard>,
        _guard: Guard,
    }
    impl Future for Fragile {
        type Output = Guard;
        fn poll(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Guard> {
            Poll::Ready(self.output.take().unwrap())
        }
    }
    let rig = Rig::new();
    let (drops, outputs) = (Count::default(), Count::default());
    let fragile = |output| Fragile {
        output: Some(output),
        _guard: Guard::panicking(&drops, "future"),
    };
    let handle = rig.spawn(fragile(Guard::new(&outputs)));
    rig.run_all();
    assert_eq!((drops.get(), outputs.get()), (1, 1));
    assert!(error(handle).to_string().ends_with("\"future\""));
    // Also when the output's drop panics in turn.
    let handle = rig.spawn(fragile(Guard::panicking(&outputs, "output")));
    rig.run_all();
    assert_eq!((drops.get(), outputs.get()), (2, 2));
    assert!(error(handle).to_string().ends_with("\"future\""));
}

#[test]
fn a_panic_in_the_drop_of_a_cancelled_future_is_the_error() {
    let rig = Rig::new();
    let drops = Count::default();
    let handle = rig.spawn(holding(Guard::panicking(&drops, "drop"), pending::<()>()));
    rig.run_all();
    handle.abort();
    rig.run_all();
    assert_eq!(drops.get(), 1);
    assert!(error(handle).to_string().ends_with("\"drop\""));
}

#[test]
fn the_first_panic_of_poll_and_drop_is_the_error() {
    struct Doomed {
        _guard: Guard,
    }
    impl Future for Doomed {
        type Output = ();
        fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
            panic!("poll")
        }
    }
    let rig = Rig::new();
    let drops = Count::default();
    let handle = rig.spawn(Doomed {
        _guard: Guard::panicking(&drops, "drop"),
    });
    rig.run_all();
    assert_eq!(drops.get(), 1);
    assert!(error(handle).to_string().ends_with("\"poll\""));
}

#[test]
fn a_panic_in_the_drop_of_an_unread_output_is_contained() {
    let rig = Rig::new();
    let drops = Count::default();
    let fragile = || {
        let output = Guard::panicking(&drops, "output");
        async move { output }
    };
    // The runner drops it.
    drop(rig.spawn(fragile()));
    rig.run_all();
    assert_eq!(drops.get(), 1);
    // The handle drops it.
    let handle = rig.spawn(fragile());
    rig.run_all();
    drop(handle);
    assert_eq!(drops.get(), 2);
}

#[test]
fn a_panic_in_the_drop_of_what_the_last_count_frees_is_contained() {
    let rig = Rig::new();
    let drops = Count::default();
    let guard = Guard::panicking(&drops, "future");
    drop(rig.spawn_unlisted(holding(guard, pending::<()>())));
    rig.run_all();
    assert_eq!(drops.get(), 1);
}

#[test]
fn a_payload_whose_drop_panics_is_contained() {
    let rig = Rig::new();
    let drops = Count::default();
    // In an error that nobody reads.
    drop(rig.spawn({
        let payload = Guard::panicking(&drops, "payload");
        async move { panic_any(payload) }
    }));
    rig.run_all();
    assert_eq!(drops.get(), 1);
    // In a second panic that nobody hears of.
    struct Chain(Count);
    impl Drop for Chain {
        fn drop(&mut self) {
            panic_any(Guard::panicking(&self.0, "payload of a drop"));
        }
    }
    drop(rig.spawn({
        let chain = Chain(drops.clone());
        async move { chain }
    }));
    rig.run_all();
    assert_eq!(drops.get(), 2);
}

#[test]
fn a_panic_in_the_wake_of_the_joining_task_is_contained() {
    let rig = Rig::new();
    let mut handle = rig.spawn(async { 3 });
    let (waker, wakes, drops) = alarm_with(|| panic!("wake"));
    assert!(poll(&mut handle, &waker).is_pending());
    drop(waker);
    rig.run_all();
    assert_eq!(wakes.get(), 1);
    assert_eq!(result(handle).unwrap(), 3);
    assert_eq!(drops.get(), 1);
}

/// A waker whose parts panic as its data says.
fn hostile(clone: bool) -> ManuallyDrop<Waker> {
    static PEACEFUL: u8 = 0;
    static CLONE: u8 = 1;
    static TABLE: RawWakerVTable = RawWakerVTable::new(
        |data| {
            assert!(!ptr::eq(data, (&raw const CLONE).cast()), "clone");
            RawWaker::new(data, &TABLE)
        },
        |_| {},
        |_| {},
        |_| panic!("drop"),
    );
    let data = if clone {
        &raw const CLONE
    } else {
        &raw const PEACEFUL
    };
    // The data are never read through, and all four functions may be called on any thread.
    ManuallyDrop::new(raw_waker(data.cast(), &TABLE))
}

#[allow(unsafe_code)] // a hand-made waker is the only one whose clone can panic
fn raw_waker(data: *const (), table: &'static RawWakerVTable) -> Waker {
    // SAFETY: the table's functions never read through their data, and are thread-safe.
    unsafe { Waker::from_raw(RawWaker::new(data, table)) }
}

#[test]
fn a_waker_whose_clone_panics_leaves_the_handle_whole() {
    let rig = Rig::new();
    let mut handle = rig.spawn(async { 4 });
    let (waker, wakes, _) = alarm();
    let caught = catch_unwind(AssertUnwindSafe(|| poll(&mut handle, &hostile(true)))).map(drop);
    assert!(caught.is_err());
    assert!(poll(&mut handle, &waker).is_pending());
    let caught = catch_unwind(AssertUnwindSafe(|| poll(&mut handle, &hostile(true)))).map(drop);
    assert!(caught.is_err());
    rig.run_all();
    assert_eq!(wakes.get(), 1, "the waker from before stays");
    assert_eq!(result(handle).unwrap(), 4);
}

#[test]
fn a_waker_whose_drop_panics_costs_neither_output_nor_worker() {
    let rig = Rig::new();
    // Dropped when the output is read.
    let mut handle = rig.spawn(async { 4 });
    assert!(poll(&mut handle, &hostile(false)).is_pending());
    rig.run_all();
    assert_eq!(result(handle).unwrap(), 4);
    // Dropped when the handle is dropped, before and after the end.
    let mut early = rig.spawn(async {});
    let mut late = rig.spawn(async {});
    assert!(poll(&mut early, &hostile(false)).is_pending());
    assert!(poll(&mut late, &hostile(false)).is_pending());
    drop(early);
    rig.run_all();
    drop(late);
    // Replaced: the panic is that of the poll which replaces it, and the new waker counts.
    let (waker, wakes, _) = alarm();
    let mut handle = rig.spawn(async { 5 });
    assert!(poll(&mut handle, &hostile(false)).is_pending());
    let caught = catch_unwind(AssertUnwindSafe(|| poll(&mut handle, &waker))).map(drop);
    assert!(caught.is_err());
    rig.run_all();
    assert_eq!(wakes.get(), 1);
    assert_eq!(result(handle).unwrap(), 5);
}
