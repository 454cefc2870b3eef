//! What the cells read from the machine that they run on.

use std::hint;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Workers of every peer's runtime.
pub const WORKERS: usize = 2;

/// Spins until the calling thread has used `time` of CPU, however often it was preempted.
pub fn burn(time: Duration) {
    let end = thread_time() + time;
    while thread_time() < end {
        // The clock is a system call: look at it every few microseconds only.
        for step in 0..1_000_u32 {
            hint::black_box(step);
        }
    }
}

fn thread_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// Bytes of this process that lie in memory; Linux only.
pub fn resident_bytes() -> u64 {
    // `smaps_rollup` adds up the page tables; the cheaper `statm` may lag behind by some pages.
    let rollup = std::fs::read_to_string("/proc/self/smaps_rollup")
        .expect("resident memory is read from /proc/self/smaps_rollup");
    parse_resident(&rollup).expect("/proc/self/smaps_rollup has a line `Rss: <n> kB`")
}

fn parse_resident(rollup: &str) -> Option<u64> {
    let line = rollup.lines().find_map(|line| line.strip_prefix("Rss:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_resident_line_is_found_among_others() {
        let rollup = "55e0-7ffd ---p 00000000 00:00 0 [rollup]\nRss:     1692 kB\nPss:  12 kB\n";
        assert_eq!(parse_resident(rollup), Some(1692 * 1024));
        assert_eq!(parse_resident("Pss: 12 kB\n"), None);
    }
}
