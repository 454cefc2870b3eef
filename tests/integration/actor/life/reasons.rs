//! The table of exit reasons, row by row: what is handled, what comes back, which hooks run, and
//! in which order things go.

use greenroom::{AskError, ExitReason};

use super::scene::{Conduct, Order, Scene, UnderWay};
use crate::actor::support::{Flavor, assert_at_rest, on_each_seat, on_runtime, poll_once, within};

#[test]
fn stopped_handles_all_that_was_accepted_then_runs_the_stop_hook() {
    on_each_seat(|| async {
        let scene = Scene::set(Conduct::Proper, Conduct::Proper);
        scene.occupy(Order::Return);
        scene.gate.reached().await;
        let mut under_way = scene.fill().await;
        scene.witness.stop();
        under_way.assert_waiters_refused("it was stopped").await;
        under_way.assert_queued_pending().await;
        assert!(!scene.witness.is_stopped() && scene.witness.exit_reason().is_none());
        scene.gate.open();
        under_way.assert_queued_answered().await;
        assert!(matches!(
            within(scene.witness.join()).await,
            ExitReason::Stopped
        ));
        scene.log.assert(&[
            "start hook",
            "handled held",
            "future dropped",
            "handled told",
            "handled asked",
            "stop hook: it was stopped",
            "state dropped",
        ]);
        assert!(scene.witness.is_stopped());
        assert!(
            scene
                .witness
                .exit_reason()
                .is_some_and(|reason| reason.is_normal())
        );
        assert_at_rest(&scene.witness);
        let tally = scene.ledger.settle();
        assert_eq!((tally.handled, tally.returned), (3, 2));
    });
}

#[test]
fn an_actor_that_stops_itself_handles_all_that_was_accepted_by_then() {
    on_each_seat(|| async {
        let scene = Scene::set(Conduct::Proper, Conduct::Proper);
        scene.occupy(Order::Finish);
        scene.gate.reached().await;
        let mut under_way = scene.fill().await;
        scene.gate.open();
        under_way.assert_queued_answered().await;
        under_way.assert_waiters_refused("it was stopped").await;
        assert!(matches!(
            within(scene.witness.join()).await,
            ExitReason::Stopped
        ));
        scene.log.assert(&[
            "start hook",
            "handled held",
            "future dropped",
            "handled told",
            "handled asked",
            "stop hook: it was stopped",
            "state dropped",
        ]);
        assert_at_rest(&scene.witness);
        let tally = scene.ledger.settle();
        assert_eq!((tally.handled, tally.returned), (3, 2));
    });
}

#[test]
fn dropped_handles_all_that_was_accepted_then_runs_the_stop_hook() {
    on_each_seat(|| async {
        let scene = Scene::set(Conduct::Proper, Conduct::Proper);
        scene.occupy(Order::Return);
        scene.gate.reached().await;
        scene.tell();
        scene.tell();
        let weak = scene.witness.downgrade();
        drop(scene.witness);
        assert!(weak.upgrade().is_none());
        scene.gate.open();
        assert!(matches!(within(weak.join()).await, ExitReason::Dropped));
        scene.log.assert(&[
            "start hook",
            "handled held",
            "future dropped",
            "handled told",
            "handled told",
            "stop hook: its last handle was dropped",
            "state dropped",
        ]);
        assert_eq!(scene.ledger.settle().handled, 3);
    });
}

#[test]
fn killed_drops_the_handler_at_its_await_and_handles_nothing_more() {
    on_each_seat(|| async {
        let scene = Scene::set(Conduct::Proper, Conduct::Proper);
        scene.occupy(Order::Return);
        scene.gate.reached().await;
        let mut under_way = scene.fill().await;
        scene.witness.kill();
        assert!(matches!(
            within(scene.witness.join()).await,
            ExitReason::Killed
        ));
        scene.log.assert(&[
            "start hook",
            "handled held",
            "future dropped",
            "state dropped",
            "told dropped unread",
        ]);
        under_way.assert_queued_handed_back("it was killed").await;
        under_way.assert_waiters_refused("it was killed").await;
        assert!(
            scene
                .witness
                .exit_reason()
                .is_some_and(|reason| !reason.is_normal())
        );
        assert_at_rest(&scene.witness);
        let tally = scene.ledger.settle();
        assert_eq!((tally.handled, tally.returned, tally.discarded), (1, 3, 1));
    });
}

