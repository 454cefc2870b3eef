//! How children and supervisors end.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use greenroom::{
    AutoShutdown, Child, ExitReason, Intensity, Restart, Shutdown, Strategy, Supervisor, actor,
};
use tokio::time::Instant;

use super::scene::{Scene, Worker, millis, pass};
use crate::actor::support::{Gate, within};

#[tokio::test(start_paused = true)]
async fn a_child_that_takes_longer_than_its_limit_is_killed_and_the_next_has_its_own() {
    let scene = Scene::default();
    let (_a, _b) = (scene.gate_stop("a"), scene.gate_stop("b"));
    let supervisor = Supervisor::builder()
        .child(scene.worker("a").shutdown(Shutdown::Within(millis(300))))
        .child(scene.worker("b").shutdown(Shutdown::Within(millis(200))))
        .spawn();
    supervisor.wait_launched().await.unwrap();
    let a = supervisor.child::<Worker>("a").await.unwrap();
    scene.log();
    let began = Instant::now();
    within(supervisor.shutdown()).await;
    assert_eq!(began.elapsed().as_millis() / 10, 50);
    assert_eq!(scene.log(), ["drop b", "drop a"]);
    assert!(matches!(a.exit_reason(), Some(ExitReason::Killed)));
}

#[tokio::test(start_paused = true)]
async fn a_brutal_end_runs_no_stop_hook_and_an_unlimited_one_waits() {
    let scene = Scene::default();
    let gate = scene.gate_stop("a");
    let supervisor = Supervisor::builder()
        .child(scene.worker("a").shutdown(Shutdown::Unlimited))
        .child(scene.worker("b").shutdown(Shutdown::Brutal))
        .spawn();
    supervisor.wait_launched().await.unwrap();
    scene.log();
    supervisor.stop();
    gate.reached().await;
    pass(3_600_000).await;
    assert_eq!(scene.log(), ["drop b"]);
    gate.open();
    within(supervisor.join()).await;
    assert_eq!(scene.log(), ["stop a", "drop a"]);
}

#[tokio::test(start_paused = true)]
async fn a_sibling_that_does_not_halt_in_time_is_killed_and_restarted_with_its_queue() {
    let scene = Scene::default();
    let supervisor = Supervisor::builder()
        .strategy(Strategy::OneForAll)
        .child(scene.worker("a"))
        .child(scene.worker("b").shutdown(Shutdown::Within(millis(100))))
        .spawn();
    let a = supervisor.child::<Worker>("a").await.unwrap();
    let b = supervisor.child::<Worker>("b").await.unwrap();
    let gate = Gate::shut();
    b.hold(gate.clone()).tell().await.unwrap();
    gate.reached().await;
    b.note(1).tell().await.unwrap();
    scene.log();
    let _ = a.crash().await;
    pass(200).await;
    let expected = ["drop a", "drop b", "start a", "start b", "b handles 1"];
    assert_eq!(scene.log(), expected);
}

