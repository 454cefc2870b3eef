use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::Builder;

use crate::exec::host::tokio::{Attach, attach};
use crate::exec::spawn;
use crate::task::yield_now;

/// Tells a hang from an answer.
const LONG: Duration = Duration::from_secs(30);

#[track_caller]
fn wait_until(holds: impl Fn() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < LONG, "it did not come");
        thread::yield_now();
    }
}

#[test]
fn spares_come_for_stuck_pumps_and_go_though_there_is_work() {
    let workers = 2;
    let host = Builder::new_multi_thread()
        .worker_threads(workers)
        .enable_all()
        .build()
        .unwrap();
    let shared = attach(host.handle(), Attach::Any).unwrap();
    let inside = host.enter();
    let is_over = Arc::new(AtomicBool::new(false));
    let busy: Vec<_> = (0..8)
        .map(|_| {
            let is_over = Arc::clone(&is_over);
            spawn(async move {
                while !is_over.load(Ordering::Relaxed) {
                    yield_now().await;
                }
            })
        })
        .collect();
    let entered = Arc::new(AtomicUsize::new(0));
    let (open, gate) = mpsc::channel::<()>();
    let gate = Arc::new(Mutex::new(gate));
    let stuck: Vec<_> = (0..workers)
        .map(|_| {
            let (entered, gate) = (Arc::clone(&entered), Arc::clone(&gate));
            spawn(async move {
                tokio::task::block_in_place(|| {
                    entered.fetch_add(1, Ordering::AcqRel);
                    let _ = gate.lock().unwrap().recv_timeout(LONG);
                });
            })
        })
        .collect();
    wait_until(|| entered.load(Ordering::Acquire) == workers);
    wait_until(|| shared.workers_running() > workers);
    assert!(shared.workers_running() <= 2 * workers);
    drop(open);
    // The busy tasks go on all the time.
    wait_until(|| shared.workers_running() == workers);
    is_over.store(true, Ordering::Relaxed);
    drop(inside);
    host.block_on(async {
        for task in busy.into_iter().chain(stuck) {
            task.await.unwrap();
        }
    });
}
