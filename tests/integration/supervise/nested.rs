//! Supervisors of supervisors.

use greenroom::{Child, ExitReason, Handle, Intensity, Restart, Strategy, Supervisor};

use super::scene::{Scene, Worker, millis, pass};
use crate::actor::support::within;

/// One restart within a second.
fn strict() -> Intensity {
    Intensity::new(1, millis(1000))
}

#[tokio::test(start_paused = true)]
async fn a_supervisor_that_gave_up_is_restarted_with_its_children_in_their_cells() {
    let scene = Scene::default();
    let (a, first) = scene.worker("a").prepare().unwrap();
    let (b, second) = scene.worker("b").prepare().unwrap();
    let inner = Supervisor::builder()
        .name("inner")
        .intensity(strict())
        .child(first)
        .child(second);
    // It gave up, which is no normal end: a transient one comes back.
    let inner = Child::supervisor(inner).restart(Restart::Transient);
    let root = Supervisor::builder()
        .child(inner)
        .child(scene.worker("c"))
        .spawn();
    root.wait_launched().await.unwrap();
    assert_eq!(scene.log(), ["start a", "start b", "start c"]);
    let _ = a.crash().await;
    let _ = a.crash().await;
    assert_eq!(a.count().await.unwrap(), 1);
    assert_eq!(b.count().await.unwrap(), 1);
    let expected = [
        "drop a", "start a", "drop a", "stop b", "drop b", "start a", "start b",
    ];
    assert_eq!(scene.log(), expected);
    assert_eq!((a.incarnation(), b.incarnation()), (3, 2));
    let info = root.children().await.unwrap().remove(0);
    assert_eq!(info.restarts, 1);
    let failure = info.last_failure.unwrap();
    assert!(matches!(&failure, ExitReason::GaveUp(_)));
    assert!(failure.to_string().contains("a is out of ink"), "{failure}");
}

#[tokio::test(start_paused = true)]
async fn giving_up_goes_up_the_tree_and_each_reason_holds_the_one_below() {
    let scene = Scene::default();
    let (a, child) = scene.worker("a").prepare().unwrap();
    let inner = Supervisor::builder()
        .name("inner")
        .intensity(strict())
        .child(child);
    let middle = Supervisor::builder()
        .name("middle")
        .intensity(strict())
        .child(Child::supervisor(inner));
    let root = Supervisor::builder()
        .name("root")
        .intensity(strict())
        .child(Child::supervisor(middle))
        .spawn();
    let mut crashes = 0;
    while a.crash().await.is_err() && a.exit_reason().is_none() {
        crashes += 1;
        pass(1).await;
        assert!(crashes < 20, "it never ends");
    }
    let reason = within(root.join()).await;
    let text = reason.to_string();
    let names = ["middle#", "inner#", "a#"];
    let places = names.map(|name| text.find(name).expect("a name"));
    assert!(places.is_sorted(), "{text}");
    assert!(text.ends_with("a is out of ink"), "{text}");
    // Two failures end an incarnation of each level.
    assert_eq!(
        scene.log().iter().filter(|line| *line == "start a").count(),
        8
    );
}

#[tokio::test(start_paused = true)]
async fn a_supervisor_that_is_killed_takes_its_children_along_and_they_come_back_with_it() {
    let scene = Scene::default();
    let (a, first) = scene.worker("a").prepare().unwrap();
    let (b, second) = scene.worker("b").prepare().unwrap();
    let inner = Supervisor::builder()
        .name("inner")
        .child(first)
        .child(second);
    let root = Supervisor::builder()
        .child(Child::supervisor(inner))
        .spawn();
    root.wait_launched().await.unwrap();
    scene.log();
    a.note(1).tell().await.unwrap();
    root.child::<Supervisor>("inner").await.unwrap().kill();
    a.note(2).tell().await.unwrap();
    pass(1).await;
    assert_eq!(a.count().await.unwrap(), 1);
    assert_eq!(b.count().await.unwrap(), 1);
    let log = scene.log();
    assert!(!log.iter().any(|line| line.starts_with("stop")), "{log:?}");
    let starts: Vec<_> = log
        .iter()
        .filter(|line| line.starts_with("start"))
        .collect();
    assert_eq!(starts, ["start a", "start b"]);
    assert!(log.contains(&"a handles 2".to_owned()), "{log:?}");
}

