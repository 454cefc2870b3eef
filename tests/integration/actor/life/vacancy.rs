//! Handles that are there before their actors.

use std::sync::Arc;

use greenroom::{
    AskError, Builder, Child, ExitReason, Handle, Refusal, SpawnErrorKind, TellError, Undelivered,
    Vacancy, actor, registry,
};

use super::scene::{Log, Parting};
use crate::actor::support::{Flavor, on_thread, within};

#[actor(mailbox = 4)]
struct Desk {
    log: Log,
    is_broken: bool,
    _parting: Parting,
}

#[actor]
impl Desk {
    #[on(start)]
    fn begin(&mut self) -> Result<(), &'static str> {
        self.log.say("start hook");
        if self.is_broken {
            Err("it is broken")
        } else {
            Ok(())
        }
    }

    fn write(&mut self, n: u32) -> u32 {
        self.log.say(format!("wrote {n}"));
        n
    }

    #[on(stop)]
    fn end(&mut self, reason: &ExitReason) {
        self.log.say(format!("stop hook: {reason}"));
    }
}

fn desk(log: &Log) -> Desk {
    Desk {
        log: log.clone(),
        is_broken: false,
        _parting: Parting("state dropped", log.clone()),
    }
}

fn open() -> (DeskHandle, Vacancy<Desk>) {
    Vacancy::open().expect("a runtime")
}

#[test]
fn what_is_sent_before_the_actor_is_there_waits_in_its_mailbox_and_is_handled_in_order() {
    for flavor in Flavor::ALL {
        on_thread(move || {
            flavor.build().block_on(async {
                let log = Log::default();
                let (handle, place) = open();
                assert_eq!(Handle::incarnation(&handle), 0);
                let ask = within(handle.write(1).enqueue()).await.unwrap();
                for n in 2..=4 {
                    handle.write(n).try_tell().unwrap();
                }
                let full = handle.write(5).try_tell();
                assert!(matches!(full.unwrap_err(), TellError { .. }));
                let fifth = tokio::spawn(handle.write(5).into_owned());
                assert!(place.fill(desk(&log)).is_ok());
                assert_eq!(within(ask).await.unwrap(), 1);
                assert_eq!(within(fifth).await.unwrap().unwrap(), 5);
                let lines = [
                    "start hook",
                    "wrote 1",
                    "wrote 2",
                    "wrote 3",
                    "wrote 4",
                    "wrote 5",
                ];
                log.assert(&lines);
                assert_eq!(Handle::incarnation(&handle), 1);
                assert_eq!(handle.free_slots(), 4);
            });
        });
    }
}

#[actor]
struct Left {
    right: RightHandle,
}

#[actor]
impl Left {
    fn name(&self) -> &'static str {
        "left"
    }

    async fn other(&self) -> Result<&'static str, greenroom::Error> {
        Ok(self.right.name().await?)
    }
}

#[actor]
struct Right {
    left: LeftHandle,
}

#[actor]
impl Right {
    fn name(&self) -> &'static str {
        "right"
    }

    async fn other(&self) -> Result<&'static str, greenroom::Error> {
        Ok(self.left.name().await?)
    }
}

#[greenroom::test]
async fn two_actors_may_each_have_a_handle_to_the_other() {
    let (left, place) = Vacancy::<Left>::open().unwrap();
    let right = Right { left: left.clone() }.spawn();
    let early = within(right.other().enqueue()).await.unwrap();
    let filled = place.fill(Left {
        right: right.clone(),
    });
    assert!(filled.is_ok());
    assert_eq!(within(early).await.unwrap(), "left");
    assert_eq!(within(left.other()).await.unwrap(), "right");
    // They keep each other.
    left.kill();
    within(left.join()).await;
}

