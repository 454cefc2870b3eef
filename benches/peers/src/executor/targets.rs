//! What greenroom's tasks must reach beside tokio's, and what they aim at.

use crate::target::Must::{AtMost, Beyond, LowRatio, Ratio, Within};
use crate::target::{Must, Target};

/// The base's own figure, where less than that is a must.
const OWN: Must = Ratio(1.0);

pub const TARGETS: &[Target] = &[
    Target::new("spawn_local", Ratio(0.7)),
    Target::new("spawn_remote_idle", Ratio(0.7)),
    Target::new("spawn_remote_busy", Ratio(1.0)),
    Target::new("chained_spawn", Ratio(0.75)),
    Target::new("yield_many", Ratio(1.4)).aiming_at(OWN),
    Target::new("ping_pong", Ratio(0.8)),
    Target::new("channel_ping_pong", Ratio(1.25)).aiming_at(OWN),
    Target::new("timer_churn", Ratio(1.2)).aiming_at(OWN),
    Target::new("echo_1", LowRatio(1.05)).aiming_at(OWN),
    Target::new("echo_64", LowRatio(1.05)).aiming_at(OWN),
    Target::new("axum_hello", LowRatio(1.05)).aiming_at(OWN),
    Target::new("axum_ask", LowRatio(0.95)),
    Target::new("axum_hello_busy", LowRatio(1.05)).aiming_at(OWN),
    Target::new("axum_ask_busy", LowRatio(0.95)),
    Target::new("axum_busy_queued_ask", LowRatio(3.0)),
    Target::new("mixed_share", Within(0.33, 0.67)),
    Target::new("wake_to_start_p99", AtMost(100_000.0)),
    Target::new("idle_cpu", Beyond(5.0)),
    Target::new("bytes_per_task", Ratio(1.0)),
];
