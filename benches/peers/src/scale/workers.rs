//! What messages cost with so many workers, whatever the machine has.

use crate::machine::set_workers;
use crate::peer::Peer;
use crate::workloads;

/// 8 senders, 16 actors.
pub fn fan_in<P: Peer, const WORKERS: usize>() -> f64 {
    set_workers(WORKERS);
    workloads::fan_in_8x16::<P>()
}

/// 64 tasks ask 16 actors.
pub fn ask<P: Peer, const WORKERS: usize>() -> f64 {
    set_workers(WORKERS);
    workloads::ask_concurrent::<P, 16>()
}
