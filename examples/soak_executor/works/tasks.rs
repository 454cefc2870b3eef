//! Spawns and joins: from tasks, threads and other runtimes, in trees, and in drops.

use std::pin::Pin;
use std::sync::Arc;

use futures::executor::block_on;
use greenroom::runtime::Handle;
use greenroom::{JoinHandle, Priority, TaskBuilder, yield_now};
use tokio::sync::oneshot;

use crate::class::Class;
use crate::ledger::{End, Entry};
use crate::rng::Rng;
use crate::stage::Stage;

/// Spawns a task that yields a few times, now and then in the background.
fn spawn_one(stage: &Stage, on: &Handle, class: Class, rng: &mut Rng) -> (u64, JoinHandle<u64>) {
    let (entry, yields, value) = (stage.begin(class), rng.below(4), rng.next());
    let priority = match rng.below(8) {
        0 => Priority::Background,
        _ => Priority::Normal,
    };
    let work = async move {
        for _ in 0..yields {
            yield_now().await;
        }
        entry.complete();
        value
    };
    let task = TaskBuilder::new().priority(priority).spawn_on(work, on);
    (value, task)
}

fn check<T: PartialEq>(
    stage: &Stage,
    class: Class,
    task: Result<T, greenroom::JoinError>,
    value: T,
) {
    stage.ledger.told(class, End::of(&task));
    assert!(
        task.is_ok_and(|output| output == value),
        "another output, or none"
    );
}

/// A task spawns many, and joins them in any order.
pub async fn inside(stage: Arc<Stage>, mut rng: Rng) {
    while stage.goes_on() {
        let mut tasks: Vec<_> = (0..stage.batch)
            .map(|_| spawn_one(&stage, &stage.host, Class::Inside, &mut rng))
            .collect();
        rng.shuffle(&mut tasks);
        for (value, task) in tasks {
            check(&stage, Class::Inside, task.await, value);
        }
    }
}

/// A plain thread does the same.
pub fn outside(stage: &Stage, mut rng: Rng) {
    while stage.goes_on() {
        // Often one alone, which finds the workers asleep.
        let count = if rng.below(2) == 0 { 1 } else { stage.batch };
        let tasks: Vec<_> = (0..count)
            .map(|_| spawn_one(stage, &stage.host, Class::Outside, &mut rng))
            .collect();
        for (value, task) in tasks {
            check(stage, Class::Outside, block_on(task), value);
        }
    }
}

/// A task of a peer spawns into the host, and from there into a peer.
pub async fn foreign(stage: Arc<Stage>, mut rng: Rng) {
    while stage.goes_on() {
        let count = stage.batch.div_ceil(4);
        let tasks: Vec<_> = (0..count)
            .map(|_| {
                let peer = stage.peers[rng.below(2) as usize].clone();
                let (stage, mut rng) = (Arc::clone(&stage), rng.fork());
                let host = stage.host.clone();
                let entry = stage.begin(Class::Foreign);
                host.spawn(async move {
                    let (value, task) = spawn_one(&stage, &peer, Class::Foreign, &mut rng);
                    check(&stage, Class::Foreign, task.await, value);
                    entry.complete();
                })
            })
            .collect();
        for task in tasks {
            check(&stage, Class::Foreign, task.await, ());
        }
    }
}

/// Levels of a tree of tasks, with two branches at each.
const TREE_LEVELS: u32 = 6;

/// Tasks spawn tasks that spawn tasks, and each counts those below it.
pub async fn nested(stage: Arc<Stage>, _: Rng) {
    while stage.goes_on() {
        let count = tree(Arc::clone(&stage), TREE_LEVELS).await;
        assert_eq!(count, (1 << (TREE_LEVELS + 1)) - 2);
    }
}

fn tree(stage: Arc<Stage>, levels: u32) -> Pin<Box<dyn Future<Output = u64> + Send>> {
    Box::pin(async move {
        if levels == 0 {
            return 0;
        }
        let branches = [(); 2].map(|()| {
            let (entry, stage) = (stage.begin(Class::Nested), Arc::clone(&stage));
            greenroom::spawn(async move {
                let count = tree(stage, levels - 1).await;
                entry.complete();
                count + 1
            })
        });
        let mut count = 0;
        for branch in branches {
            let branch = branch.await;
            stage.ledger.told(Class::Nested, End::of(&branch));
            count += branch.unwrap();
        }
        count
    })
}

/// How long a chain of partings is.
const PARTINGS: u32 = 20;

/// Spawns the next of its kind when it is dropped.
struct Parting {
    stage: Arc<Stage>,
    left: u32,
    entry: Option<Entry>,
    done: Option<oneshot::Sender<()>>,
}

impl Drop for Parting {
    fn drop(&mut self) {
        if let Some(entry) = self.entry.take() {
            entry.complete();
        }
        let done = self.done.take();
        if self.left == 0 {
            let _ = done.map(|done| done.send(()));
            return;
        }
        let next = Parting {
            stage: Arc::clone(&self.stage),
            left: self.left - 1,
            entry: Some(self.stage.begin(Class::Parting)),
            done,
        };
        drop(self.stage.host.spawn(async move { drop(next) }));
    }
}

/// Chains of tasks, each spawned by the drop of the one before.
pub async fn parting(stage: Arc<Stage>, _: Rng) {
    while stage.goes_on() {
        let (done, is_done) = oneshot::channel();
        drop(Parting {
            stage: Arc::clone(&stage),
            left: PARTINGS,
            entry: Some(stage.begin(Class::Parting)),
            done: Some(done),
        });
        assert!(is_done.await.is_ok(), "a chain broke off");
    }
}
