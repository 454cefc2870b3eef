//! The suite `scale`: a million actors in one process, what a message costs among more and more of
//! them, and with more and more workers.

mod among;
mod million;
mod peers;
mod workers;

use std::sync::Arc;

use crate::countdown::Countdown;
use crate::peer::Peer;
use crate::peers::{Greenroom, Raw};
use crate::suite::{Cell, Column, Measure, Suite, Unit};

/// A peer whose actors can be had by the million.
pub trait Crowd: Peer {
    type Member: Send + Sync + 'static;

    fn member(crowd: Arc<Counts>) -> Self::Member;
    /// Asks.
    fn ping(member: &Self::Member) -> impl Future<Output = ()> + Send;
    /// Sends one way; the member arrives at [`Counts::posts`].
    fn post(member: &Self::Member) -> impl Future<Output = ()> + Send;
}

/// What the members of a crowd count together.
#[derive(Default)]
pub struct Counts {
    pub posts: Countdown,
    ends: Countdown,
}

/// The state of a member; its drop arrives at the crowd's ends.
pub struct Membership(pub Arc<Counts>);

impl Drop for Membership {
    fn drop(&mut self) {
        self.0.ends.arrive();
    }
}

pub fn suite() -> Suite {
    Suite {
        name: "scale",
        columns: vec![column::<Greenroom>(), column::<Raw>()],
        base: Raw::NAME,
        targets: &[],
        relations: Vec::new(),
    }
}

fn column<P: Crowd>() -> Column {
    let nanos = |workload, run| Cell::new(workload, Measure::Figure(Unit::Nanos, run));
    let cells = vec![
        Cell::new(
            "million",
            Measure::Figures(&million::ROWS, million::run::<P>),
        ),
        nanos("ask_among_10", among::ask::<P, 10>),
        nanos("ask_among_1000", among::ask::<P, 1_000>),
        nanos("ask_among_100000", among::ask::<P, 100_000>),
        nanos("ask_among_1000000", among::ask::<P, 1_000_000>),
        nanos("tell_among_10", among::tell::<P, 10>),
        nanos("tell_among_1000", among::tell::<P, 1_000>),
        nanos("tell_among_100000", among::tell::<P, 100_000>),
        nanos("tell_among_1000000", among::tell::<P, 1_000_000>),
        nanos("fan_in_workers_1", workers::fan_in::<P, 1>),
        nanos("fan_in_workers_2", workers::fan_in::<P, 2>),
        nanos("fan_in_workers_4", workers::fan_in::<P, 4>),
        nanos("fan_in_workers_8", workers::fan_in::<P, 8>),
        nanos("ask_workers_1", workers::ask::<P, 1>),
        nanos("ask_workers_2", workers::ask::<P, 2>),
        nanos("ask_workers_4", workers::ask::<P, 4>),
        nanos("ask_workers_8", workers::ask::<P, 8>),
    ];
    Column {
        peer: P::NAME,
        cells,
    }
}

/// So many members, each of which has answered.
async fn crowd<P: Crowd>(counts: &Arc<Counts>, members: usize) -> Vec<P::Member> {
    let crowd: Vec<_> = (0..members).map(|_| P::member(counts.clone())).collect();
    ping_all::<P>(&crowd).await;
    crowd
}

/// One after another.
async fn ping_all<P: Crowd>(crowd: &[P::Member]) {
    for member in crowd {
        P::ping(member).await;
    }
}
