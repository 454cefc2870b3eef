//! The suite `remote`: one process asks an actor of another, on the same machine.

mod floor;
mod greenroom;
mod outbox;
mod peer;
mod ping_pong;
mod server;
mod syscalls;
mod tarpc;
mod tonic;
mod workloads;

pub use peer::Peer;
pub use server::serve as serve_for_ever;

use crate::suite::{Column, Relation, Suite};
use crate::target::{Must, Target};

use floor::Floor;
use greenroom::Greenroom;
use ping_pong::PingPong;
use tarpc::Tarpc;
use tonic::Tonic;

type FloorAlone = Floor<false>;
type FloorActor = Floor<true>;
type Tcp = Greenroom<false>;
type Unix = Greenroom<true>;

pub fn suite() -> Suite {
    Suite {
        name: "remote",
        columns: vec![
            Column {
                peer: PingPong::NAME,
                cells: workloads::sequential::<PingPong>(),
            },
            with_tells::<FloorAlone>(),
            with_tells::<FloorActor>(),
            // Each call of theirs has an answer.
            column::<Tonic>(),
            column::<Tarpc>(),
            greenrooms::<Tcp>(),
            greenrooms::<Unix>(),
        ],
        base: FloorActor::NAME,
        targets: TARGETS,
        relations: relations(),
    }
}

/// System calls of any kind, on either side.
const SYSCALLS: Must = Must::AtMost(260.0);

const TARGETS: &[Target] = &[
    Target::new("sequential_p50", Must::Ratio(1.25)),
    Target::new("window_64", Must::AtLeast(0.8)),
    Target::new("window_1024", Must::AtLeast(0.8)),
    Target::new("one_way", Must::AtLeast(0.7)),
    Target::new("large_1mib", Must::AtLeast(0.85)),
    Target::new("syscalls_64_client", SYSCALLS),
    Target::new("syscalls_64_server", SYSCALLS),
];

fn relations() -> Vec<Relation> {
    vec![
        Relation {
            row: "sequential_p50_pinned",
            to: (PingPong::NAME, "sequential_p50_pinned"),
            must: Must::Ratio(1.5),
        },
        to_peer("window_64", Tarpc::NAME, 3.0),
        to_peer("window_1024", Tarpc::NAME, 3.0),
        to_peer("window_64", Tonic::NAME, 8.0),
        to_peer("window_1024", Tonic::NAME, 8.0),
        Relation {
            row: "beside_a_stuck_target",
            to: (Tcp::NAME, "one_way"),
            must: Must::AtLeast(0.9),
        },
        Relation {
            row: "small_p99_beside_1mib",
            to: (Tcp::NAME, "small_p99"),
            must: Must::Ratio(3.0),
        },
    ]
}

/// At least so many times what a peer reaches in the same row.
pub fn to_peer(row: &'static str, peer: &'static str, least: f64) -> Relation {
    Relation {
        row,
        to: (peer, row),
        must: Must::AtLeast(least),
    }
}

fn column<P: Peer>() -> Column {
    let mut cells = workloads::sequential::<P>();
    cells.extend(workloads::pipelined::<P>());
    cells.extend(workloads::large::<P>());
    Column {
        peer: P::NAME,
        cells,
    }
}

/// All workloads that need no second actor.
pub fn with_tells<P: Peer>() -> Column {
    let mut column = column::<P>();
    column.cells.push(workloads::one_way::<P>());
    column
}

fn greenrooms<P: peer::Stuck>() -> Column {
    let mut column = with_tells::<P>();
    column.cells.push(workloads::beside_a_stuck_target::<P>());
    column
}

/// Serves a peer's actor until the process is killed.
pub fn serve(peer: &str) {
    match peer {
        PingPong::NAME => serve_for_ever::<PingPong>(),
        FloorAlone::NAME => serve_for_ever::<FloorAlone>(),
        FloorActor::NAME => serve_for_ever::<FloorActor>(),
        Tonic::NAME => serve_for_ever::<Tonic>(),
        Tarpc::NAME => serve_for_ever::<Tarpc>(),
        Tcp::NAME => serve_for_ever::<Tcp>(),
        Unix::NAME => serve_for_ever::<Unix>(),
        _ => panic!("no peer of the suite `remote` is called `{peer}`"),
    }
}
