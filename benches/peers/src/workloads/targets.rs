//! What greenroom's actors must reach beside hand-written ones, and what they aim at.

use crate::target::Must::{AtMost, Ratio};
use crate::target::Target;

/// Counts per operation of other things that go on in the process.
const STRAY: f64 = 0.01;

pub const TARGETS: &[Target] = &[
    Target::new("tell_backpressured", Ratio(0.7)).aiming_at(AtMost(50.0)),
    Target::new("tell_uncontended", Ratio(0.5)).aiming_at(AtMost(50.0)),
    Target::new("fan_in_8x16", Ratio(0.75)).aiming_at(AtMost(60.0)),
    Target::new("ping_pong_1", Ratio(0.6)).aiming_at(Ratio(0.4)),
    Target::new("ping_pong_64", Ratio(0.8)).aiming_at(Ratio(0.6)),
    Target::new("ring_1000", Ratio(0.6)).aiming_at(Ratio(0.4)),
    Target::new("ask_sequential", Ratio(0.15)).aiming_at(AtMost(40.0)),
    Target::new("latency_sequential_p99", Ratio(0.25)).aiming_at(AtMost(300.0)),
    Target::new("ask_concurrent_64x1", Ratio(0.95)).aiming_at(Ratio(0.6)),
    Target::new("ask_concurrent_64x16", Ratio(0.6)).aiming_at(Ratio(0.4)),
    // 16 actors of 2 ms each on two workers take 16 ms.
    Target::new("ask_fanout_cpu", AtMost(20e6)).aiming_at(AtMost(16.8e6)),
    Target::new("spawn", Ratio(0.35)).aiming_at(Ratio(0.2)),
    Target::new("rss_per_actor", AtMost(450.0)).aiming_at(AtMost(256.0)),
    Target::new("rss_per_actor_big_future", AtMost(450.0)).aiming_at(AtMost(256.0)),
    Target::new("allocs_tell", AtMost(STRAY)),
    Target::new("allocs_ask", AtMost(STRAY)),
    Target::new("allocs_spawn", AtMost(1.0 + STRAY)),
];
