//! Children that come and go by hand.

use std::sync::Arc;

use greenroom::{AskError, Child, ChildError, ChildState, Restart, SpawnErrorKind, Supervisor};

use super::scene::{Scene, Worker, WorkerHandle, pass};
use crate::actor::support::within;

fn error<T: std::fmt::Debug>(result: Result<T, AskError<ChildError>>) -> ChildError {
    match result {
        Err(AskError::Handler(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_child_can_be_added_terminated_restarted_and_deleted() {
    let scene = Scene::default();
    let supervisor = Supervisor::builder().spawn();
    let a = supervisor.add(scene.worker("a")).await.unwrap();
    assert_eq!(a.count().await.unwrap(), 1);
    assert_eq!(error(supervisor.delete("a").await), ChildError::Runs);
    supervisor.terminate("a").await.unwrap();
    assert!(a.is_stopped());
    assert_eq!(scene.log(), ["start a", "stop a", "drop a"]);
    let info = supervisor.children().await.unwrap().remove(0);
    assert_eq!(
        (info.state, info.actor.is_none()),
        (ChildState::Terminated, true)
    );
    assert_eq!(
        error(supervisor.child::<Worker>("a").await),
        ChildError::Terminated
    );

    supervisor.restart("a").await.unwrap();
    assert_eq!(scene.log(), ["start a"]);
    let again = supervisor.child::<Worker>("a").await.unwrap();
    assert_ne!(again, a);
    assert_eq!(again.count().await.unwrap(), 1);
    supervisor.terminate(again.id()).await.unwrap();
    supervisor.delete(again.id()).await.unwrap();
    assert_eq!(supervisor.children().await.unwrap().len(), 0);
    assert_eq!(error(supervisor.restart("a").await), ChildError::Unknown);
}

#[tokio::test(start_paused = true)]
async fn a_restart_by_hand_keeps_the_handle_and_counts_for_nothing() {
    let scene = Scene::default();
    let strict = greenroom::Intensity::new(0, std::time::Duration::from_secs(1));
    let child = scene
        .worker("a")
        .intensity(strict)
        .restart(Restart::Temporary);
    let supervisor = Supervisor::builder()
        .child(child)
        .child(scene.worker("b"))
        .spawn();
    supervisor.wait_launched().await.unwrap();
    let a = supervisor.child::<Worker>("a").await.unwrap();
    a.count().await.unwrap();
    scene.log();
    supervisor.restart("a").await.unwrap();
    assert_eq!(scene.log(), ["stop a", "drop a", "start a"]);
    assert_eq!(a.count().await.unwrap(), 1);
    // By its own handle, too.
    a.restart().unwrap();
    pass(1).await;
    assert_eq!(scene.log(), ["stop a", "drop a", "start a"]);
    assert_eq!(a.count().await.unwrap(), 1);
    assert_eq!(supervisor.children().await.unwrap()[0].restarts, 2);
}

#[tokio::test(start_paused = true)]
async fn a_child_that_was_added_is_shown_as_up_when_it_has_started() {
    let scene = Scene::default();
    let gate = scene.gate_start("a");
    let supervisor = Supervisor::builder().spawn();
    let a = supervisor.add(scene.worker("a")).await.unwrap();
    gate.reached().await;
    let state = async || supervisor.children().await.unwrap().remove(0).state;
    assert!(matches!(state().await, ChildState::Starting));
    gate.open();
    pass(1).await;
    a.count().await.unwrap();
    pass(2_000).await;
    let ChildState::Up(up) = state().await else {
        panic!("it has started");
    };
    assert_eq!(up.as_millis() / 10, 200);
}

#[tokio::test(start_paused = true)]
async fn who_restarts_a_child_by_hand_waits_for_that_start_and_not_for_an_earlier_one() {
    let scene = Scene::default();
    let supervisor = Supervisor::builder().spawn();
    let a = supervisor.add(scene.worker("a")).await.unwrap();
    a.count().await.unwrap();
    let gate = scene.gate_start("a");
    let restart = supervisor.restart("a");
    tokio::pin!(restart);
    tokio::select! {
        biased;
        result = &mut restart => panic!("{result:?}"),
        () = gate.reached() => {}
    }
    pass(1).await;
    let pending = futures::poll!(&mut restart);
    assert!(pending.is_pending(), "{pending:?}");
    gate.open();
    within(restart).await.unwrap();
    assert_eq!(a.incarnation(), 2);
    // Nor is a start that was under way as it was asked.
    let gate = scene.gate_start("a");
    let _ = a.crash().await;
    gate.reached().await;
    let restart = supervisor.restart("a");
    tokio::pin!(restart);
    assert!(futures::poll!(&mut restart).is_pending());
    gate.open();
    within(restart).await.unwrap();
    assert_eq!(a.incarnation(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_temporary_child_that_is_terminated_is_no_child_any_more() {
    let scene = Scene::default();
    let child = scene.worker("a").restart(Restart::Temporary);
    let supervisor = Supervisor::builder().child(child).spawn();
    supervisor.terminate("a").await.unwrap();
    assert_eq!(supervisor.children().await.unwrap().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn what_makes_no_child_is_refused_with_the_reason() {
    let scene = Scene::default();
    let supervisor = Supervisor::builder().child(scene.worker("a")).spawn();
    let taken = ChildError::NameTaken(Arc::from("a"));
    assert_eq!(error(supervisor.add(scene.worker("a")).await), taken);
    let none = error(supervisor.add(scene.worker("b").mailbox(0)).await);
    assert_eq!(none, ChildError::Spawn(SpawnErrorKind::Mailbox(0)));
    let bytes = error(supervisor.add(scene.worker("b").mailbox_bytes(0)).await);
    assert_eq!(bytes, ChildError::Spawn(SpawnErrorKind::MailboxBytes));
    let other = error(supervisor.child::<Supervisor>("a").await);
    assert_eq!(other, ChildError::OtherType);
    assert_eq!(error(supervisor.terminate("b").await), ChildError::Unknown);

    let twice = Supervisor::builder()
        .child(scene.worker("a"))
        .child(scene.worker("a"));
    let inside = Supervisor::builder().child(Child::supervisor(twice));
    assert_eq!(inside.try_spawn().unwrap_err(), taken);
    let small = Supervisor::builder().child(scene.worker("b").mailbox(0));
    let kind = SpawnErrorKind::Mailbox(0);
    assert_eq!(small.try_spawn().unwrap_err(), ChildError::Spawn(kind));
}

#[test]
fn a_supervisor_needs_a_runtime() {
    let error = Supervisor::builder().try_spawn().unwrap_err();
    assert_eq!(error, ChildError::Spawn(SpawnErrorKind::NoRuntime));
    assert!(
        Child::new(|| -> Worker { unreachable!("never started") })
            .prepare()
            .is_err()
    );
}

#[tokio::test(start_paused = true)]
async fn the_options_of_a_child_are_those_of_its_actor() {
    let scene = Scene::default();
    let (lost, letters) = std::sync::mpsc::channel();
    let child = scene
        .worker("a")
        .mailbox(3)
        .mailbox_bytes(1000)
        .on_undelivered(move |letter| lost.send(letter.message_type()).unwrap());
    let (a, child): (WorkerHandle, _) = child.prepare().unwrap();
    assert_eq!((a.capacity(), a.name()), (3, "a"));
    a.note(1).tell().await.unwrap();
    drop(child);
    within(a.join()).await;
    assert!(letters.try_recv().unwrap().contains("WorkerNote"));
}