#[test]
fn panicked_in_a_handler_loses_that_message_and_hands_the_others_back() {
    on_each_seat(|| async {
        let scene = Scene::set(Conduct::Proper, Conduct::Proper);
        let letter = scene.letter("held");
        let held = scene.witness.hold(letter, scene.gate.clone(), Order::Crash);
        let mut held = Box::pin(held.into_owned());
        assert!(poll_once(&mut held).await.is_pending());
        scene.gate.reached().await;
        let mut under_way = scene.fill().await;
        scene.gate.open();
        let reason = within(scene.witness.join()).await;
        assert!(matches!(reason, ExitReason::Panicked(_)));
        scene.log.assert(&[
            "start hook",
            "handled held",
            "future dropped",
            "state dropped",
            "told dropped unread",
        ]);
        let AskError::Interrupted(error) = within(held).await.unwrap_err() else {
            panic!()
        };
        assert_eq!(error.reason().unwrap().to_string(), reason.to_string());
        assert_eq!(error.actor().name(), "witness");
        under_way
            .assert_queued_handed_back(&reason.to_string())
            .await;
        under_way.assert_waiters_refused(&reason.to_string()).await;
        assert_at_rest(&scene.witness);
        let tally = scene.ledger.settle();
        assert_eq!((tally.lost, tally.returned, tally.discarded), (1, 3, 1));
    });
}

/// Ends an actor whose start hook behaves so, with messages queued and waiting; gives the reason.
async fn fail_to_start(start: Conduct) -> ExitReason {
    let scene = Scene::set(start, Conduct::Proper);
    let mut under_way = scene.fill().await;
    let reason = within(scene.witness.join()).await;
    scene
        .log
        .assert(&["start hook", "state dropped", "told dropped unread"]);
    under_way
        .assert_queued_handed_back(&reason.to_string())
        .await;
    under_way.assert_waiters_refused(&reason.to_string()).await;
    assert_at_rest(&scene.witness);
    let tally = scene.ledger.settle();
    assert_eq!((tally.handled, tally.returned, tally.discarded), (0, 3, 1));
    reason
}

#[test]
fn start_failed_hands_back_what_was_queued_and_runs_no_stop_hook() {
    // On two workers the actor may fail before the mailbox is full.
    on_runtime(Flavor::OneThread, || async {
        let reason = fail_to_start(Conduct::Fails).await;
        assert!(matches!(reason, ExitReason::StartFailed(_)));
        assert_eq!(
            reason.to_string(),
            "its start hook failed: no luck in the start hook"
        );
    });
}

#[test]
fn panicked_in_the_start_hook_hands_back_what_was_queued_and_runs_no_stop_hook() {
    on_runtime(Flavor::OneThread, || async {
        for start in [Conduct::Panics, Conduct::YieldsThenPanics] {
            let reason = fail_to_start(start).await;
            assert!(matches!(reason, ExitReason::Panicked(_)));
            let text = "it panicked in its start hook: fell in the start hook";
            assert_eq!(reason.to_string(), text);
        }
    });
}

#[test]
fn panicked_in_the_stop_hook_has_handled_all_before() {
    on_each_seat(|| async {
        for stop in [Conduct::Panics, Conduct::YieldsThenPanics] {
            let scene = Scene::set(Conduct::Proper, stop);
            scene.occupy(Order::Return);
            scene.gate.reached().await;
            let mut under_way = scene.fill().await;
            scene.witness.stop();
            under_way.assert_waiters_refused("it was stopped").await;
            scene.gate.open();
            under_way.assert_queued_answered().await;
            let reason = within(scene.witness.join()).await;
            let text = "it panicked in its stop hook: fell in the stop hook";
            assert_eq!(reason.to_string(), text);
            scene.log.assert(&[
                "start hook",
                "handled held",
                "future dropped",
                "handled told",
                "handled asked",
                "stop hook: it was stopped",
                "state dropped",
            ]);
            assert_at_rest(&scene.witness);
            assert_eq!(scene.ledger.settle().handled, 3);
        }
    });
}

#[test]
fn runtime_gone_hands_back_what_was_queued_and_runs_no_stop_hook() {
    for flavor in Flavor::ALL {
        on_runtime(Flavor::OneThread, move || async move {
            let (scene, mut under_way) = on_doomed_runtime(flavor).await;
            let reason = within(scene.witness.join()).await;
            assert!(matches!(reason, ExitReason::RuntimeGone), "{reason:?}");
            scene.log.assert(&[
                "start hook",
                "handled held",
                "future dropped",
                "state dropped",
                "told dropped unread",
            ]);
            under_way
                .assert_queued_handed_back("its runtime ended")
                .await;
            under_way.assert_waiters_refused("its runtime ended").await;
            assert_at_rest(&scene.witness);
            let tally = scene.ledger.settle();
            assert_eq!((tally.handled, tally.returned, tally.discarded), (1, 3, 1));
        });
    }
}

/// Fills an actor's mailbox on a runtime that then ends.
async fn on_doomed_runtime(flavor: Flavor) -> (Scene, UnderWay) {
    let task = tokio::task::spawn_blocking(move || {
        let runtime = flavor.build();
        runtime.block_on(async {
            let scene = Scene::set(Conduct::Proper, Conduct::Proper);
            scene.occupy(Order::Return);
            scene.gate.reached().await;
            let under_way = scene.fill().await;
            (scene, under_way)
        })
    });
    within(task).await.expect("no panic")
}
