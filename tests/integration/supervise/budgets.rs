//! How often, and how soon.

use std::time::Duration;

use greenroom::{Backoff, ExitReason, Intensity, Supervisor};
use tokio::time::Instant;

use super::scene::{Scene, Worker, WorkerNote, millis, pass};
use crate::actor::support::within;

#[tokio::test(start_paused = true)]
async fn a_supervisor_gives_up_with_a_reason_that_names_the_child_and_the_count() {
    let scene = Scene::default();
    let supervisor = Supervisor::builder()
        .intensity(Intensity::new(2, millis(1000)))
        .child(scene.worker("a"))
        .child(scene.worker("b"))
        .spawn();
    let worker = supervisor.child::<Worker>("a").await.unwrap();
    supervisor.wait_launched().await.unwrap();
    for _ in 0..3 {
        let _ = worker.crash().await;
    }
    let reason = within(supervisor.join()).await;
    let ExitReason::GaveUp(failure) = &reason else {
        panic!("{reason:?}")
    };
    assert!(!reason.is_normal());
    assert_eq!(failure.restarts(), 2);
    assert!(failure.child().starts_with("a#"));
    assert!(failure.last_failure().to_string().contains("out of ink"));
    assert!(reason.to_string().contains("after 2 restarts"), "{reason}");
    assert!(worker.is_stopped());
    let log = scene.log();
    assert_eq!(log[log.len() - 2..], ["stop b", "drop b"]);
    pass(1).await;
}

#[tokio::test(start_paused = true)]
async fn a_start_that_fails_is_tried_after_its_backoff_while_its_supervisor_answers() {
    let scene = Scene::default();
    scene.fail_starts("a", 4);
    let backoff = Backoff::exponential(millis(10), millis(1000));
    let child = scene
        .worker("a")
        .backoff(backoff)
        .intensity(Intensity::new(10, millis(5000)));
    let supervisor = Supervisor::builder()
        .child(child)
        .child(scene.worker("b"))
        .spawn();
    let began = Instant::now();
    let worker = supervisor.child::<Worker>("a").await.unwrap();
    let called = tokio::spawn(async move { worker.count().await });
    let mut asked = 0;
    while !called.is_finished() {
        let b = supervisor.child::<Worker>("b").await.unwrap();
        b.count().await.unwrap();
        asked += 1;
        pass(1).await;
    }
    assert_eq!(called.await.unwrap().unwrap(), 1);
    // 10, 20, 40 and 80 ms.
    assert_eq!(began.elapsed().as_millis() / 2, 150 / 2);
    assert!(asked >= 150);
    let starts = ["fail a", "drop a", "start b"];
    assert_eq!(scene.log()[..3], starts);
}

#[tokio::test(start_paused = true)]
async fn a_backoff_begins_anew_when_its_child_was_well_for_a_while() {
    let scene = Scene::default();
    let backoff = Backoff::exponential(millis(100), millis(10_000)).reset_after(millis(500));
    let child = scene
        .worker("a")
        .backoff(backoff)
        .intensity(Intensity::unlimited());
    let supervisor = Supervisor::builder().child(child).spawn();
    let worker = supervisor.child::<Worker>("a").await.unwrap();
    let mut waits = Vec::new();
    for healthy in [0, 0, 0, 600, 0] {
        worker.count().await.unwrap();
        pass(healthy).await;
        let began = Instant::now();
        let _ = worker.crash().await;
        worker.count().await.unwrap();
        waits.push(began.elapsed().as_millis() / 10);
    }
    assert_eq!(waits, [10, 20, 40, 10, 20]);
}

#[tokio::test(start_paused = true)]
async fn jitter_repeats_with_its_seed() {
    let waits = async |seed| {
        let scene = Scene::default();
        let backoff = Backoff::exponential(millis(1000), millis(1000)).jitter(1.0);
        let child = scene
            .worker("a")
            .backoff(backoff)
            .intensity(Intensity::unlimited());
        let supervisor = Supervisor::builder().seed(seed).child(child).spawn();
        let worker = supervisor.child::<Worker>("a").await.unwrap();
        let mut waits = Vec::new();
        for _ in 0..5 {
            let began = Instant::now();
            let _ = worker.crash().await;
            worker.count().await.unwrap();
            waits.push(began.elapsed().as_millis());
        }
        waits
    };
    assert_eq!(waits(7).await, waits(7).await);
    assert_ne!(waits(7).await, waits(8).await);
}

