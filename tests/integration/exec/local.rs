//! Futures that are not `Send`: tokio's `LocalSet` and pinned pools, beside our tasks and actors.

use std::cell::Cell;
use std::rc::Rc;

use greenroom::{actor, spawn};
use tokio::task::{LocalSet, spawn_local};
use tokio_util::task::LocalPoolHandle;

use super::support::{both, multi, within};

#[actor]
struct Counter {
    count: usize,
}

#[actor]
impl Counter {
    async fn add(&mut self, n: usize) -> usize {
        // Not in place: the reply comes from elsewhere.
        tokio::task::yield_now().await;
        self.count += n;
        self.count
    }
}

#[test]
fn a_local_set_inside_block_on_runs_futures_that_are_not_send() {
    for runtime in both() {
        let local = LocalSet::new();
        let total = runtime.block_on(local.run_until(async {
            let counter = Counter { count: 0 }.spawn();
            let asked = Rc::new(Cell::new(0));
            let tasks: Vec<_> = (0..10)
                .map(|_| {
                    let (counter, asked) = (counter.clone(), Rc::clone(&asked));
                    spawn_local(async move {
                        let task = spawn(async { 1 });
                        counter.add(task.await.unwrap()).await.unwrap();
                        asked.set(asked.get() + 1);
                    })
                })
                .collect();
            for task in tasks {
                within("the local task", task).await.unwrap();
            }
            assert_eq!(asked.get(), 10);
            counter.add(0).await.unwrap()
        }));
        assert_eq!(total, 10);
    }
}

#[test]
fn the_future_of_block_on_need_not_be_send() {
    for runtime in both() {
        let shared = Rc::new(Cell::new(1));
        let inner = Rc::clone(&shared);
        runtime.block_on(async move {
            let two = spawn(async { 2 }).await.unwrap();
            inner.set(inner.get() + two);
        });
        assert_eq!(shared.get(), 3);
    }
}

#[test]
fn a_pool_of_pinned_threads_asks_actors_of_another_runtime() {
    let runtime = multi(2);
    let counter = runtime.block_on(async { Counter { count: 0 }.spawn() });
    let pool = LocalPoolHandle::new(2);
    let tasks: Vec<_> = (0..10)
        .map(|_| {
            let counter = counter.clone();
            pool.spawn_pinned(move || async move {
                let here = Rc::new(1);
                let sum = counter.add(*here).await.unwrap();
                assert_eq!(Rc::strong_count(&here), 1);
                sum
            })
        })
        .collect();
    runtime.block_on(async {
        let mut sums = Vec::new();
        for task in tasks {
            sums.push(within("the pinned task", task).await.unwrap());
        }
        sums.sort_unstable();
        assert_eq!(sums, (1..=10).collect::<Vec<_>>());
    });
}
