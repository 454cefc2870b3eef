//! A million actors, from their spawn to their end.

use std::sync::Arc;
use std::time::Instant;

use super::{Counts, Crowd, crowd, ping_all};
use crate::machine::resident_bytes;
use crate::suite::Unit;

const ACTORS: usize = 1_000_000;
/// Actors that are not measured: they make the runtime and the allocator ready.
const WARM_UP: usize = 1_000;

/// Nanoseconds of each actor, by one task that goes through all of them, and bytes of each, its
/// handle included, once all have answered.
pub const ROWS: [(&str, Unit); 5] = [
    ("million_spawn", Unit::Nanos),
    ("million_first_ask", Unit::Nanos),
    ("million_bytes", Unit::Bytes),
    ("million_ask", Unit::Nanos),
    ("million_end", Unit::Nanos),
];

pub fn run<P: Crowd>() -> Vec<f64> {
    P::run(async {
        let others = crowd::<P>(&Arc::default(), WARM_UP).await;
        let counts = Arc::<Counts>::default();
        counts.ends.expect(ACTORS);
        let mut all = Vec::with_capacity(ACTORS);
        let before = resident_bytes();
        let mut laps = Laps(Instant::now());
        all.extend((0..ACTORS).map(|_| P::member(counts.clone())));
        let spawn = laps.nanos_per_actor();
        ping_all::<P>(&all).await;
        let first_ask = laps.nanos_per_actor();
        let bytes = (resident_bytes() - before) as f64 / ACTORS as f64;
        laps.nanos_per_actor();
        ping_all::<P>(&all).await;
        let ask = laps.nanos_per_actor();
        drop(all);
        counts.ends.wait().await;
        let end = laps.nanos_per_actor();
        drop(others);
        vec![spawn, first_ask, bytes, ask, end]
    })
}

/// When the last lap began.
struct Laps(Instant);

impl Laps {
    fn nanos_per_actor(&mut self) -> f64 {
        let now = Instant::now();
        let lap = now.duration_since(std::mem::replace(&mut self.0, now));
        lap.as_nanos() as f64 / ACTORS as f64
    }
}
