//! What is told when something ends: an ask, an actor, a session.

use std::time::Duration;

use greenroom::remote::limits::ASK_LIMIT;
use greenroom::remote::{ConnectError, Crossing, LinkEnd, LookupError, Node, RemoteEnd};
use greenroom::{AskError, Refusal, TimeoutState};

use super::scene::{Counter, CounterAdd, Scene, until, within};

#[tokio::test(start_paused = true)]
async fn an_ask_that_times_out_is_taken_back_where_it_waits() {
    let scene = Scene::new().await;
    let runs = tokio::spawn(scene.counter.wait(1).into_owned());
    until(|| scene.server.metrics().asks_running == 1).await;
    let limit = Duration::from_millis(5);
    let error = within(scene.counter.add(5).timeout(limit))
        .await
        .expect_err("it waits");
    assert!(
        matches!(&error, AskError::Timeout(timeout) if timeout.state() == TimeoutState::Sent)
            || matches!(error, AskError::NotHandled(_)),
        "{error:?}"
    );
    scene.gate.add_permits(1);
    within(runs).await.expect("no panic").expect("it lives");
    assert_eq!(within(scene.counter.seen()).await.expect("it lives"), [1]);
    until(|| scene.server.metrics().asks_running == 0).await;
}

#[tokio::test(start_paused = true)]
async fn an_ask_that_nobody_has_limited_is_given_up_after_the_usual_time() {
    let scene = Scene::new().await;
    let begun = tokio::time::Instant::now();
    let error = within(scene.counter.wait(1))
        .await
        .expect_err("the gate is shut");
    assert!(matches!(error, AskError::Timeout(_)), "{error:?}");
    assert!(begun.elapsed() >= ASK_LIMIT);
    until(|| scene.client.metrics().asks_open == 0).await;
    assert_eq!(scene.server.metrics().asks_running, 0);
    assert_eq!(scene.network.opened(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_ask_that_is_dropped_is_cancelled_on_the_other_side() {
    let scene = Scene::new().await;
    let ask = tokio::spawn(scene.counter.wait(1).into_owned());
    until(|| scene.server.metrics().asks_running == 1).await;
    let queued = tokio::spawn(scene.counter.add(5).into_owned());
    until(|| scene.server.metrics().asks_running == 2).await;
    queued.abort();
    ask.abort();
    until(|| scene.server.metrics().asks_running == 0).await;
    until(|| scene.client.metrics().asks_open == 0).await;
    scene.gate.add_permits(1);
    let seen = within(scene.counter.seen()).await.expect("it lives");
    assert_eq!(
        seen,
        [1],
        "the one that ran goes on, the queued one is skipped"
    );
}

#[tokio::test(start_paused = true)]
async fn a_session_that_is_closed_tells_what_became_of_its_asks() {
    let scene = Scene::new().await;
    let runs = tokio::spawn(scene.counter.wait(1).into_owned());
    until(|| scene.server.metrics().asks_running == 1).await;
    scene.network.part();
    within(scene.link.close()).await;
    let error = within(runs)
        .await
        .expect("no panic")
        .expect_err("no answer came");
    assert!(matches!(error, AskError::OutcomeUnknown(_)), "{error:?}");
    let error = within(scene.counter.add(9))
        .await
        .expect_err("it has ended");
    let message: CounterAdd = error.into_message().expect("it is handed back");
    assert_eq!(message.n, 9);
    let error = within(scene.counter.add(8).tell())
        .await
        .expect_err("it has ended");
    assert!(matches!(
        error.refusal(),
        Refusal::Crossing(Crossing::LinkEnded)
    ));
    assert_eq!(error.into_message().n, 8);
}

#[tokio::test(start_paused = true)]
async fn with_its_last_handle_a_session_ends_and_what_was_told_has_come() {
    let scene = Scene::new().await;
    for n in 0..200 {
        within(scene.counter.add(n).tell()).await.expect("it lives");
    }
    let Scene {
        link,
        counter,
        server,
        local,
        client,
        ..
    } = scene;
    drop((link, client));
    within(counter.add(200).tell())
        .await
        .expect("a handle keeps the session");
    drop(counter);
    until(|| server.metrics().sessions == 0).await;
    let mut seen = Vec::new();
    while seen.len() <= 200 {
        // What waits for the mailbox goes on after the session's end.
        seen = within(local.seen()).await.expect("it lives");
    }
    assert_eq!(seen, (0..=200).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn the_end_of_an_actor_is_told_to_those_who_watch_it() {
    let scene = Scene::new().await;
    let ended = scene.counter.ended();
    let dropped = scene.counter.ended();
    drop(dropped);
    within(scene.counter.add(1)).await.expect("it lives");
    scene.local.kill();
    assert_eq!(within(ended).await, RemoteEnd::Killed);
    assert_eq!(
        within(scene.counter.ended()).await,
        RemoteEnd::Killed,
        "at once"
    );
    let error = within(scene.counter.add(1))
        .await
        .expect_err("it has ended");
    let AskError::NotHandled(refused) = error else {
        panic!("{error:?}");
    };
    assert!(matches!(refused.refusal(), Refusal::Ended(_)));
}

#[tokio::test(start_paused = true)]
async fn who_watches_hears_of_the_sessions_end_as_of_an_unknown_one() {
    let scene = Scene::new().await;
    let ended = scene.counter.ended();
    within(scene.link.close()).await;
    assert_eq!(within(ended).await, RemoteEnd::Unknown);
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_a_handler_ends_its_actor_and_not_the_link() {
    let scene = Scene::new().await;
    scene
        .server
        .export("other", &Counter::new(&scene.gate).spawn())
        .expect("it is free");
    let error = within(scene.counter.panic()).await.expect_err("it panics");
    assert!(matches!(error, AskError::Interrupted(_)), "{error:?}");
    let other = within(scene.link.lookup::<Counter>("other"))
        .await
        .expect("it is exported");
    assert_eq!(within(other.add(1)).await.expect("it lives"), 1);
    assert_eq!(scene.network.opened(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_node_that_closes_tells_its_peers() {
    let scene = Scene::new().await;
    within(scene.server.close()).await;
    assert_eq!(within(scene.link.ended()).await, LinkEnd::ClosedByPeer);
}

#[tokio::test(start_paused = true)]
async fn an_export_that_is_withdrawn_answers_nobody_and_keeps_no_actor() {
    let scene = Scene::new().await;
    assert!(scene.server.withdraw("counter"));
    let error = within(scene.counter.add(1)).await.expect_err("it is gone");
    let AskError::NotHandled(refused) = error else {
        panic!("{error:?}");
    };
    assert!(matches!(
        refused.refusal(),
        Refusal::Crossing(Crossing::Stale)
    ));
    assert_eq!(scene.local.handle_count(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_link_can_be_closed_while_it_begins_another_session() {
    let scene = Scene::new().await;
    within(scene.server.close()).await;
    assert_eq!(within(scene.link.ended()).await, LinkEnd::ClosedByPeer);
    let server = Node::builder().build();
    server.export("counter", &scene.local).expect("it is free");
    within(server.listen(&scene.address))
        .await
        .expect("it is free");
    scene.network.part();
    let begins = tokio::spawn({
        let link = scene.link.clone();
        async move { link.lookup::<Counter>("counter").await }
    });
    tokio::task::yield_now().await;
    within(scene.link.close()).await;
    scene.network.heal();
    let error = within(begins)
        .await
        .expect("no panic")
        .expect_err("it was closed");
    assert!(
        matches!(error, LookupError::Connect(ConnectError::Closed)),
        "{error:?}"
    );
    until(|| server.metrics().sessions == 0).await;
}
