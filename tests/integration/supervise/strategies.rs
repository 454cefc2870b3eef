//! Who is restarted with whom.

use greenroom::{Strategy, Supervisor};

use super::scene::{Scene, Worker, pass};

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
