//! Children that stop by themselves.

use greenroom::{AskError, Backoff, Intensity, Restart, Supervisor};

use super::scene::{Scene, millis, pass};
use crate::actor::support::within;

#[tokio::test(start_paused = true)]
async fn a_permanent_child_that_stops_itself_refuses_nobody_and_handles_it_all_in_its_next_life() {
    let scene = Scene::default();
    let child = scene
        .worker("a")
        .mailbox(1)
        .intensity(Intensity::unlimited());
    let wait = Backoff::exponential(millis(1000), millis(1000));
    let supervisor = Supervisor::builder()
        .child(child.restart(Restart::Permanent).backoff(wait))
        .spawn();
    let a = supervisor.child::<super::scene::Worker>("a").await.unwrap();
    assert_eq!(a.count().await.unwrap(), 1);
    let gate = scene.gate_stop("a");
    a.finish().await.unwrap();
    within(gate.reached()).await;
    // While its stop hook runs: one is accepted, one waits for its slot.
    let first = a.count().enqueue().await.unwrap();
    let second = tokio::spawn(a.count().into_owned());
    while a.waiting_senders() == 0 {
        tokio::task::yield_now().await;
    }
    gate.open();
    pass(100).await;
    // And while it waits for its restart.
    let third = tokio::spawn(a.count().into_owned());
    pass(100).await;
    assert_eq!(a.incarnation(), 1);
    assert_eq!(within(first).await.unwrap(), 1);
    assert_eq!(within(second).await.unwrap().unwrap(), 2);
    assert_eq!(within(third).await.unwrap().unwrap(), 3);
    assert_eq!(a.incarnation(), 2);
    let stopped = "stop a";
    assert_eq!(
        scene.log().iter().filter(|line| *line == stopped).count(),
        1
    );
}

#[tokio::test(start_paused = true)]
async fn a_permanent_child_that_stops_itself_has_its_restart_counted() {
    let scene = Scene::default();
    let child = scene.worker("a").intensity(Intensity::new(1, millis(1000)));
    let (a, child) = child.prepare().unwrap();
    let supervisor = Supervisor::builder().child(child).spawn();
    for _ in 0..2 {
        a.finish().await.unwrap();
    }
    let reason = within(supervisor.join()).await;
    assert!(reason.to_string().contains("gave up"), "{reason}");
    assert!(within(a.join()).await.is_normal());
}

#[tokio::test(start_paused = true)]
async fn a_child_that_does_not_come_back_handles_what_it_has_accepted_and_no_more() {
    for restart in [Restart::Transient, Restart::Temporary] {
        let scene = Scene::default();
        let (a, child) = scene.worker("a").restart(restart).prepare().unwrap();
        a.finish().tell().await.unwrap();
        let accepted = a.count().enqueue().await.unwrap();
        let _supervisor = Supervisor::builder().child(child).spawn();
        assert_eq!(within(accepted).await.unwrap(), 1, "{restart:?}");
        assert!(within(a.join()).await.is_normal());
        assert!(matches!(a.count().await, Err(AskError::NotHandled(_))));
    }
}
