//! Wherever code of a child panics, it is one failure of that child, and of nobody else.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures::stream;
use greenroom::{
    Backoff, Child, Context, ExitReason, Intensity, Restart, Supervisor, SupervisorHandle, Topic,
    actor,
};

use super::scene::{Scene, Worker, millis, pass};
use crate::actor::support::within;

/// Panics when it is dropped.
struct Grenade;

impl Drop for Grenade {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("a bang");
        }
    }
}

#[derive(Clone)]
struct News;

/// Panics where it is told to.
#[actor]
struct Clumsy {
    bad_starts: Arc<AtomicU32>,
    /// Dropped with the state.
    _kept: Option<Grenade>,
}

#[actor]
impl Clumsy {
    #[on(start)]
    fn begin(&mut self) {
        let take = |left: u32| left.checked_sub(1);
        // Ordering: Relaxed; starts come one after the other.
        let left = self
            .bad_starts
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        assert!(left.is_err(), "a bang");
    }

    #[on(stop)]
    fn end(&mut self, reason: &ExitReason) {
        assert!(!matches!(reason, ExitReason::Restarted), "a bang");
    }

    fn handler(&mut self) {
        panic!("a bang");
    }

    async fn handler_later(&mut self) {
        tokio::task::yield_now().await;
        panic!("a bang");
    }

    fn message(&mut self, grenade: Grenade) {
        drop(grenade);
    }

    fn start(&mut self) {
        self.bad_starts.store(1, Ordering::Relaxed);
        panic!("one bang, and then another");
    }

    fn timer(&mut self, ctx: &mut Context<Self>) {
        ctx.every(Duration::from_millis(1), || -> ClumsyPing {
            panic!("a bang")
        });
    }

    fn pipe(&mut self, ctx: &mut Context<Self>) {
        ctx.pipe(async {}, |_| -> ClumsyPing { panic!("a bang") });
    }

    fn stream_end(&mut self, ctx: &mut Context<Self>) {
        ctx.attach(stream::iter([0_u32; 0]), |_| ClumsyPing)
            .on_end(|_| -> ClumsyPing { panic!("a bang") });
    }

    fn spare(&mut self, ctx: &mut Context<Self>) {
        ctx.stop();
        self._kept = Some(Grenade);
        panic!("a bang, and the state goes off as well");
    }

    fn ping(&self) {}
}

async fn hurt(clumsy: &ClumsyHandle, supervisor: &SupervisorHandle, topic: &Topic<News>, how: u32) {
    match how {
        0 => drop(clumsy.handler().await),
        1 => drop(clumsy.handler_later().await),
        2 => drop(clumsy.message(Grenade).await),
        3 => drop(clumsy.start().await),
        4 => drop(clumsy.timer().await),
        5 => drop(clumsy.pipe().await),
        6 => drop(clumsy.stream_end().await),
        7 => drop(clumsy.spare().await),
        8 => {
            topic.publish(News);
        }
        // Its stop hook, on the way to the next incarnation.
        _ => supervisor.restart("clumsy").await.unwrap(),
    }
}

#[tokio::test(start_paused = true)]
async fn wherever_a_child_panics_it_is_restarted_once_and_its_sibling_is_not() {
    for how in 0..10 {
        let bad_starts = Arc::<AtomicU32>::default();
        let child = Child::new(move || Clumsy {
            bad_starts: Arc::clone(&bad_starts),
            _kept: None,
        });
        let scene = Scene::default();
        let supervisor = Supervisor::builder()
            .child(child.name("clumsy").restart(Restart::Transient))
            .child(scene.worker("sibling"))
            .spawn();
        let clumsy = supervisor.child::<Clumsy>("clumsy").await.unwrap();
        let topic = Topic::new();
        topic
            .subscriber()
            .actor_map(&clumsy, |_: News| -> ClumsyPing { panic!("a bang") })
            .unwrap();
        supervisor.wait_launched().await.unwrap();
        hurt(&clumsy, &supervisor, &topic, how).await;
        pass(10).await;
        within(clumsy.ping()).await.unwrap();
        let expected = if how == 3 { 2 } else { 1 };
        let children = supervisor.children().await.unwrap();
        assert_eq!(children[0].restarts, expected, "way {how}");
        assert_eq!(children[1].restarts, 0, "way {how}");
        if how != 9 {
            let failure = children[0].last_failure.as_ref().expect("it failed");
            assert!(failure.to_string().contains("bang"), "way {how}: {failure}");
        }
        assert_eq!(clumsy.incarnation(), expected + 1, "way {how}");
        within(supervisor.shutdown()).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_start_that_fails_in_a_restart_is_one_more_failure_and_no_end_of_the_supervisor() {
    let scene = Scene::default();
    let child = scene
        .worker("a")
        .backoff(Backoff::exponential(millis(10), millis(1000)))
        .intensity(Intensity::new(10, millis(5000)));
    let supervisor = Supervisor::builder().child(child).spawn();
    let a = supervisor.child::<Worker>("a").await.unwrap();
    assert_eq!(a.count().await.unwrap(), 1);
    scene.fail_starts("a", 4);
    let _ = a.crash().await;
    let counted = tokio::spawn({
        let a = a.clone();
        async move { a.count().await }
    });
    while !counted.is_finished() {
        assert_eq!(supervisor.children().await.unwrap().len(), 1);
        pass(1).await;
    }
    assert_eq!(counted.await.unwrap().unwrap(), 1);
    assert_eq!(supervisor.children().await.unwrap()[0].restarts, 5);
    assert_eq!(a.incarnation(), 6);
}

#[tokio::test(start_paused = true)]
async fn one_policy_that_many_children_got_is_each_ones_own() {
    let scene = Scene::default();
    let (backoff, intensity) = (
        Backoff::exponential(millis(10), millis(10)),
        Intensity::new(1, millis(1000)),
    );
    let mut builder = Supervisor::builder();
    for name in ["a", "b", "c"] {
        let child = scene.worker(name).backoff(backoff).intensity(intensity);
        builder = builder.child(child);
    }
    let supervisor = builder.spawn();
    supervisor.wait_launched().await.unwrap();
    supervisor.terminate("a").await.unwrap();
    supervisor.delete("a").await.unwrap();
    for name in ["b", "c"] {
        let worker = supervisor.child::<Worker>(name).await.unwrap();
        let _ = worker.crash().await;
        assert_eq!(within(worker.count()).await.unwrap(), 1, "{name}");
    }
    let b = supervisor.child::<Worker>("b").await.unwrap();
    let _ = b.crash().await;
    let reason = within(supervisor.join()).await;
    assert!(reason.to_string().contains("after 1 restart"), "{reason}");
}
