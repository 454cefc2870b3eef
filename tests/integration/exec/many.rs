//! Many runtimes in one process.

use std::future::pending;

use greenroom::{Runtime, yield_now};

use super::support::{Drops, tokio_multi, tokio_single};

/// Tasks that wait, that yield for ever, and that have ended.
const TASKS: usize = 6;

fn start_tasks(spawn: impl Fn(std::pin::Pin<Box<dyn Future<Output = ()> + Send>>), drops: &Drops) {
    for i in 0..TASKS {
        let guard = drops.guard();
        spawn(Box::pin(async move {
            let _guard = guard;
            match i % 3 {
                0 => pending::<()>().await,
                1 => loop {
                    yield_now().await;
                },
                _ => yield_now().await,
            }
        }));
    }
}

#[test]
fn a_thousand_runtimes_drop_each_future_once() {
    let drops = Drops::default();
    let mut expected = 0;
    for round in 0..250 {
        let hosts = [tokio_single(), tokio_multi(1 + round % 2)];
        for host in hosts {
            let handle = Runtime::attach(host.handle()).unwrap();
            start_tasks(|task| drop(handle.spawn(task)), &drops);
            if round % 3 == 0 {
                host.block_on(async { greenroom::spawn(yield_now()).await.unwrap() });
            }
            drop(host);
            expected += TASKS;
            assert_eq!(drops.count(), expected, "round {round}, attached");
        }
        let current = Runtime::builder().current_thread().build().unwrap();
        let threads = Runtime::builder()
            .worker_threads(1 + round % 2)
            .build()
            .unwrap();
        for runtime in [current, threads] {
            start_tasks(|task| drop(runtime.spawn(task)), &drops);
            if round % 3 == 0 {
                runtime.block_on(async { greenroom::spawn(yield_now()).await.unwrap() });
            }
            drop(runtime);
            expected += TASKS;
            assert_eq!(drops.count(), expected, "round {round}, own");
        }
    }
}

#[test]
fn runtimes_come_and_go_in_parallel_and_spawn_into_each_other() {
    let drops = Drops::default();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..25 {
                    let [left, right] = [1, 2].map(super::support::multi);
                    start_tasks(|task| drop(left.spawn(task)), &drops);
                    let (there, guard) = (right.handle().clone(), drops.guard());
                    left.spawn(async move {
                        let _guard = guard;
                        loop {
                            let _ = there.spawn(yield_now()).await;
                        }
                    });
                    drop(right);
                    drop(left);
                }
            });
        }
    });
    assert_eq!(drops.count(), 4 * 25 * (TASKS + 1));
}
