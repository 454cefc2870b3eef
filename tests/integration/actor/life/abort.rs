//! Panics that end the process, where a runtime is told so.

use greenroom::{Builder, Handle, OnPanic, ResumeAfterPanic, Runtime, actor};

use crate::actor::support::within;
use crate::alone::outcome;

/// Where it panics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Handler,
    Suspended,
    Start,
    Stop,
    Drop,
    Nowhere,
}

#[actor]
struct Fuse {
    at: At,
}

impl Fuse {
    fn burn(&self, at: At) {
        assert!(self.at != at, "it blew at {at:?}");
    }
}

#[actor]
impl Fuse {
    #[on(start)]
    fn begin(&mut self) {
        self.burn(At::Start);
    }

    fn light(&mut self) {
        self.burn(At::Handler);
    }

    async fn light_later(&mut self) {
        tokio::task::yield_now().await;
        self.burn(At::Suspended);
    }

    #[on(stop)]
    fn end(&mut self) {
        self.burn(At::Stop);
    }

    #[on(panic)]
    fn crashed(&mut self) -> OnPanic<Self> {
        OnPanic::resume()
    }
}

impl ResumeAfterPanic for Fuse {}

impl Drop for Fuse {
    fn drop(&mut self) {
        self.burn(At::Drop);
    }
}

/// Has a fuse live and end on a runtime with this option.
fn live(at: At, on: bool) {
    let runtime = Runtime::builder().abort_on_actor_panic(on).build().unwrap();
    runtime.block_on(async {
        for is_blocking in [false, true] {
            let fuse = Builder::new(Fuse { at });
            let fuse = if is_blocking { fuse.blocking() } else { fuse }.spawn();
            drop(within(fuse.light()).await);
            drop(within(fuse.light().enqueue()).await.map(drop));
            drop(within(fuse.light_later()).await);
            within(Handle::shutdown(&fuse)).await;
        }
    });
    println!("it lives on");
}

/// Whether the process of this test, which is asked for `at`, was aborted.
#[track_caller]
fn assert_aborts(test: &str, at: At, on: bool) {
    let test = format!("{}::{test}", module_path!().split_once("::").unwrap().1);
    let Some(output) = outcome(&test, || live(at, on)) else {
        return;
    };
    let (said, error) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    let lives_on = said.contains("it lives on");
    assert_eq!(
        output.status.success(),
        !(on && at != At::Nowhere),
        "{at:?}: {error}"
    );
    assert_eq!(lives_on, output.status.success(), "{at:?}: {error}");
    assert_eq!(
        error.contains("it blew"),
        at != At::Nowhere,
        "{at:?}: {error}"
    );
    #[cfg(unix)]
    if on && at != At::Nowhere {
        use std::os::unix::process::ExitStatusExt;
        const SIGABRT: i32 = 6;
        assert_eq!(output.status.signal(), Some(SIGABRT), "{at:?}");
    }
}

#[test]
fn a_panic_in_a_handler_ends_the_process_where_that_is_wanted() {
    assert_aborts(
        "a_panic_in_a_handler_ends_the_process_where_that_is_wanted",
        At::Handler,
        true,
    );
}

#[test]
fn a_panic_in_a_handler_that_was_suspended_ends_the_process_where_that_is_wanted() {
    assert_aborts(
        "a_panic_in_a_handler_that_was_suspended_ends_the_process_where_that_is_wanted",
        At::Suspended,
        true,
    );
}

#[test]
fn a_panic_in_a_start_hook_ends_the_process_where_that_is_wanted() {
    assert_aborts(
        "a_panic_in_a_start_hook_ends_the_process_where_that_is_wanted",
        At::Start,
        true,
    );
}

#[test]
fn a_panic_in_a_stop_hook_ends_the_process_where_that_is_wanted() {
    assert_aborts(
        "a_panic_in_a_stop_hook_ends_the_process_where_that_is_wanted",
        At::Stop,
        true,
    );
}

#[test]
fn a_panic_as_a_state_is_dropped_ends_the_process_where_that_is_wanted() {
    assert_aborts(
        "a_panic_as_a_state_is_dropped_ends_the_process_where_that_is_wanted",
        At::Drop,
        true,
    );
}

#[test]
fn without_a_panic_the_process_lives_on_where_one_would_end_it() {
    assert_aborts(
        "without_a_panic_the_process_lives_on_where_one_would_end_it",
        At::Nowhere,
        true,
    );
}

#[test]
fn without_being_told_a_panic_ends_no_process() {
    for at in [At::Handler, At::Suspended, At::Start, At::Stop, At::Drop] {
        live(at, false);
    }
}