#[greenroom::test]
async fn a_vacancy_that_is_dropped_hands_back_and_ends_as_one_that_never_began() {
    let lost = Arc::new(std::sync::Mutex::new(vec![]));
    let letters = lost.clone();
    let hook = move |letter: Undelivered| letters.lock().unwrap().push(letter.to_string());
    let (handle, place) = Vacancy::<Desk>::open_with(|desk| desk.on_undelivered(hook)).unwrap();
    let ask = within(handle.write(1).enqueue()).await.unwrap();
    handle.write(2).try_tell().unwrap();
    drop(place);
    match within(ask).await.unwrap_err() {
        AskError::NotHandled(error) => {
            let refusal = error.refusal();
            assert!(
                matches!(refusal, Refusal::Ended(ExitReason::NeverBegan)),
                "{refusal:?}"
            );
            assert_eq!(error.into_message::<DeskWrite>().unwrap().n, 1);
        }
        other => panic!("{other}"),
    }
    let reason = within(handle.join()).await;
    assert!(matches!(reason, ExitReason::NeverBegan));
    assert!(!reason.is_normal());
    assert_eq!(reason.to_string(), "it never began");
    assert!(within(Handle::wait_started(&handle)).await.is_err());
    let lost = lost.lock().unwrap();
    assert_eq!(lost.len(), 1);
    assert!(lost[0].ends_with("it never began"), "{}", lost[0]);
    assert!(handle.write(3).try_tell().is_err());
}

#[greenroom::test]
async fn a_vacancy_that_was_stopped_or_killed_ends_at_once_and_gives_its_actor_back() {
    type End = fn(&Handle<Desk>);
    let ends: [(End, &str); 2] = [
        (Handle::stop, "it was stopped"),
        (Handle::kill, "it was killed"),
    ];
    for (end, reason) in ends {
        let log = Log::default();
        let (handle, place) = open();
        let ask = within(handle.write(1).enqueue()).await.unwrap();
        end(&handle);
        assert_eq!(within(handle.join()).await.to_string(), reason);
        assert!(matches!(within(ask).await, Err(AskError::NotHandled(_))));
        assert!(place.fill(desk(&log)).is_err());
        log.assert(&["state dropped"]);
    }
}

#[greenroom::test]
async fn a_vacancy_that_is_linked_ends_with_the_other() {
    let (handle, place) = open();
    let (other, other_place) = open();
    Handle::link(&handle, &other);
    other.kill();
    assert!(matches!(within(handle.join()).await, ExitReason::Linked(_)));
    drop((place, other_place));
}

#[test]
fn who_fills_a_place_that_nobody_has_a_handle_to_has_all_handled_that_came() {
    for flavor in Flavor::ALL {
        on_thread(move || {
            flavor.build().block_on(async {
                for _ in 0..100 {
                    let log = Log::default();
                    let (handle, place) = open();
                    let ask = within(handle.write(1).enqueue()).await.unwrap();
                    let weak = handle.downgrade();
                    drop(handle);
                    assert!(place.fill(desk(&log)).is_ok());
                    assert_eq!(within(ask).await.unwrap(), 1);
                    assert!(matches!(within(weak.join()).await, ExitReason::Dropped));
                    let stop = "stop hook: its last handle was dropped";
                    log.assert(&["start hook", "wrote 1", stop, "state dropped"]);
                }
            });
        });
    }
}

#[greenroom::test]
async fn a_place_is_filled_once_so_the_actor_can_not_be_restarted() {
    let log = Log::default();
    let (handle, place) = open();
    assert!(Handle::restart(&handle).is_err());
    assert!(place.fill(desk(&log)).is_ok());
    within(Handle::wait_started(&handle)).await.unwrap();
    assert!(Handle::restart(&handle).is_err());
    assert_eq!(within(handle.write(1)).await.unwrap(), 1);
    assert!(within(handle.shutdown()).await.is_normal());
    log.assert(&[
        "start hook",
        "wrote 1",
        "stop hook: it was stopped",
        "state dropped",
    ]);
}

