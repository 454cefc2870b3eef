//! Times greenroom beside other ways to write actors and to run tasks.

mod allocations;
mod countdown;
mod executor;
mod peer;
mod peers;
mod scale;
mod suites;
mod workloads;
mod worlds;
mod wrk;

use std::process::ExitCode;

use greenroom_peers_harness::{hosts, machine, remote, run, stats, suite, target};

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;

fn main() -> ExitCode {
    run(&suites::all(), remote::serve)
}
