//! What a handle of another process does.

use greenroom::{AskError, ExitReason};

use super::scene::{Scene, within};

#[tokio::test]
async fn an_ask_is_answered_by_the_other_node() {
    let scene = Scene::new().await;
    assert_eq!(within(scene.counter.add(2)).await.expect("it lives"), 2);
    assert_eq!(within(scene.counter.add(3)).await.expect("it lives"), 5);
    assert_eq!(scene.local.add(1).await.expect("it lives"), 6);
}

#[tokio::test]
async fn the_handlers_own_error_comes_back() {
    let scene = Scene::new().await;
    let error = within(scene.counter.take(1))
        .await
        .expect_err("too little is there");
    assert!(matches!(error, AskError::Handler(text) if text == "too little"));
}

#[tokio::test]
async fn tells_come_in_order_and_before_what_is_asked_after_them() {
    let scene = Scene::new().await;
    for n in 0..300 {
        within(scene.counter.add(n).tell()).await.expect("it lives");
    }
    let seen = within(scene.counter.seen()).await.expect("it lives");
    assert_eq!(seen, (0..300).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_tell_whose_handler_waits_keeps_its_place() {
    let scene = Scene::new().await;
    within(scene.counter.wait(1).tell())
        .await
        .expect("it lives");
    within(scene.counter.add(2).tell()).await.expect("it lives");
    scene.gate.add_permits(1);
    let seen = within(scene.counter.seen()).await.expect("it lives");
    assert_eq!(seen, [1, 2]);
}

#[tokio::test]
async fn a_panic_at_a_tell_ends_its_actor_alone() {
    let scene = Scene::new().await;
    within(scene.counter.panic().tell())
        .await
        .expect("it lives");
    let end = within(scene.local.join()).await;
    assert!(matches!(end, ExitReason::Panicked(_)), "{end:?}");
    assert_eq!(scene.server.metrics().sessions, 1);
}
