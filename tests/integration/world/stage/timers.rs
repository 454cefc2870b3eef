//! Timers of a world, on its own clock.

use std::time::Duration;

use greenroom::limits::WORLD_TIMERS_MAX;
use greenroom::world::{ForkActor, InWorld, Stage, TimerKey, TimersFull, Within};
use greenroom::{AskError, Context, actor};

use super::support::{Gate, stage};

/// Notes when what rings.
#[actor]
#[derive(Clone)]
pub(crate) struct Fuse {
    rung: Vec<(u64, u64)>,
}

impl Fuse {
    pub(crate) fn new() -> Self {
        Self { rung: Vec::new() }
    }
}

#[actor(fork, derive(Clone))]
impl Fuse {
    pub(crate) fn light(&mut self, seconds: u64, what: u64, ctx: &mut Context<Self>) -> TimerKey {
        let world = ctx.world().expect("it lives in a world");
        let set = world.after(Duration::from_secs(seconds), FuseRing { what });
        set.expect("there is room")
    }

    /// Sets as many timers as there may be, each in as many seconds as were set before.
    fn light_all(&mut self, ctx: &mut Context<Self>) -> Vec<TimerKey> {
        let world = ctx.world().expect("it lives in a world");
        let light = |what| world.after(Duration::from_secs(what), FuseRing { what });
        (0..WORLD_TIMERS_MAX as u64)
            .map(|what| light(what).expect("there is room"))
            .collect()
    }

    /// Sets one that is due, in either way.
    fn light_one(
        &mut self,
        what: u64,
        ctx: &mut Context<Self>,
    ) -> Result<(), TimersFull<FuseRing>> {
        let world = ctx.world().expect("it lives in a world");
        let ring = FuseRing { what };
        match what % 2 {
            0 => world.after(Duration::ZERO, ring)?,
            _ => world.at(Duration::ZERO, ring)?,
        };
        Ok(())
    }

    fn ring(&mut self, what: u64, ctx: &mut Context<Self>) {
        let world = ctx.world().expect("it lives in a world");
        self.rung.push((world.now().as_secs(), what));
        if what == 100 {
            let again = world.after(Duration::from_secs(1), FuseRing { what });
            again.expect("there is room");
        }
    }

    fn cancel(&mut self, timer: TimerKey, ctx: &mut Context<Self>) -> bool {
        ctx.world().expect("it lives in a world").cancel(timer)
    }

    /// By the clock of the runtime.
    fn light_outside(&mut self, what: u64, ctx: &mut Context<Self>) {
        ctx.after(Duration::from_secs(1), FuseRing { what });
    }

    async fn pass(&mut self, gate: Gate) {
        gate.pass().await;
    }

    pub(crate) fn rung(&self) -> Vec<(u64, u64)> {
        self.rung.clone()
    }
}

fn fused() -> (Stage, FuseHandle<Within>) {
    let stage = stage();
    let fuse = Fuse::new().spawn_in(&stage);
    (stage, fuse)
}

async fn rung(fuse: &FuseHandle<Within>) -> Vec<(u64, u64)> {
    fuse.rung().await.expect("it lives")
}

#[tokio::test]
async fn timers_ring_in_the_order_of_their_times_as_the_clock_is_advanced() {
    let (stage, fuse) = fused();
    for (seconds, what) in [(5, 1), (3, 2), (5, 3), (9, 4)] {
        fuse.light(seconds, what).await.expect("it lives");
    }
    stage.advance(Duration::from_secs(2)).await;
    assert_eq!(rung(&fuse).await, []);
    stage.advance(Duration::from_secs(4)).await;
    assert_eq!(rung(&fuse).await, [(3, 2), (5, 1), (5, 3)]);
    assert_eq!(stage.now(), Duration::from_secs(6));
}

#[tokio::test]
async fn a_timer_that_sets_another_rings_again_within_one_advance() {
    let (stage, fuse) = fused();
    fuse.light(1, 100).await.expect("it lives");
    stage.advance(Duration::from_secs(3)).await;
    assert_eq!(rung(&fuse).await, [(1, 100), (2, 100), (3, 100)]);
}

#[tokio::test]
async fn timers_fork_with_the_world_and_ring_in_each_by_itself() {
    let (stage, fuse) = fused();
    fuse.light(5, 1).await.expect("it lives");
    stage.advance(Duration::from_secs(2)).await;
    let fork = stage.fork().await;
    assert_eq!(fork.now(), Duration::from_secs(2));
    fork.advance(Duration::from_secs(3)).await;
    assert_eq!(rung(&fuse.within(&fork)).await, [(5, 1)]);
    assert_eq!(rung(&fuse).await, []);
    stage.advance(Duration::from_secs(10)).await;
    assert_eq!(rung(&fuse).await, [(5, 1)]);
}