#[tokio::test(start_paused = true)]
async fn children_share_a_budget_only_where_that_is_asked_for() {
    for (together, expected) in [(None, true), (Some(4), false)] {
        let scene = Scene::default();
        let names = ["a", "b", "c", "d", "e"];
        let mut builder = Supervisor::builder().intensity(Intensity::new(1, millis(1000)));
        if let Some(together) = together {
            builder = builder.total_intensity(Intensity::new(together, millis(1000)));
        }
        for name in names {
            builder = builder.child(scene.worker(name));
        }
        let supervisor = builder.spawn();
        for name in names {
            let worker = supervisor.child::<Worker>(name).await.unwrap();
            let _ = worker.crash().await;
        }
        match expected {
            true => {
                pass(1).await;
                assert!(!supervisor.is_stopped());
            }
            false => assert!(matches!(
                within(supervisor.join()).await,
                ExitReason::GaveUp(_)
            )),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn restarts_that_lie_further_apart_than_the_window_do_not_add_up() {
    let scene = Scene::default();
    let supervisor = Supervisor::builder()
        .intensity(Intensity::new(3, millis(1000)))
        .child(scene.worker("a"))
        .spawn();
    let worker = supervisor.child::<Worker>("a").await.unwrap();
    for wait in [400, 400, 500, 400, 400] {
        worker.count().await.unwrap();
        let _ = worker.crash().await;
        pass(wait).await;
    }
    assert!(!supervisor.is_stopped());
    for _ in 0..2 {
        let _ = worker.crash().await;
    }
    assert!(matches!(
        within(supervisor.join()).await,
        ExitReason::GaveUp(_)
    ));
}

#[tokio::test(start_paused = true)]
async fn a_storm_of_failing_starts_ends_soon_and_all_who_wait_get_their_messages_back() {
    let scene = Scene::default();
    scene.fail_starts("a", u32::MAX);
    let child = scene
        .worker("a")
        .intensity(Intensity::new(100, millis(1000)));
    let (worker, child) = child.prepare().unwrap();
    let senders: Vec<_> = (0..5000)
        .map(|word| {
            let worker = worker.clone();
            tokio::spawn(async move { worker.tell(WorkerNote { word }).await })
        })
        .collect();
    pass(1).await;
    assert_eq!(worker.waiting_senders(), 5000 - 16);
    let supervisor = Supervisor::builder().child(child).spawn();
    let reason = within(supervisor.join()).await;
    assert!(matches!(&reason, ExitReason::GaveUp(failure) if failure.restarts() == 100));
    let mut accepted = 0;
    for sender in senders {
        accepted += match within(sender).await.unwrap() {
            Ok(()) => 1,
            Err(error) => {
                drop(error.into_message());
                0
            }
        };
    }
    // What was in its mailbox, no more.
    assert_eq!(accepted, 16);
    assert_eq!(scene.log().len(), 2 * 101, "each start and each drop");
}

#[tokio::test(start_paused = true)]
async fn restarts_may_count_for_as_long_as_time_can_be_told() {
    let scene = Scene::default();
    let supervisor = Supervisor::builder()
        .intensity(Intensity::new(1, Duration::MAX))
        .child(scene.worker("a"))
        .spawn();
    let worker = supervisor.child::<Worker>("a").await.unwrap();
    for _ in 0..2 {
        pass(10).await;
        let _ = worker.crash().await;
    }
    let reason = within(supervisor.join()).await;
    assert!(matches!(reason, ExitReason::GaveUp(_)), "{reason:?}");
}

#[tokio::test(start_paused = true)]
async fn a_supervisor_gives_up_also_for_a_child_that_was_told_to_stop_meanwhile() {
    let scene = Scene::default();
    let supervisor = Supervisor::builder()
        .intensity(Intensity::new(0, millis(1000)))
        .child(scene.worker("a"))
        .spawn();
    let worker = supervisor.child::<Worker>("a").await.unwrap();
    supervisor.wait_launched().await.unwrap();
    supervisor.pause(); // it reads both reports at once
    let _ = worker.crash().await;
    within(worker.shutdown()).await;
    supervisor.resume();
    let reason = within(supervisor.join()).await;
    let ExitReason::GaveUp(failure) = &reason else {
        panic!("{reason:?}")
    };
    assert!(failure.last_failure().to_string().contains("out of ink"));
}