#[greenroom::test]
async fn a_start_that_fails_in_a_place_hands_back_what_waited_for_it() {
    let log = Log::default();
    let (handle, place) = open();
    let ask = within(handle.write(1).enqueue()).await.unwrap();
    let broken = Desk {
        is_broken: true,
        ..desk(&log)
    };
    assert!(place.fill(broken).is_ok());
    assert!(matches!(within(ask).await, Err(AskError::NotHandled(_))));
    assert!(matches!(
        within(handle.join()).await,
        ExitReason::StartFailed(_)
    ));
    log.assert(&["start hook", "state dropped"]);
}

#[greenroom::test]
async fn a_place_has_the_options_that_are_said_and_no_other_actor() {
    let log = Log::default();
    let other = desk(&log);
    let (handle, place) =
        Vacancy::open_with(|_| Builder::new(other).mailbox(1).register("front desk")).unwrap();
    log.assert(&["state dropped"]);
    assert_eq!(handle.capacity(), 1);
    assert_eq!(registry().get::<Desk>("front desk").unwrap(), handle);
    let clash = Vacancy::<Desk>::open_with(|desk| desk.register("front desk"));
    assert!(matches!(
        clash.unwrap_err(),
        SpawnErrorKind::NameTaken { .. }
    ));
    let small = Vacancy::<Desk>::open_with(|desk| desk.mailbox(0));
    assert_eq!(small.unwrap_err(), SpawnErrorKind::Mailbox(0));
    drop(place);
    within(handle.join()).await;
    assert!(registry().get::<Desk>("front desk").is_err());
}

#[test]
fn the_end_of_its_runtime_ends_a_place_that_nobody_has_filled() {
    for flavor in Flavor::ALL {
        on_thread(move || {
            let log = Log::default();
            let runtime = flavor.build();
            let (handle, place) = runtime.block_on(async { open() });
            drop(runtime);
            assert!(matches!(
                handle.exit_reason(),
                Some(ExitReason::RuntimeGone)
            ));
            assert!(place.fill(desk(&log)).is_err());
        });
    }
    assert_eq!(
        Vacancy::<Desk>::open().unwrap_err(),
        SpawnErrorKind::NoRuntime
    );
}

#[test]
fn fills_that_race_stops_lose_no_message_and_drop_each_state_once() {
    on_thread(|| {
        Flavor::TwoWorkers.build().block_on(async {
            for round in 0..300 {
                let log = Log::default();
                let (handle, place) = open();
                let ask = within(handle.write(1).enqueue()).await.unwrap();
                let filler = tokio::spawn({
                    let log = log.clone();
                    async move { drop(place.fill(desk(&log))) }
                });
                match round % 3 {
                    0 => handle.stop(),
                    1 => handle.kill(),
                    _ => tokio::task::yield_now().await,
                }
                within(filler).await.unwrap();
                handle.stop();
                within(handle.join()).await;
                let answer = within(ask).await;
                let lines = log.lines();
                let count = |word: &str| lines.iter().filter(|line| *line == word).count();
                assert_eq!(count("wrote 1"), answer.is_ok().into(), "{lines:?}");
                assert_eq!(count("state dropped"), 1, "{lines:?}");
            }
        });
    });
}

#[greenroom::test]
async fn a_prepared_child_that_is_killed_waits_on_for_its_supervisor() {
    let log = Log::default();
    let made = log.clone();
    let (handle, child) = Child::new(move || desk(&made)).prepare().unwrap();
    handle.kill();
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(!handle.is_stopped());
    drop(child);
    assert!(matches!(within(handle.join()).await, ExitReason::Stopped));
}

#[greenroom::test]
async fn a_place_that_is_not_filled_keeps_its_actor() {
    let (handle, place) = open();
    let weak = handle.downgrade();
    drop(handle);
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(weak.upgrade().is_some());
    drop(place);
    assert!(matches!(within(weak.join()).await, ExitReason::NeverBegan));
}