#[tokio::test(start_paused = true)]
async fn killing_the_root_leaves_nothing_alive() {
    let scene = Scene::default();
    let (a, first) = scene.worker("a").prepare().unwrap();
    let inner = Supervisor::builder().name("inner").child(first);
    let root = Supervisor::builder()
        .child(Child::supervisor(inner))
        .spawn();
    root.wait_launched().await.unwrap();
    root.kill();
    assert!(matches!(within(root.join()).await, ExitReason::Killed));
    let reason = within(a.join()).await;
    assert!(
        matches!(reason, ExitReason::Killed | ExitReason::Restarted),
        "{reason:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn children_added_later_do_not_come_back_with_their_supervisor() {
    let scene = Scene::default();
    let inner = Supervisor::builder().name("inner").child(scene.worker("a"));
    let root = Supervisor::builder()
        .child(Child::supervisor(inner))
        .spawn();
    let inner = root.child::<Supervisor>("inner").await.unwrap();
    let late = inner.add(scene.worker("late")).await.unwrap();
    late.count().await.unwrap();
    root.restart("inner").await.unwrap();
    assert!(within(late.join()).await.to_string().contains("restarted"));
    let names: Vec<String> = inner
        .children()
        .await
        .unwrap()
        .into_iter()
        .map(|child| child.name)
        .collect();
    assert_eq!(names, ["a"]);
    assert_eq!(Handle::incarnation(&inner), 2);
}

#[tokio::test(start_paused = true)]
async fn a_supervisor_has_started_when_its_children_have() {
    let scene = Scene::default();
    let gate = scene.gate_start("a");
    let inner = Supervisor::builder().name("inner").child(scene.worker("a"));
    let root = Supervisor::builder()
        .strategy(Strategy::RestForOne)
        .child(Child::supervisor(inner))
        .child(scene.worker("b"))
        .spawn();
    gate.reached().await;
    pass(1).await;
    assert_eq!(scene.log(), [""; 0]);
    gate.open();
    within(root.wait_launched()).await.unwrap();
    assert_eq!(scene.log(), ["start a", "start b"]);
}

#[tokio::test(start_paused = true)]
async fn a_tree_ends_leaf_by_leaf_in_reverse() {
    let scene = Scene::default();
    let inner = Supervisor::builder()
        .name("inner")
        .child(scene.worker("b"))
        .child(scene.worker("c"));
    let root = Supervisor::builder()
        .child(scene.worker("a"))
        .child(Child::supervisor(inner))
        .child(scene.worker("d"))
        .spawn();
    root.wait_launched().await.unwrap();
    let c = root
        .child::<Supervisor>("inner")
        .await
        .unwrap()
        .child::<Worker>("c")
        .await
        .unwrap();
    scene.log();
    c.note(1).tell().await.unwrap();
    root.shutdown().await;
    let expected = [
        "stop d",
        "drop d",
        "c handles 1",
        "stop c",
        "drop c",
        "stop b",
        "drop b",
        "stop a",
        "drop a",
    ];
    let mut log = scene.log();
    // What it was sent it may have handled before.
    let handled = log.iter().position(|line| line == "c handles 1").unwrap();
    assert!(handled < log.iter().position(|line| line == "stop c").unwrap());
    log.remove(handled);
    let expected: Vec<_> = expected
        .into_iter()
        .filter(|line| !line.contains("handles"))
        .collect();
    assert_eq!(log, expected);
}

#[tokio::test(start_paused = true)]
async fn a_tree_is_displayed_with_what_its_actors_have_been_through() {
    let scene = Scene::default();
    let inner = Supervisor::builder().name("inner").child(scene.worker("a"));
    let root = Supervisor::builder()
        .name("root")
        .child(Child::supervisor(inner))
        .child(scene.worker("b"))
        .spawn();
    root.wait_launched().await.unwrap();
    let b = root.child::<Worker>("b").await.unwrap();
    pass(2000).await;
    let _ = b.crash().await;
    pass(1500).await;
    root.terminate("b").await.unwrap();
    let tree = root.tree().await.unwrap();
    assert_eq!(tree.count(), 4);
    let text = tree.to_string();
    let lines: Vec<&str> = text.lines().collect();
    let begins = [
        "root#",
        "  inner#",
        "    a#",
        "  b: terminated, restarts: 1, last failure: it panicked",
    ];
    for (line, begin) in lines.iter().zip(begins) {
        assert!(line.starts_with(begin), "{text}");
    }
    assert!(lines[2].ends_with("up for 3.5s"), "{text}");
}
