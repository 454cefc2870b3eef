//! Actors that are resumed from their last savepoint when they fail.

use greenroom::world::{ForkActor, Saves, SavesState, Stage, Within};
use greenroom::{AskError, Context, Handle, OnPanic, Supervisor, actor};

use super::support::stage;

/// Goes on after a panic with what was last saved.
#[actor]
#[derive(Clone)]
struct Worker {
    done: u64,
    starts: u64,
}

#[actor(fork)]
impl Worker {
    #[on(start)]
    fn begin(&mut self) {
        self.starts += 1;
    }

    #[on(panic)]
    fn crashed(&mut self) -> OnPanic<Self> {
        OnPanic::restart()
    }

    fn work(&mut self) -> u64 {
        self.done += 1;
        self.done
    }

    fn fail(&mut self) {
        self.done = 1_000;
        panic!("as told");
    }

    fn starts(&self, _: &Context<Self>) -> u64 {
        self.starts
    }
}

fn hired() -> (Stage, WorkerHandle<Within>) {
    let stage = stage();
    let (done, starts) = (0, 0);
    let worker = Worker { done, starts }.spawn_in(&stage);
    (stage, worker)
}

async fn fail(worker: &WorkerHandle<Within>) {
    let failed = worker.fail().await;
    assert!(
        matches!(failed, Err(AskError::Interrupted(_))),
        "{failed:?}"
    );
}

#[tokio::test]
async fn an_actor_that_panics_is_resumed_from_its_last_savepoint() {
    let (stage, worker) = hired();
    worker.work().await.expect("it lives");
    worker.work().await.expect("it lives");
    drop(stage.quiesce().await); // a savepoint
    worker.work().await.expect("it lives");
    fail(&worker).await;
    assert_eq!(worker.work().await.expect("it goes on"), 3);
}

#[tokio::test]
async fn before_the_first_savepoint_it_is_resumed_as_it_was_spawned() {
    let (_stage, worker) = hired();
    worker.work().await.expect("it lives");
    fail(&worker).await;
    assert_eq!(worker.work().await.expect("it goes on"), 1);
}

#[tokio::test]
async fn in_a_fork_it_is_resumed_from_the_savepoint_of_the_fork() {
    let (stage, worker) = hired();
    worker.work().await.expect("it lives");
    let fork = stage.fork().await;
    let there = worker.within(&fork);
    there.work().await.expect("it lives");
    drop(fork.quiesce().await);
    there.work().await.expect("it lives");
    fail(&there).await;
    assert_eq!(there.work().await.expect("it goes on"), 3);
    assert_eq!(worker.work().await.expect("it lives"), 2);
}

#[tokio::test]
async fn the_start_hook_runs_where_an_actor_starts_and_not_where_it_goes_on() {
    let (stage, worker) = hired();
    assert_eq!(worker.starts().await.expect("it lives"), 1);
    worker.work().await.expect("it lives");
    let fork = stage.fork().await;
    assert_eq!(worker.within(&fork).starts().await.expect("it lives"), 1);
}

/// Saves what it has done, now and then.
#[actor]
#[derive(Clone)]
struct Import {
    rows: Vec<u64>,
}

#[actor]
impl Import {
    fn take(&mut self, row: u64) -> usize {
        self.rows.push(row);
        self.rows.len()
    }

    fn save(&mut self, ctx: &mut Context<Self>) -> bool {
        ctx.save(self)
    }

    fn fail(&mut self) {
        self.rows.clear();
        panic!("as told");
    }
}

#[greenroom::test]
async fn a_child_that_fails_is_restarted_from_what_it_saved_last() {
    let saves = Saves::new(Import { rows: vec![0] });
    let child = saves.child().name("import");
    let supervisor = Supervisor::builder().child(child).spawn();
    let import = supervisor
        .child::<Import>("import")
        .await
        .expect("it starts");
    assert_eq!(import.take(1).await.expect("it lives"), 2);
    assert!(import.save().await.expect("it lives"));
    assert_eq!(import.take(2).await.expect("it lives"), 3);
    for incarnation in 2..=3 {
        assert!(import.fail().await.is_err());
        assert_eq!(import.take(3).await.expect("it goes on"), 3);
        assert_eq!(Handle::incarnation(&import), incarnation);
    }
    assert_eq!(saves.last().rows, [0, 1]);
}

#[greenroom::test]
async fn an_actor_that_is_restarted_by_hand_goes_on_with_what_it_saved_last() {
    let saves = Saves::new(Import { rows: vec![0] });
    let import = saves.builder().spawn();
    assert_eq!(import.take(1).await.expect("it lives"), 2);
    assert!(import.save().await.expect("it lives"));
    assert_eq!(import.take(2).await.expect("it lives"), 3);
    Handle::restart(&import).expect("it can be");
    assert_eq!(import.take(2).await.expect("it goes on"), 3);
    saves.set(Import { rows: Vec::new() });
    Handle::restart(&import).expect("it can be");
    assert_eq!(import.take(2).await.expect("it goes on"), 1);
}

#[greenroom::test]
async fn an_actor_that_was_made_otherwise_has_no_savepoint() {
    let import = Import { rows: Vec::new() }.spawn();
    assert!(!import.save().await.expect("it lives"));
}
