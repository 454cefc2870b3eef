//! The suite `executor`: what tasks, sockets, timers and web servers cost on each scheduler.

mod peer;
mod peers;
mod targets;
mod workloads;

use crate::peers::Greenroom;
use crate::suite::Suite;

pub fn suite() -> Suite {
    Suite {
        name: "executor",
        columns: vec![
            workloads::column::<Greenroom>(workloads::of_hosts::<Greenroom>()),
            workloads::column::<peers::Tokio>(workloads::of_hosts::<peers::Tokio>()),
            workloads::column::<peers::Smol>(Vec::new()),
        ],
        base: peers::TOKIO,
        targets: targets::TARGETS,
        relations: Vec::new(),
    }
}
