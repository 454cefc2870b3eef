//! The workloads of the suite `executor`, each written once for all peers.
//!
//! Every function measures one cell: it warms up, then measures. Those of tasks alone have the
//! shapes of tokio's own benches of its multi-thread runtime.

mod echo;
mod mix;
mod rest;
mod spawn;
mod switch;
mod timer;
mod wake;
mod web;

use std::time::Instant;

use super::peer::{Executor, Host};
use crate::stats::nanos_per_item;
use crate::suite::{Cell, Column, Measure, Unit};
use crate::wrk;

/// The column of a peer: what all can do, and `more`.
pub fn column<E: Executor>(more: Vec<Cell>) -> Column {
    let cell = |workload, unit, run| Cell::new(workload, Measure::Figure(unit, run));
    let nanos = |workload, run| cell(workload, Unit::Nanos, run);
    let mut cells = vec![
        nanos("spawn_local", spawn::local::<E>),
        nanos("spawn_from_task", spawn::from_task::<E>),
        nanos("spawn_remote_idle", spawn::remote_idle::<E>),
        nanos("spawn_remote_busy", spawn::remote_busy::<E>),
        nanos("chained_spawn", spawn::chained::<E>),
        nanos("yield_many", switch::yield_many::<E>),
        nanos("ping_pong", switch::ping_pong::<E>),
        nanos("channel_ping_pong", switch::channel_ping_pong::<E>),
        nanos("timer_churn", timer::churn::<E>),
        nanos("echo_1", echo::round_trips::<E, 1>),
        nanos("echo_64", echo::round_trips::<E, 64>),
        nanos("wake_to_start_p99", wake::to_start_p99::<E>),
        cell("idle_cpu", Unit::Millis, rest::idle_cpu::<E>),
        cell("bytes_per_task", Unit::Bytes, rest::bytes_per_task::<E>),
    ];
    cells.extend(more);
    Column {
        peer: E::NAME,
        cells,
    }
}

/// What needs a tokio runtime: a web server, and tasks of tokio's beside those of the peer.
pub fn of_hosts<H: Host>() -> Vec<Cell> {
    let web = |workload, run| Cell {
        needs: Some(wrk::PROGRAM),
        ..Cell::new(workload, Measure::Figure(Unit::Nanos, run))
    };
    let share = Measure::Figure(Unit::Share, mix::share::<H>);
    vec![
        web("axum_hello", web::hello::<H>),
        web("axum_ask", web::ask::<H>),
        web("axum_hello_busy", web::hello_busy::<H>),
        web("axum_ask_busy", web::ask_busy::<H>),
        web("axum_busy_queued_ask", mix::queued_ask_p99::<H>),
        Cell::new("mixed_share", share),
    ]
}

/// Does a batch some times to warm up, then `batches` times: nanoseconds for each of its items.
fn time(batches: u64, items_per_batch: u64, mut batch: impl FnMut()) -> f64 {
    for _ in 0..batches.div_ceil(5) {
        batch();
    }
    let start = Instant::now();
    for _ in 0..batches {
        batch();
    }
    nanos_per_item(start.elapsed(), batches * items_per_batch)
}
