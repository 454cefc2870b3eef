//! What a handle of another process does.

use greenroom::AskError;

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
