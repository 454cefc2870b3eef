//! Sessions outlive their connections, and execute all that they take exactly once.

use std::time::Duration;

use futures::future::join_all;
use greenroom::remote::{Crossing, LinkEnd, LookupError, Node};
use greenroom::{AskError, Refusal};

use super::scene::{Counter, Scene, until, within};

#[tokio::test(start_paused = true)]
async fn a_thousand_asks_are_under_way_at_a_time() {
    let scene = Scene::new().await;
    let asks = (0..1_000).map(|_| scene.counter.add(1));
    let mut sums: Vec<u64> = within(join_all(asks))
        .await
        .into_iter()
        .map(|sum| sum.expect("it lives"))
        .collect();
    assert!(
        sums.is_sorted(),
        "they are handled in the order of their asks"
    );
    sums.dedup();
    assert_eq!(sums.len(), 1_000);
    let metrics = scene.link.metrics();
    assert_eq!(metrics.round_trips(), 1_000);
    assert!(metrics.writes < 200, "{} writes", metrics.writes);
}

#[tokio::test(start_paused = true)]
async fn what_is_asked_and_told_while_connections_are_cut_is_executed_once() {
    for bytes in [1, 7, 64, 300, 1_000, 3_333, 9_999] {
        let scene = Scene::new().await;
        let tells = async {
            for n in 0..500 {
                scene.counter.add(n).tell().await.expect("it lives");
            }
        };
        let asks = join_all((500..1_500).map(|n| scene.counter.add(n)));
        scene.network.cut_after(Some(bytes));
        let (answers, ()) = within(futures::future::join(asks, tells)).await;
        let failed = answers.iter().find(|answer| answer.is_err());
        assert!(failed.is_none(), "cut after {bytes}: {failed:?}");
        let mut seen = within(scene.counter.seen()).await.expect("it lives");
        assert_eq!(seen.len(), 1_500, "cut after {bytes}");
        seen.sort_unstable();
        assert_eq!(seen, (0..1_500).collect::<Vec<_>>(), "cut after {bytes}");
        assert!(scene.network.opened() > 1);
    }
}

#[tokio::test(start_paused = true)]
async fn an_ask_that_runs_while_the_connection_is_lost_is_answered_over_the_next() {
    let scene = Scene::new().await;
    let ask = tokio::spawn(scene.counter.wait(7).into_owned());
    until(|| scene.server.metrics().asks_running == 1).await;
    scene.network.cut();
    scene.gate.add_permits(1);
    assert_eq!(within(ask).await.expect("no panic").expect("it lives"), 7);
    assert_eq!(scene.network.opened(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_partition_that_heals_in_time_loses_nothing() {
    let scene = Scene::new().await;
    scene.network.part();
    let ask = tokio::spawn(scene.counter.add(7).into_owned());
    tokio::time::advance(Duration::from_secs(21)).await; // the connections count as dead
    scene.network.heal();
    assert_eq!(within(ask).await.expect("no panic").expect("it lives"), 7);
    assert_eq!(
        within(scene.counter.add(0)).await.expect("it lives"),
        7,
        "added once"
    );
}

#[tokio::test(start_paused = true)]
async fn after_a_restart_of_its_node_a_handle_is_stale_and_a_new_lookup_is_not() {
    let scene = Scene::new().await;
    let ask = tokio::spawn(scene.counter.wait(7).into_owned());
    until(|| scene.server.metrics().asks_running == 1).await;
    // Killed: its sessions are gone, and it says nothing of it.
    scene.network.part();
    let closing = tokio::spawn({
        let server = scene.server.clone();
        async move { server.close().await }
    });
    within(closing).await.expect("no panic");
    scene.network.cut();
    scene.network.heal();
    let server = Node::builder().build();
    let local = Counter::new(&scene.gate).spawn();
    server.export("counter", &local).expect("the name is free");
    within(server.listen(&scene.address))
        .await
        .expect("it is free");
    let error = within(ask)
        .await
        .expect("no panic")
        .expect_err("nobody knows");
    assert!(matches!(error, AskError::OutcomeUnknown(_)), "{error:?}");
    assert_eq!(within(scene.link.ended()).await, LinkEnd::Forgotten);
    let error = within(scene.counter.add(1)).await.expect_err("it is stale");
    let AskError::NotHandled(refused) = error else {
        panic!("{error:?}");
    };
    assert!(matches!(
        refused.refusal(),
        Refusal::Crossing(Crossing::LinkEnded)
    ));
    let again = within(scene.link.lookup::<Counter>("counter"))
        .await
        .expect("it is exported");
    assert_ne!(again, scene.counter);
    assert_eq!(within(again.add(1)).await.expect("it lives"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_nobody_resumes_ends_on_both_sides() {
    let scene = Scene::new().await;
    scene.network.part();
    scene.network.cut();
    assert_eq!(within(scene.link.ended()).await, LinkEnd::Lost);
    until(|| scene.server.metrics().sessions == 0).await;
    scene.network.heal();
    let error = within(scene.link.lookup::<Counter>("nobody")).await;
    assert!(
        matches!(error, Err(LookupError::Unknown)),
        "a new session: {error:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn on_several_threads_all_is_executed_once_however_often_connections_are_cut() {
    let scene = Scene::new().await;
    let askers: Vec<_> = (0..8)
        .map(|asker| {
            let counter = scene.counter.clone();
            greenroom::spawn(async move {
                for n in 0..150 {
                    let number = asker * 1_000 + n;
                    counter.add(number).tell().await.expect("it lives");
                    counter.add(number + 500).await.expect("it lives");
                }
            })
        })
        .collect();
    let cutter = tokio::spawn({
        let network = scene.network.clone();
        async move {
            for cuts in 1..=30 {
                network.cut_after(Some(200 + 37 * cuts));
                until(|| network.opened() > cuts).await;
            }
        }
    });
    for asker in askers {
        within(asker).await.expect("no panic");
    }
    cutter.abort();
    let mut seen = within(scene.counter.seen()).await.expect("it lives");
    seen.sort_unstable();
    let mut told: Vec<u64> = (0..8)
        .flat_map(|asker| (0..150).flat_map(move |n| [asker * 1_000 + n, asker * 1_000 + n + 500]))
        .collect();
    told.sort_unstable();
    assert_eq!(seen, told);
    assert!(scene.network.opened() > 5, "{}", scene.network.opened());
}