#[tokio::test]
async fn a_timer_is_cancelled_in_one_world_alone() {
    let (stage, fuse) = fused();
    let timer = fuse.light(5, 1).await.expect("it lives");
    let fork = stage.fork().await;
    assert!(fuse.cancel(timer).await.expect("it lives"));
    assert!(!fuse.cancel(timer).await.expect("it lives"));
    stage.advance(Duration::from_secs(9)).await;
    fork.advance(Duration::from_secs(9)).await;
    assert_eq!(rung(&fuse).await, []);
    assert_eq!(rung(&fuse.within(&fork)).await, [(5, 1)]);
}

#[tokio::test]
async fn a_timer_beyond_the_bound_of_its_world_is_not_set_and_its_message_is_handed_back() {
    let (stage, fuse) = fused();
    let empty = stage.fork().await;
    let timers = fuse.light_all().await.expect("it lives");
    let error = fuse.light_one(7).await.expect_err("one beyond");
    assert_eq!(
        error.to_string(),
        format!("the world of {} has 262144 timers set", fuse.identity())
    );
    let AskError::Handler(error) = error else {
        panic!("{error}");
    };
    assert_eq!(error.actor(), &fuse.identity());
    assert_eq!(error.into_message().what, 7);
    assert!(fuse.light_one(8).await.is_err());
    let fork = stage.fork().await;
    // A world that was forked before has room.
    fuse.within(&empty).light_one(7).await.expect("room");
    assert!(fuse.cancel(timers[9]).await.expect("it lives"));
    fuse.light_one(8)
        .await
        .expect("the room of what was cancelled");
    assert!(fuse.light_one(7).await.is_err());
    let fuse = fuse.within(&fork);
    assert!(fuse.light_one(7).await.is_err());
    fork.advance(Duration::ZERO).await;
    assert_eq!(rung(&fuse).await, [(0, 0)]);
    fuse.light_one(7).await.expect("the room of what has rung");
    assert!(fuse.light_one(7).await.is_err());
}

#[tokio::test]
async fn a_snapshot_has_the_time_and_the_timers_that_are_set() {
    let (stage, fuse) = fused();
    fuse.light(10, 1).await.expect("it lives");
    fuse.light(3_600, 2).await.expect("it lives");
    stage.advance(Duration::from_secs(4)).await;
    let saved = stage.quiesce().await.snapshot();
    let again = Stage::new(saved.open(1));
    assert_eq!(
        again.quiesce().await.snapshot().revision(),
        saved.revision()
    );
    let fuse = fuse.within(&again);
    again.advance(Duration::from_secs(6)).await;
    assert_eq!(rung(&fuse).await, [(10, 1)]);
    again.advance(Duration::from_secs(3_590)).await;
    assert_eq!(rung(&fuse).await, [(10, 1), (3_600, 2)]);
}

#[tokio::test]
async fn the_clock_waits_for_work_in_the_world_however_long_it_takes() {
    let (stage, fuse) = fused();
    let gate = Gate::new();
    fuse.light(1, 1).await.expect("it lives");
    fuse.pass(gate.clone()).tell().await.expect("it lives");
    gate.reached().await;
    let mut advance = std::pin::pin!(stage.advance(Duration::from_secs(100)));
    assert!(futures::poll!(advance.as_mut()).is_pending());
    assert_eq!(stage.now(), Duration::ZERO);
    gate.open();
    advance.await;
    assert_eq!(stage.now(), Duration::from_secs(100));
    assert_eq!(rung(&fuse).await, [(1, 1)]);
}

#[tokio::test]
async fn two_forks_that_get_the_same_go_the_same_way_and_one_alone_changes_no_other() {
    let (stage, fuse) = fused();
    fuse.light(3, 100).await.expect("it lives");
    let mut quiet = stage.quiesce().await;
    let (one, two) = (quiet.fork(), quiet.fork());
    drop(quiet);
    for fork in [&one, &two] {
        fuse.within(fork).light(4, 7).await.expect("it lives");
        fork.advance(Duration::from_secs(5)).await;
    }
    let traces = (
        rung(&fuse.within(&one)).await,
        rung(&fuse.within(&two)).await,
    );
    assert_eq!(traces.0, traces.1);
    assert_eq!(rung(&fuse).await, []);
}

#[tokio::test(start_paused = true)]
async fn a_timer_of_the_runtime_rings_where_it_was_set() {
    let (stage, fuse) = fused();
    fuse.light_outside(7).await.expect("it lives");
    let fork = stage.fork().await;
    fuse.within(&fork).light(9, 1).await.expect("it lives");
    tokio::time::advance(Duration::from_secs(2)).await;
    while rung(&fuse).await.is_empty() {
        greenroom::yield_now().await;
    }
    assert_eq!(rung(&fuse).await, [(0, 7)]);
    assert_eq!(rung(&fuse.within(&fork)).await, []);
}
