//! One child: its starts, its ends, and what becomes of its handle.

use greenroom::{AskError, ExitReason, Restart, Supervisor};

use super::scene::{Scene, Worker, pass};
use crate::actor::support::{assert_at_rest, within};

#[tokio::test(start_paused = true)]
async fn a_child_that_panicked_comes_back_under_its_handle_with_a_new_state() {
    let scene = Scene::default();
    let supervisor = Supervisor::builder().child(scene.worker("a")).spawn();
    let worker = supervisor.child::<Worker>("a").await.unwrap();
    assert_eq!(worker.count().await.unwrap(), 1);
    assert_eq!(worker.count().await.unwrap(), 2);

    let error = worker.crash().await.unwrap_err();
    let AskError::Interrupted(interrupted) = &error else {
        panic!("{error:?}")
    };
    assert!(matches!(
        interrupted.reason(),
        Some(ExitReason::Panicked(_))
    ));
    assert_eq!(worker.count().await.unwrap(), 1);
    assert_eq!(scene.log(), ["start a", "drop a", "start a"]);
    let info = supervisor.children().await.unwrap().remove(0);
    assert_eq!(info.restarts, 1);
    assert!(
        info.last_failure
            .unwrap()
            .to_string()
            .contains("out of ink")
    );
}

#[tokio::test(start_paused = true)]
async fn the_queue_and_its_order_survive_a_restart() {
    let scene = Scene::default();
    let (worker, child) = scene.worker("a").prepare().unwrap();
    for word in 1..=3 {
        worker.note(word).tell().await.unwrap();
    }
    worker.crash().tell().await.unwrap();
    for word in 4..=9 {
        worker.note(word).tell().await.unwrap();
    }
    assert_eq!(
        scene.log(),
        [""; 0],
        "nothing runs before there is a supervisor"
    );
    let _supervisor = Supervisor::builder().child(child).spawn();
    worker.count().await.unwrap();
    let handled = |word: u32| format!("a handles {word}");
    let mut expected = vec!["start a".to_owned()];
    expected.extend((1..=3).map(handled));
    expected.extend(["drop a".to_owned(), "start a".to_owned()]);
    expected.extend((4..=9).map(handled));
    assert_eq!(scene.log(), expected);
    assert_at_rest(&worker);
}

#[tokio::test(start_paused = true)]
async fn a_child_is_restarted_after_the_ends_that_its_policy_names() {
    #[derive(Clone, Copy, Debug)]
    enum End {
        Crash,
        Kill,
        Finish,
        Stop,
    }
    let ends = [End::Crash, End::Kill, End::Finish, End::Stop];
    let policies = [
        (Restart::Permanent, [true, true, true, false]),
        (Restart::Transient, [true, true, false, false]),
        (Restart::Temporary, [false, false, false, false]),
    ];
    for (restart, expected) in policies {
        for (end, comes_back) in ends.into_iter().zip(expected) {
            let scene = Scene::default();
            let child = scene.worker("a").restart(restart);
            let supervisor = Supervisor::builder().child(child).spawn();
            let worker = supervisor.child::<Worker>("a").await.unwrap();
            supervisor.wait_launched().await.unwrap();
            match end {
                End::Crash => drop(worker.crash().await),
                End::Kill => worker.kill(),
                End::Finish => worker.finish().await.unwrap(),
                End::Stop => worker.stop(),
            }
            pass(1).await;
            let case = format!("{restart:?} after {end:?}");
            assert_eq!(!worker.is_stopped(), comes_back, "{case}");
            let children = supervisor.children().await.unwrap();
            assert_eq!(children.len(), usize::from(comes_back), "{case}");
            let starts = scene.log().iter().filter(|line| *line == "start a").count();
            assert_eq!(starts, 1 + usize::from(comes_back), "{case}");
            if comes_back {
                assert_eq!(worker.count().await.unwrap(), 1, "{case}");
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn children_start_in_order_each_when_the_one_before_has_and_end_in_reverse() {
    let scene = Scene::default();
    let gate = scene.gate_start("b");
    let names = ["a", "b", "c"];
    let builder = names
        .into_iter()
        .fold(Supervisor::builder(), |builder, name| {
            builder.child(scene.worker(name))
        });
    let supervisor = builder.spawn();
    gate.reached().await;
    pass(1).await;
    assert_eq!(scene.log(), ["start a"]);
    gate.open();
    within(supervisor.wait_launched()).await.unwrap();
    assert_eq!(scene.log(), ["start b", "start c"]);
    assert!(matches!(supervisor.shutdown().await, ExitReason::Stopped));
    let expected = ["stop c", "drop c", "stop b", "drop b", "stop a", "drop a"];
    assert_eq!(scene.log(), expected);
}
