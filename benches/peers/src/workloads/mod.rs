//! The workloads of the suite `actors`, each written once for all peers.
//!
//! Every function measures one cell: it warms up, then measures, inside a task of the peer's
//! runtime. Sizes are chosen for some 0.1 s of measured time with the slower peers.

mod allocation;
mod ask;
mod memory;
mod spawn;
mod tell;
mod token;

use crate::peer::Peer;
use crate::suite::{Cell, Column, Unit};

/// Slots of a mailbox where the workload says nothing else.
pub const CAPACITY: usize = 64;

/// The column of a peer that can do everything.
pub fn column<P: Peer>() -> Column {
    let cell = |workload, unit, run| Cell {
        workload,
        unit,
        run,
        needs: None,
    };
    let nanos = |workload, run| cell(workload, Unit::Nanos, run);
    let bytes = |workload, run| cell(workload, Unit::Bytes, run);
    let count = |workload, run| cell(workload, Unit::Count, run);
    let cells = vec![
        nanos("tell_backpressured", tell::backpressured::<P>),
        nanos("tell_uncontended", tell::uncontended::<P>),
        nanos("ask_sequential", ask::sequential::<P>),
        nanos("ask_sequential_p99", ask::sequential_p99::<P>),
        nanos("ask_concurrent_64x1", ask::concurrent::<P, 1>),
        nanos("ask_concurrent_64x16", ask::concurrent::<P, 16>),
        nanos("ask_fanout_cpu", ask::fanout_cpu::<P>),
        nanos("spawn", spawn::with_first_message::<P>),
        nanos("spawn_started", spawn::started::<P>),
        bytes("rss_per_actor", memory::idle::<P>),
        bytes("rss_per_actor_big_future", memory::after_big_future::<P>),
        nanos("fan_in_8x16", tell::fan_in_8x16::<P>),
        nanos("ping_pong_1", token::rings::<P, 1, 2>),
        nanos("ping_pong_64", token::rings::<P, 64, 2>),
        nanos("ring_1000", token::rings::<P, 1, 1_000>),
        count("allocs_tell", allocation::per_tell::<P>),
        count("allocs_ask", allocation::per_ask::<P>),
        count("allocs_spawn", allocation::per_spawn::<P>),
    ];
    Column {
        peer: P::NAME,
        cells,
    }
}