#[tokio::test(start_paused = true)]
async fn significant_children_end_their_supervisor_as_it_says() {
    let cases = [
        (AutoShutdown::Never, [false, false]),
        (AutoShutdown::AnySignificant, [true, true]),
        (AutoShutdown::AllSignificant, [false, true]),
    ];
    for (auto_shutdown, expected) in cases {
        let scene = Scene::default();
        let significant = |name| scene.worker(name).restart(Restart::Transient).significant();
        let supervisor = Supervisor::builder()
            .auto_shutdown(auto_shutdown)
            .child(significant("a"))
            .child(scene.worker("b").restart(Restart::Transient))
            .child(significant("c"))
            .spawn();
        let mut workers = Vec::new();
        for name in ["b", "a", "c"] {
            workers.push(supervisor.child::<Worker>(name).await.unwrap());
        }
        workers[0].finish().await.unwrap();
        pass(1).await;
        assert!(!supervisor.is_stopped(), "{auto_shutdown:?}");
        for (worker, expected) in workers[1..].iter().zip(expected) {
            let _ = worker.finish().await;
            pass(1).await;
            assert_eq!(supervisor.is_stopped(), expected, "{auto_shutdown:?}");
        }
        if expected[1] {
            assert!(supervisor.exit_reason().unwrap().is_normal());
        }
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_restarted_while_a_supervisor_ends() {
    let scene = Scene::default();
    let gate = scene.gate_stop("b");
    let supervisor = Supervisor::builder()
        .child(scene.worker("a"))
        .child(scene.worker("b"))
        .spawn();
    supervisor.wait_launched().await.unwrap();
    let a = supervisor.child::<Worker>("a").await.unwrap();
    scene.log();
    supervisor.stop();
    gate.reached().await;
    let _ = a.crash().await;
    pass(10).await;
    gate.open();
    within(supervisor.join()).await;
    assert_eq!(scene.log(), ["drop a", "stop b", "drop b"]);
    assert!(within(a.join()).await.to_string().contains("out of ink"));
}

#[tokio::test(start_paused = true)]
async fn a_supervisor_that_is_told_to_stop_while_its_children_start_ends() {
    let scene = Scene::default();
    let gate = scene.gate_start("a");
    let supervisor = Supervisor::builder()
        .child(scene.worker("a").shutdown(Shutdown::Within(millis(50))))
        .child(scene.worker("b"))
        .spawn();
    gate.reached().await;
    let reason = within(supervisor.shutdown()).await;
    assert!(matches!(reason, ExitReason::Stopped));
    assert_eq!(scene.log(), ["drop a"]);
}

#[tokio::test(start_paused = true)]
async fn dropping_the_last_handle_of_a_supervisor_ends_its_children() {
    let scene = Scene::default();
    let (a, child) = scene.worker("a").prepare().unwrap();
    let supervisor = Supervisor::builder().child(child).spawn();
    supervisor.wait_launched().await.unwrap();
    drop(supervisor);
    assert!(matches!(within(a.join()).await, ExitReason::Stopped));
    assert_eq!(scene.log(), ["start a", "stop a", "drop a"]);
}

#[tokio::test(start_paused = true)]
async fn acc_11_a_child_that_was_told_to_stop_and_panics_in_its_stop_hook_is_not_restarted() {
    let scene = Scene::default();
    let supervisor = Supervisor::builder()
        .child(scene.worker("a"))
        .child(scene.worker("b"))
        .spawn();
    let a = supervisor.child::<Worker>("a").await.unwrap();
    a.spoil().await.unwrap();
    let plain = a.join();
    a.stop();
    let reason = within(plain).await;
    assert!(
        reason.to_string().contains("in its stop hook: a is torn"),
        "{reason}"
    );
    pass(1).await;
    let names: Vec<_> = supervisor
        .children()
        .await
        .unwrap()
        .into_iter()
        .map(|child| child.name)
        .collect();
    assert_eq!(names, ["b"]);
    let b = supervisor.child::<Worker>("b").await.unwrap();
    assert_eq!(b.count().await.unwrap(), 1);
    within(supervisor.shutdown()).await;
}

#[tokio::test(start_paused = true)]
async fn acc_09_the_end_of_a_supervisor_is_said_when_no_state_of_a_child_is_left() {
    for round in 0..100 {
        let scene = Scene::default();
        let inner = Supervisor::builder().name("inner").child(scene.worker("a"));
        let root = Supervisor::builder()
            .child(Child::supervisor(inner))
            .child(scene.worker("b"))
            .spawn();
        root.wait_launched().await.unwrap();
        scene.log();
        if round % 2 == 0 {
            root.stop();
            within(root.join()).await;
        } else {
            within(root.terminate("inner")).await.unwrap();
            within(root.terminate("b")).await.unwrap();
        }
        let log = scene.log();
        assert!(log.contains(&"drop a".to_owned()), "{log:?}");
        assert!(log.contains(&"drop b".to_owned()), "{log:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn acc_05_a_child_ends_with_its_entry_and_not_with_its_handles() {
    let scene = Scene::default();
    let supervisor = Supervisor::builder()
        .child(scene.worker("a").restart(Restart::Transient))
        .spawn();
    let a = supervisor.child::<Worker>("a").await.unwrap();
    let _ = a.crash().await;
    let weak = a.downgrade();
    drop(a);
    pass(1).await;
    assert_eq!(
        supervisor
            .child::<Worker>("a")
            .await
            .unwrap()
            .handle_count(),
        2
    );
    supervisor.terminate("a").await.unwrap();
    assert!(weak.upgrade().is_none());
    assert!(within(weak.join()).await.is_normal());
}

/// Counts those that are alive.
struct Token(Arc<AtomicUsize>);

impl Drop for Token {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[actor]
struct Mayfly;

#[actor]
impl Mayfly {
    #[on(start)]
    fn begin(&mut self, ctx: &mut greenroom::Context<Self>) {
        ctx.stop();
    }
}

#[tokio::test(start_paused = true)]
async fn children_that_ended_for_good_leave_nothing_behind() {
    let tokens = Arc::new(AtomicUsize::new(0));
    let supervisor = Supervisor::builder().spawn();
    for _ in 0..5_000 {
        tokens.fetch_add(1, Ordering::Relaxed);
        let token = Arc::new(Token(tokens.clone()));
        let child = Child::new(move || {
            let _owned = &token;
            Mayfly
        });
        let mayfly = supervisor
            .add(child.restart(Restart::Transient))
            .await
            .unwrap();
        within(mayfly.join()).await;
    }
    pass(1).await;
    assert_eq!(supervisor.children().await.unwrap().len(), 0);
    assert_eq!(tokens.load(Ordering::Relaxed), 0);
}

#[tokio::test(start_paused = true)]
async fn leftover_messages_follow_the_decision_that_there_is_no_restart() {
    let scene = Scene::default();
    let (lost, letters) = std::sync::mpsc::channel();
    let child = scene
        .worker("a")
        .intensity(Intensity::new(2, millis(1000)))
        .on_undelivered(move |letter| lost.send(letter.message_type()).unwrap());
    let (a, child) = child.prepare().unwrap();
    for _ in 0..3 {
        a.crash().tell().await.unwrap();
    }
    for word in 0..5 {
        a.note(word).tell().await.unwrap();
    }
    let asked = a.count().enqueue().await.unwrap();
    let supervisor = Supervisor::builder().child(child).spawn();
    assert!(matches!(
        within(supervisor.join()).await,
        ExitReason::GaveUp(_)
    ));
    assert_eq!(letters.try_iter().count(), 5);
    let error = within(asked).await.unwrap_err();
    assert!(error.to_string().contains("out of ink"), "{error}");
    assert!(!scene.log().iter().any(|line| line.contains("handles")));
}
