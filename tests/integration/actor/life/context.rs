//! Where things are dropped, and where actors can be made: with a runtime around, and without.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::thread;

use greenroom::{Builder, Declared, ExitReason, Local, SpawnErrorKind, actor};

use crate::actor::clerk::{Clerk, ClerkHandle};
use crate::actor::support::{
    Flavor, Gate, Ledger, assert_at_rest, on_each_seat, on_thread, within,
};

/// Notes, when it is dropped, what it was and whether there is a runtime around.
struct Probe(&'static str, Findings);

#[derive(Clone, Default)]
struct Findings(Arc<Mutex<Vec<(&'static str, bool)>>>);

impl Findings {
    fn probe(&self, name: &'static str) -> Probe {
        Probe(name, self.clone())
    }

    /// All that was dropped, by name; fails if something was dropped without a runtime around.
    #[track_caller]
    fn assert(&self, names: &[&str]) {
        let mut found = self.0.lock().unwrap().clone();
        found.sort_unstable();
        let names: Vec<_> = names.iter().map(|name| (*name, true)).collect();
        assert_eq!(found, names);
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        let around = tokio::runtime::Handle::try_current().is_ok();
        self.1.0.lock().unwrap().push((self.0, around));
    }
}

#[actor]
struct Holder {
    _state: Probe,
    fails: bool,
}

#[actor]
impl Holder {
    #[on(start)]
    async fn begin(&mut self) -> Result<(), String> {
        if self.fails {
            Err("no luck".to_owned())
        } else {
            Ok(())
        }
    }

    async fn hold(&mut self, message: Probe, gate: Gate, crash: bool) {
        gate.pass().await;
        assert!(!crash, "as it was told");
        drop(message);
    }
}

/// A holder that is busy, with one more message queued.
async fn busy(findings: &Findings, crash: bool) -> (HolderHandle, Gate) {
    let (holder, gate) = (holder(findings, false), Gate::shut());
    holder
        .hold(findings.probe("handled"), gate.clone(), crash)
        .tell()
        .await
        .unwrap();
    gate.reached().await;
    holder
        .hold(findings.probe("queued"), gate.clone(), false)
        .tell()
        .await
        .unwrap();
    (holder, gate)
}

fn holder(findings: &Findings, fails: bool) -> HolderHandle {
    Holder {
        _state: findings.probe("state"),
        fails,
    }
    .spawn()
}

const ALL: [&str; 3] = ["handled", "queued", "state"];

#[test]
fn all_is_dropped_with_a_runtime_around_when_a_plain_thread_ends_the_actor() {
    on_each_seat(|| async {
        let deeds: [fn(HolderHandle); 3] = [|holder| holder.stop(), |holder| holder.kill(), drop];
        for (deed, kills) in deeds.into_iter().zip([false, true, false]) {
            let findings = Findings::default();
            let (holder, gate) = busy(&findings, false).await;
            let weak = holder.downgrade();
            thread::spawn(move || deed(holder)).join().unwrap();
            if !kills {
                gate.open();
            }
            within(weak.join()).await;
            findings.assert(&ALL);
        }
    });
}

#[test]
fn all_is_dropped_with_a_runtime_around_when_a_plain_thread_ends_an_actor_that_never_ran() {
    on_each_seat(|| async {
        let deeds: [fn(HolderHandle); 3] = [|holder| holder.stop(), |holder| holder.kill(), drop];
        for deed in deeds {
            let findings = Findings::default();
            let holder = holder(&findings, false);
            let weak = holder.downgrade();
            thread::spawn(move || deed(holder)).join().unwrap();
            within(weak.join()).await;
            findings.assert(&["state"]);
        }
    });
}

#[test]
fn all_is_dropped_with_a_runtime_around_after_a_crash_and_a_failed_start() {
    on_each_seat(|| async {
        let findings = Findings::default();
        let (crashing, gate) = busy(&findings, true).await;
        thread::spawn(move || gate.open()).join().unwrap();
        assert!(matches!(
            within(crashing.join()).await,
            ExitReason::Panicked(_)
        ));
        findings.assert(&ALL);
        let findings = Findings::default();
        let failing = holder(&findings, true);
        assert!(matches!(
            within(failing.join()).await,
            ExitReason::StartFailed(_)
        ));
        findings.assert(&["state"]);
    });
}

#[test]
fn all_is_dropped_with_a_runtime_around_when_the_runtime_is_dropped_by_a_plain_thread() {
    for flavor in Flavor::ALL {
        on_thread(move || {
            let (findings, runtime) = (Findings::default(), flavor.build());
            let (holder, _gate) = runtime.block_on(busy(&findings, false));
            drop(runtime);
            assert!(holder.is_stopped());
            findings.assert(&ALL);
        });
    }
}

#[test]
fn all_is_dropped_with_a_runtime_around_when_a_plain_tokio_runtime_is_dropped() {
    for threads in [1, 2] {
        on_thread(move || {
            let mut builder = match threads {
                1 => tokio::runtime::Builder::new_current_thread(),
                _ => tokio::runtime::Builder::new_multi_thread(),
            };
            let runtime = builder
                .worker_threads(threads)
                .enable_all()
                .build()
                .unwrap();
            let findings = Findings::default();
            let (holder, _gate) = runtime.block_on(busy(&findings, false));
            drop(runtime);
            assert!(matches!(
                holder.exit_reason(),
                Some(ExitReason::RuntimeGone)
            ));
            findings.assert(&ALL);
        });
    }
}

#[test]
fn an_actor_is_prepared_outside_any_runtime_and_spawned_inside_one() {
    on_thread(|| {
        let prepared = Builder::new(Clerk).name("early").mailbox(2);
        let runtime = Flavor::TwoWorkers.build();
        runtime.block_on(async {
            let ledger = Ledger::default();
            let clerk: ClerkHandle = prepared.spawn();
            within(clerk.file(ledger.note(0, 0))).await.unwrap();
            assert_eq!((clerk.name(), clerk.capacity()), ("early", 2));
            assert_at_rest(&clerk);
            assert_eq!(ledger.settle().handled, 1);
        });
    });
}

/// Why the actor was not spawned; it comes back.
fn refused(spawned: Result<ClerkHandle, greenroom::SpawnError<Clerk>>) -> (SpawnErrorKind, String) {
    let error = spawned.expect_err("refused");
    let said = (error.kind(), error.to_string());
    let Clerk = error.into_actor();
    said
}

#[test]
fn a_spawn_without_a_runtime_hands_the_actor_back_and_says_what_is_missing() {
    on_thread(|| {
        let (kind, text) = refused(Builder::new(Clerk).try_spawn());
        assert!(matches!(kind, SpawnErrorKind::NoRuntime));
        assert!(text.contains("runtime"), "{text}");
        let panic = catch_unwind(AssertUnwindSafe(|| Clerk.spawn())).expect_err("no runtime");
        let panic = panic.downcast::<String>().expect("a text");
        assert!(panic.contains("runtime"), "{panic}");
    });
}

#[test]
fn a_spawn_with_an_impossible_mailbox_hands_the_actor_back() {
    on_each_seat(|| async {
        for slots in [0, greenroom::limits::MAILBOX_MAX + 1] {
            let (kind, text) = refused(Builder::new(Clerk).mailbox(slots).try_spawn());
            assert!(!matches!(kind, SpawnErrorKind::NoRuntime), "{text}");
            assert!(text.contains("mailbox"), "{text}");
        }
    });
}

#[test]
fn an_actor_spawned_on_a_runtime_that_has_ended_is_handed_back() {
    on_thread(|| {
        let runtime = Flavor::OneThread.build();
        let tokio = runtime.tokio_handle().clone();
        let clerk: <Clerk as Declared>::Handle<Local> = runtime.block_on(async { Clerk.spawn() });
        drop(runtime);
        let _guard = tokio.enter();
        let (kind, text) = refused(Builder::new(Clerk).try_spawn());
        assert!(!matches!(kind, SpawnErrorKind::NoRuntime), "{text}");
        assert!(matches!(clerk.exit_reason(), Some(ExitReason::RuntimeGone)));
    });
}
