//! The workloads of the suite `actors`, each written once for all peers.
//!
//! Every function measures one cell: it warms up, then measures, inside a task of the peer's
//! runtime. Sizes are chosen for some 0.1 s of measured time with the slower peers.

mod allocation;
mod ask;
mod latency;
mod memory;
mod spawn;
mod targets;
mod tell;
mod token;

pub use self::ask::concurrent as ask_concurrent;
pub use self::targets::TARGETS;
pub use self::tell::fan_in_8x16;
use crate::peer::Peer;
use crate::suite::{Cell, Column, Measure, Unit};

/// Slots of a mailbox where the workload says nothing else.
pub const CAPACITY: usize = 64;

/// The column of a peer: all that it can do.
pub fn column<P: Peer>() -> Column {
    let cell = |workload, unit, run| Cell::new(workload, Measure::Figure(unit, run));
    let nanos = |workload, run| cell(workload, Unit::Nanos, run);
    let bytes = |workload, run| cell(workload, Unit::Bytes, run);
    let count = |workload, run| cell(workload, Unit::Count, run);
    let latency = |workload, run| Cell::new(workload, Measure::Latency(run));
    let mut cells = vec![
        nanos("tell_backpressured", tell::backpressured::<P>),
        nanos("tell_uncontended", tell::uncontended::<P>),
        nanos("fan_in_8x16", tell::fan_in_8x16::<P>),
        nanos("ping_pong_1", token::rings::<P, 1, 2>),
        nanos("ping_pong_64", token::rings::<P, 64, 2>),
        nanos("ring_1000", token::rings::<P, 1, 1_000>),
        nanos("ask_sequential", ask::sequential::<P>),
        nanos("ask_from_handler", ask::from_handler::<P>),
        nanos("ask_chain_100", ask::chain_100::<P>),
        nanos("ask_concurrent_64x1", ask::concurrent::<P, 1>),
        nanos("ask_concurrent_64x16", ask::concurrent::<P, 16>),
        nanos("clone_handles_64", ask::clone_handles_64::<P>),
        nanos("ask_fanout_cpu", ask::fanout_cpu::<P>),
        latency("latency_sequential", latency::sequential::<P>),
        latency("latency_64x1", latency::concurrent::<P>),
        nanos("spawn", spawn::with_first_message::<P>),
        nanos("spawn_started", spawn::started::<P>),
        bytes("rss_per_actor", memory::idle::<P>),
        bytes("rss_per_actor_big_future", memory::after_big_future::<P>),
        count("allocs_tell", allocation::per_tell::<P>),
        count("allocs_ask", allocation::per_ask::<P>),
        count("allocs_spawn", allocation::per_spawn::<P>),
    ];
    cells.retain(|cell| P::WAITS_FOR_ROOM || !SENDER_WAITS.contains(&cell.workload));
    Column {
        peer: P::NAME,
        cells,
    }
}

/// Workloads whose senders are faster than their actors, for as long as they last.
const SENDER_WAITS: [&str; 2] = ["tell_backpressured", "fan_in_8x16"];
