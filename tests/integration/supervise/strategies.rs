//! Who is restarted with whom.

use greenroom::{Shutdown, Strategy, Supervisor};

use super::scene::{Scene, Worker, pass};
use crate::actor::support::within;

async fn after_a_crash_of_b(strategy: Strategy) -> Vec<String> {
    let scene = Scene::default();
    let names = ["a", "b", "c"];
    let builder = Supervisor::builder().strategy(strategy);
    let builder = names
        .into_iter()
        .fold(builder, |builder, name| builder.child(scene.worker(name)));
    let supervisor = builder.spawn();
    supervisor.wait_launched().await.unwrap();
    let b = supervisor.child::<Worker>("b").await.unwrap();
    scene.log();
    let _ = b.crash().await;
    pass(1).await;
    scene.log()
}

#[tokio::test(start_paused = true)]
async fn one_for_one_restarts_the_one_that_failed() {
    let log = after_a_crash_of_b(Strategy::OneForOne).await;
    assert_eq!(log, ["drop b", "start b"]);
}

#[tokio::test(start_paused = true)]
async fn one_for_all_ends_the_others_in_reverse_and_starts_all_in_order() {
    let log = after_a_crash_of_b(Strategy::OneForAll).await;
    let expected = [
        "drop b", "stop c", "drop c", "stop a", "drop a", "start a", "start b", "start c",
    ];
    assert_eq!(log, expected);
}

#[tokio::test(start_paused = true)]
async fn rest_for_one_restarts_those_that_were_added_later_too() {
    let log = after_a_crash_of_b(Strategy::RestForOne).await;
    assert_eq!(log, ["drop b", "stop c", "drop c", "start b", "start c"]);
}

#[tokio::test(start_paused = true)]
async fn a_child_that_is_halted_as_it_is_started_does_not_hold_up_the_others() {
    let scene = Scene::default();
    let (a, first) = scene.worker("a").prepare().unwrap();
    let second = scene.worker("b").shutdown(Shutdown::Unlimited);
    let crash = tokio::spawn(a.crash().into_owned().into_future());
    tokio::task::yield_now().await; // it waits in the mailbox, and comes with the start
    let supervisor = Supervisor::builder()
        .strategy(Strategy::OneForAll)
        .child(first)
        .child(second)
        .spawn();
    within(crash).await.unwrap().unwrap_err();
    pass(1).await;
    within(supervisor.wait_launched()).await.unwrap();
    let b = supervisor.child::<Worker>("b").await.unwrap();
    assert_eq!(within(a.count()).await.unwrap(), 1);
    assert_eq!(within(b.count()).await.unwrap(), 1);
    within(supervisor.shutdown()).await;
    let log = scene.log();
    assert_eq!(
        log[log.len() - 4..],
        ["stop b", "drop b", "stop a", "drop a"]
    );
}
