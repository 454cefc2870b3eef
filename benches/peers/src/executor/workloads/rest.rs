//! What tasks cost that do nothing.

use std::future;
use std::hint::black_box;
use std::thread;
use std::time::Duration;

use super::super::peer::Executor;
use crate::machine::{process_time, resident_bytes};

/// CPU that a process with 1,000 tasks that wait uses in 5 s: milliseconds.
pub fn idle_cpu<E: Executor>() -> f64 {
    const TASKS: usize = 1_000;
    const SETTLED: Duration = Duration::from_secs(1);
    const IDLE: Duration = Duration::from_secs(5);
    let runtime = E::start();
    let _tasks: Vec<_> = (0..TASKS).map(|_| waiting::<E>(&runtime)).collect();
    thread::sleep(SETTLED);
    let before = process_time();
    thread::sleep(IDLE);
    (process_time() - before).as_secs_f64() * 1e3
}

/// Resident memory per task that holds 8 bytes and waits, its handle included.
pub fn bytes_per_task<E: Executor>() -> f64 {
    const TASKS: usize = 100_000;
    const WARM_UP: usize = 1_000;
    let runtime = E::start();
    let _warm_up: Vec<_> = (0..WARM_UP).map(|_| waiting::<E>(&runtime)).collect();
    thread::sleep(SETTLED);
    let before = resident_bytes();
    let _tasks: Vec<_> = (0..TASKS).map(|_| waiting::<E>(&runtime)).collect();
    thread::sleep(SETTLED);
    resident_bytes().saturating_sub(before) as f64 / TASKS as f64
}

/// Until all tasks have been polled.
const SETTLED: Duration = Duration::from_millis(300);

fn waiting<E: Executor>(runtime: &E::Runtime) -> E::Task<u64> {
    let held = black_box(7_u64);
    E::spawn_on(runtime, async move {
        future::pending::<()>().await;
        held
    })
}
