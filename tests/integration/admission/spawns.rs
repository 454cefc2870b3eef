//! Spawns that a policy refuses.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use greenroom::{
    Builder, Child, ExitReason, Intensity, Overload, Pool, PoolError, Pressure, ResourcePolicy,
    SpawnErrorKind, SpawnRequest, Supervisor, SupervisorBuilder, actor, set_resource_policy,
};

use super::Dial;
use crate::actor::support::{Flavor, on_each_runtime, within};

#[actor]
struct Guest {
    ticket: u32,
}

#[actor]
impl Guest {
    fn ticket(&self) -> u32 {
        self.ticket
    }
}

fn guest() -> Builder<Guest> {
    Builder::new(Guest { ticket: 7 })
}

/// Turns all away, notes whom, and says when it goes.
struct Doorman {
    asked: std::sync::Mutex<Sender<String>>,
    panics: bool,
}

impl ResourcePolicy for Doorman {
    fn admit_spawn(&self, spawn: &SpawnRequest<'_>) -> Result<(), Overload> {
        self.asked
            .lock()
            .unwrap()
            .send(spawn.name.to_owned())
            .unwrap();
        assert!(!self.panics, "at the door");
        Err(Overload::new(Pressure::Critical, "guests", 11, 10))
    }
}

fn doorman(
    panics: bool,
) -> (
    Option<Arc<dyn ResourcePolicy>>,
    std::sync::mpsc::Receiver<String>,
) {
    let (asked, names) = channel();
    let asked = std::sync::Mutex::new(asked);
    (Some(Arc::new(Doorman { asked, panics })), names)
}

#[test]
fn a_spawn_that_the_policy_refuses_hands_the_actor_back_and_says_why() {
    on_each_runtime(|| async {
        let (policy, names) = doorman(false);
        set_resource_policy(policy).unwrap();
        let error = guest().name("late").try_spawn().unwrap_err();
        let SpawnErrorKind::Overload(overload) = error.kind() else {
            panic!("{error}");
        };
        assert_eq!(
            (overload.level, overload.value, overload.threshold),
            (Pressure::Critical, 11, 10)
        );
        assert_eq!(
            error.to_string(),
            "overloaded: guests is 11, and critical from 10 on"
        );
        assert_eq!(error.into_actor().ticket, 7);
        guest().try_spawn().unwrap_err();
        assert_eq!(names.try_iter().collect::<Vec<_>>(), ["late", "Guest"]);
        let error = Pool::builder(|| Guest { ticket: 0 }).spawn().unwrap_err();
        assert!(
            matches!(error, PoolError::Spawn(SpawnErrorKind::Overload(_))),
            "{error}"
        );
        set_resource_policy(None).unwrap();
        assert_eq!(within(guest().spawn().ticket()).await.unwrap(), 7);
    });
}

#[test]
fn a_policy_is_that_of_its_runtime_alone_and_goes_with_it() {
    let (theirs, ours) = (Flavor::OneThread.build(), Flavor::OneThread.build());
    let (policy, names) = doorman(false);
    theirs.block_on(async {
        set_resource_policy(policy).unwrap();
        guest().try_spawn().unwrap_err();
    });
    ours.block_on(async {
        let guest = guest().try_spawn().unwrap();
        assert_eq!(within(guest.ticket()).await.unwrap(), 7);
    });
    assert_eq!(names.try_iter().count(), 1);
    drop(theirs);
    assert!(matches!(
        names.try_recv(),
        Err(std::sync::mpsc::TryRecvError::Disconnected)
    ));
}

#[test]
fn a_policy_that_panics_admits() {
    on_each_runtime(|| async {
        let (policy, names) = doorman(true);
        set_resource_policy(policy).unwrap();
        assert_eq!(within(guest().spawn().ticket()).await.unwrap(), 7);
        assert_eq!(names.try_iter().count(), 1);
    });
}

#[test]
fn a_monitor_as_the_policy_refuses_at_the_critical_level_alone() {
    on_each_runtime(|| async {
        let dial = Dial::default();
        let monitor = dial.monitor().spawn().unwrap();
        set_resource_policy(Some(Arc::new(monitor.clone()))).unwrap();
        for (value, is_admitted) in [
            (0, true),
            (150, true),
            (200, false),
            (190, false),
            (179, true),
        ] {
            dial.set(value);
            monitor.sample();
            let spawned = guest().try_spawn();
            assert_eq!(spawned.is_ok(), is_admitted, "at {value}");
        }
    });
}

/// Turns the guest away so many times, and lets others pass.
struct Turnstile(AtomicU32);

impl ResourcePolicy for Turnstile {
    fn admit_spawn(&self, spawn: &SpawnRequest<'_>) -> Result<(), Overload> {
        let refuses = |left: u32| left.checked_sub(1);
        let is_refused = spawn.name == "late"
            && self
                .0
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, refuses)
                .is_ok();
        match is_refused {
            true => Err(Overload::new(Pressure::Critical, "guests", 11, 10)),
            false => Ok(()),
        }
    }
}

fn turnstile(refusals: u32) -> SupervisorBuilder {
    let policy = Arc::new(Turnstile(AtomicU32::new(refusals)));
    set_resource_policy(Some(policy)).unwrap();
    let child = Child::new(|| Guest { ticket: 7 }).name("late");
    Supervisor::builder().child(child)
}

#[test]
fn a_child_that_the_policy_refuses_has_failed_to_start_and_is_tried_again() {
    on_each_runtime(|| async {
        let supervisor = turnstile(4)
            .intensity(Intensity::new(3, Duration::MAX))
            .spawn();
        within(supervisor.wait_launched()).await.unwrap();
        let guest = within(supervisor.child::<Guest>("late")).await.unwrap();
        assert_eq!(within(guest.ticket()).await.unwrap(), 7);
        let info = within(supervisor.children()).await.unwrap().remove(0);
        assert_eq!(info.restarts, 3);
        let failure = info.last_failure.unwrap().to_string();
        assert!(failure.contains("guests is 11"), "{failure}");
        within(supervisor.shutdown()).await;
    });
}

#[test]
fn a_supervisor_gives_up_for_a_child_that_is_refused_too_often() {
    on_each_runtime(|| async {
        let supervisor = turnstile(u32::MAX)
            .intensity(Intensity::new(2, Duration::MAX))
            .spawn();
        let reason = within(supervisor.join()).await;
        let ExitReason::GaveUp(failure) = &reason else {
            panic!("{reason}");
        };
        assert_eq!((failure.child(), failure.restarts()), ("late", 2));
        let failure = failure.last_failure().to_string();
        assert!(failure.contains("guests is 11"), "{failure}");
    });
}

#[test]
fn a_supervisor_whose_child_is_refused_again_and_again_answers_and_ends() {
    on_each_runtime(|| async {
        let supervisor = turnstile(u32::MAX)
            .intensity(Intensity::unlimited())
            .spawn();
        let mut last = 0;
        for _ in 0..10 {
            let info = within(supervisor.children()).await.unwrap().remove(0);
            assert!(info.restarts >= last);
            last = info.restarts;
        }
        within(supervisor.shutdown()).await;
    });
}

#[test]
fn outside_a_runtime_there_is_no_policy_to_set() {
    set_resource_policy(None).unwrap_err();
}
