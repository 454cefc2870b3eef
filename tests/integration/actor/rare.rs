//! What is seldom said of why there is no actor any more, or not at all.

use std::process::Command;
use std::sync::{Arc, Mutex};

use greenroom::{Builder, Child, During, ExitReason, SpawnErrorKind, Supervisor, actor};

use super::support::{on_each_seat, seated, within};

/// Panics where it is told to.
#[actor]
struct Fragile {
    breaks: &'static str,
}

#[actor]
impl Fragile {
    #[on(start)]
    fn begin(&mut self) {
        assert_ne!(self.breaks, "start");
    }

    fn work(&mut self) {
        assert_ne!(self.breaks, "message");
    }

    #[on(stop)]
    fn end(&mut self) {
        assert_ne!(self.breaks, "stop");
    }
}

#[test]
fn a_crash_says_in_which_hook_or_message_it_was() {
    on_each_seat(|| async {
        for (breaks, at) in [
            ("start", During::Start),
            (
                "message",
                During::Message(std::any::type_name::<FragileWork>()),
            ),
            ("stop", During::Stop),
        ] {
            let fragile = seated(Builder::new(Fragile { breaks })).spawn();
            let _ = fragile.work().try_tell();
            let reason = within(fragile.shutdown()).await;
            let ExitReason::Panicked(crash) = reason else {
                panic!("{reason}");
            };
            assert_eq!(crash.during(), at);
        }
    });
}

/// In a process whose threads are to have larger stacks than there is memory.
#[test]
fn a_spawn_for_which_the_system_has_no_thread_fails_and_so_does_a_childs_start() {
    const INNER: &str = "GREENROOM_TEST_NO_THREAD";
    let name = "actor::rare::\
                a_spawn_for_which_the_system_has_no_thread_fails_and_so_does_a_childs_start";
    if std::env::var_os(INNER).is_some() {
        return without_threads();
    }
    let this = std::env::current_exe().expect("the test binary has a path");
    let output = Command::new(this)
        // On the main thread: there is no other.
        .args(["--exact", name, "--nocapture", "--test-threads=1"])
        .env(INNER, "1")
        .env("RUST_MIN_STACK", (1_u64 << 46).to_string())
        .output()
        .expect("the test binary runs");
    let (said, errors) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(said.contains("1 passed"), "{errors}\n{said}");
}

fn without_threads() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let fragile = Builder::new(Fragile { breaks: "" }).blocking();
        let error = fragile.try_spawn().unwrap_err();
        let SpawnErrorKind::NoThread(kind) = error.kind() else {
            panic!("{error}");
        };
        assert!(error.to_string().ends_with(&kind.to_string()), "{error}");
        assert_eq!(error.into_actor().breaks, "");

        let ended = Arc::new(Mutex::new(()));
        let kept = Arc::clone(&ended);
        let child = Child::new(move || {
            let _kept = &kept;
            Fragile { breaks: "" }
        });
        let supervisor = Supervisor::builder()
            .child(child.name("a").blocking())
            .spawn();
        let reason = within(supervisor.join()).await;
        let ExitReason::GaveUp(failure) = reason else {
            panic!("{reason}");
        };
        let ExitReason::StartFailed(error) = failure.last_failure() else {
            panic!("{failure}");
        };
        assert!(error.to_string().contains("no thread"), "{error}");
        assert_eq!(Arc::strong_count(&ended), 1);
    });
}
