//! What the cells read from the machine that they run on.

use std::hint;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::thread::{CpuSet, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

/// Unless the command line says otherwise.
pub const WORKERS_DEFAULT: usize = 2;

static WORKERS: AtomicUsize = AtomicUsize::new(WORKERS_DEFAULT);

/// Workers of every peer's runtime.
pub fn workers() -> usize {
    // Ordering: Relaxed; written before the first runtime starts.
    WORKERS.load(Ordering::Relaxed)
}

/// To be called before the first runtime starts.
pub fn set_workers(count: usize) {
    WORKERS.store(count, Ordering::Relaxed);
}

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

/// Spins for `time`, whether or not the thread has the CPU: exact where [`burn`] is too coarse.
pub fn spin(time: Duration) {
    let start = Instant::now();
    while start.elapsed() < time {
        hint::spin_loop();
    }
}

fn thread_time() -> Duration {
    cpu_time(ClockId::ThreadCPUTime)
}

/// CPU that all threads of this process have used.
pub fn process_time() -> Duration {
    cpu_time(ClockId::ProcessCPUTime)
}

fn cpu_time(clock: ClockId) -> Duration {
    let now = clock_gettime(clock);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

/// Keeps the calling thread on one CPU: that of this number, round and round; Linux only.
pub fn pin_to_cpu(number: usize) {
    let cpus = thread::available_parallelism().map_or(1, usize::from);
    let mut set = CpuSet::new();
    set.set(number % cpus);
    sched_setaffinity(None, &set).expect("the machine has that CPU");
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
