//! Supervisors and their children that wait for each other, in any order, and in crowds.

use std::time::Duration;

use greenroom::{
    Builder, Child, Context, ExitReason, Handle, Intensity, LookupError, Shutdown, Supervisor,
    SupervisorHandle, actor, registry, runtime,
};

use super::scene::{Scene, Worker, WorkerNote, millis, pass};
use crate::actor::support::within;

/// A parent whose mailbox is soon full, and that ends its tree from a handler or its stop hook.
#[actor(mailbox = 1)]
struct Parent {
    tree: Option<SupervisorHandle>,
}

#[actor]
impl Parent {
    fn own(&mut self, tree: SupervisorHandle) {
        self.tree = Some(tree);
    }

    async fn hear(&mut self) {
        tokio::task::yield_now().await;
    }

    /// Waits for its children in a handler: nothing else is handled meanwhile.
    async fn end_tree(&mut self, ctx: &mut Context<Self>) {
        if let Some(tree) = self.tree.take() {
            tree.shutdown().await;
        }
        ctx.stop();
    }

    #[on(stop)]
    async fn end(&mut self) {
        if let Some(tree) = self.tree.take() {
            tree.shutdown().await;
        }
    }
}

/// A child that tells its parent of whatever it does, and may fail at it.
#[actor]
struct Teller {
    parent: greenroom::WeakHandle<Parent>,
    draw: u64,
}

#[actor]
impl Teller {
    #[on(start)]
    async fn begin(&mut self) {
        for _ in 0..self.draw % 5 {
            tokio::task::yield_now().await;
        }
        self.talk().await;
        assert!(!self.draw.is_multiple_of(3), "a bad start");
    }

    async fn talk(&mut self) {
        if let Some(parent) = self.parent.upgrade() {
            let _ = parent.tell(ParentHear).await;
        }
    }

    #[on(stop)]
    async fn end(&mut self) {
        self.talk().await;
        assert!(!self.draw.is_multiple_of(7), "a bad end");
    }
}

fn teller(parent: &ParentHandle, seed: u64) -> Child<Teller> {
    let parent = parent.downgrade();
    let draws = std::sync::atomic::AtomicU64::new(seed);
    Child::new(move || Teller {
        parent: parent.clone(),
        // Ordering: Relaxed; states are made one after the other.
        draw: draws.fetch_add(1, std::sync::atomic::Ordering::Relaxed),
    })
    .intensity(Intensity::unlimited())
    .shutdown(Shutdown::Within(Duration::from_millis(20)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_parent_that_ends_its_tree_ends_whatever_its_children_are_about() {
    for seed in 0..300 {
        let parent = Parent { tree: None }.spawn();
        let mut tree = Supervisor::builder();
        for n in 0..3 {
            tree = tree.child(teller(&parent, seed * 3 + n));
        }
        within(parent.own(tree.spawn())).await.unwrap();
        for _ in 0..seed % 7 {
            tokio::task::yield_now().await;
        }
        match seed % 3 {
            0 => parent.end_tree().tell().await.unwrap(),
            1 => parent.stop(),
            // In the midst of a flood.
            _ => {
                while parent.try_tell(ParentHear).is_ok() {}
                parent.stop();
            }
        }
        assert!(within(parent.join()).await.is_normal(), "seed {seed}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_thousand_idle_children_end_with_their_supervisor_by_events_alone() {
    let supervisor = Supervisor::builder().spawn();
    let mut workers = Vec::new();
    for _ in 0..1_000 {
        let (worker, child) = Child::new(|| Idle).prepare().unwrap();
        supervisor.add(child).await.unwrap();
        workers.push(worker);
    }
    let began = tokio::time::Instant::now();
    supervisor.kill();
    for worker in workers {
        assert!(matches!(within(worker.join()).await, ExitReason::Killed));
    }
    assert_eq!(began.elapsed(), Duration::ZERO, "nobody waits for a tick");
}

#[actor]
struct Idle;

#[actor]
impl Idle {}

#[tokio::test(start_paused = true)]
async fn a_supervisor_that_waits_for_the_end_of_a_child_is_not_polled() {
    let scene = Scene::default();
    let gate = scene.gate_stop("a");
    let child = scene.worker("a").shutdown(Shutdown::Unlimited);
    let supervisor = Supervisor::builder().child(child).spawn();
    let a = supervisor.child::<Worker>("a").await.unwrap();
    supervisor.stop();
    gate.reached().await;
    a.try_tell(WorkerNote { word: 1 }).unwrap_err();
    let polls = || {
        let metrics = runtime::Handle::current().metrics();
        metrics
            .workers
            .iter()
            .map(|worker| worker.polls)
            .sum::<u64>()
    };
    let before = polls();
    for _ in 0..100 {
        pass(1_000).await;
    }
    assert!(polls() - before < 20, "{} polls", polls() - before);
    gate.open();
    within(supervisor.join()).await;
}

#[tokio::test(start_paused = true)]
async fn children_that_were_added_have_gone_with_their_names_before_their_supervisor_is_back() {
    let scene = Scene::default();
    let inner = Supervisor::builder()
        .name("inner")
        .intensity(Intensity::new(0, millis(1)))
        .child(scene.worker("a"));
    let root = Supervisor::builder()
        .intensity(Intensity::unlimited())
        .child(Child::supervisor(inner))
        .spawn();
    let inner = root.child::<Supervisor>("inner").await.unwrap();
    for round in 1..=10 {
        let kid = inner.add(scene.worker("kid")).await.unwrap();
        Handle::register(&kid, "kid").unwrap();
        let a = inner.child::<Worker>("a").await.unwrap();
        let _ = a.crash().await;
        a.count().await.unwrap();
        assert_eq!(Handle::incarnation(&inner), round + 1);
        assert!(kid.is_stopped());
        assert!(matches!(
            registry().get::<Worker>("kid"),
            Err(LookupError::NotFound { .. })
        ));
    }
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_a_start_hears_of_it_whatever_comes() {
    let scene = Scene::default();
    scene.fail_starts("a", 1);
    let (a, child) = scene
        .worker("a")
        .intensity(Intensity::new(0, millis(1)))
        .prepare()
        .unwrap();
    let waits = a.wait_started();
    let supervisor = Supervisor::builder().child(child).spawn();
    let reason = within(waits).await.unwrap_err();
    assert!(matches!(reason, ExitReason::StartFailed(_)), "{reason:?}");
    within(supervisor.join()).await;
    let plain = Builder::new(Idle).spawn();
    within(plain.wait_started()).await.unwrap();
    plain.kill();
    within(plain.join()).await;
    let reason = within(plain.wait_started()).await.unwrap_err();
    assert!(matches!(reason, ExitReason::Killed), "{reason:?}");
}
