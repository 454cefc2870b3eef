//! What the process holds in memory, and whether that grows.

use std::fmt;
use std::fs;

/// A run may end so much above what it held after the warm-up: the allocator's arenas and the
/// threads that come and go sway by a few megabytes, and to leak one small task in a thousand
/// takes more than this within ten minutes.
pub const GROWTH_BYTES_MAX: u64 = 24 << 20;
/// The same as a part of what it held, where that is more.
pub const GROWTH_PERCENT_MAX: u64 = 15;

/// Fewer samples than this tell nothing.
const SAMPLES_MIN: usize = 25;

/// Samples of resident memory, one a second.
#[derive(Debug, Default)]
pub struct Memory {
    samples: Vec<u64>,
}

/// What two windows of samples say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    pub warm: u64,
    pub end: u64,
}

impl Memory {
    pub fn push(&mut self, bytes: u64) {
        self.samples.push(bytes);
    }

    pub fn last(&self) -> Option<u64> {
        self.samples.last().copied()
    }

    /// Compares the median of the fifth after the warm-up, which is the first fifth, with that of
    /// the last fifth. There is none in a run that is hardly longer than its warm-up.
    pub fn growth(&self) -> Option<Growth> {
        if self.samples.len() < SAMPLES_MIN {
            return None;
        }
        let fifth = self.samples.len() / 5;
        let end = self.samples.len() - fifth;
        Some(Growth {
            warm: median(&self.samples[fifth..2 * fifth]),
            end: median(&self.samples[end..]),
        })
    }
}

impl Growth {
    pub fn limit(&self) -> u64 {
        GROWTH_BYTES_MAX.max(self.warm * GROWTH_PERCENT_MAX / 100)
    }

    pub fn is_flat(&self) -> bool {
        self.end <= self.warm + self.limit()
    }
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:.1} MiB after the warm-up, {:.1} MiB at the end; {:.1} MiB more are allowed",
            mebibytes(self.warm),
            mebibytes(self.end),
            mebibytes(self.limit()),
        )
    }
}

pub fn mebibytes(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

fn median(samples: &[u64]) -> u64 {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable();
    sorted[sorted.len() / 2]
}

/// Resident memory of this process in bytes, where the system tells it.
pub fn resident() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    parse_resident(&status)
}

fn parse_resident(status: &str) -> Option<u64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(samples: impl IntoIterator<Item = u64>) -> Memory {
        Memory {
            samples: samples
                .into_iter()
                .map(|mebibytes| mebibytes << 20)
                .collect(),
        }
    }

    #[test]
    fn what_grows_in_the_warm_up_alone_is_flat() {
        let growth = memory((0..20).chain([20; 80])).growth().unwrap();
        assert!(growth.is_flat(), "{growth}");
    }

    #[test]
    fn what_grows_all_the_time_is_not_flat() {
        let growth = memory(0..100).growth().unwrap();
        assert_eq!((growth.warm >> 20, growth.end >> 20), (30, 90));
        assert!(!growth.is_flat(), "{growth}");
    }

    #[test]
    fn one_spike_does_not_matter() {
        let mut memory = memory([20; 100]);
        memory.samples[95] = 1 << 40;
        assert!(memory.growth().unwrap().is_flat());
    }

    #[test]
    fn a_few_samples_tell_nothing() {
        assert_eq!(memory([1; SAMPLES_MIN - 1]).growth(), None);
    }

    #[test]
    fn the_systems_line_is_read() {
        assert_eq!(
            parse_resident("Name:\tx\nVmRSS:\t    2048 kB\nRssAnon:\t1 kB\n"),
            Some(2 << 20)
        );
        assert_eq!(parse_resident("Name:\tx\n"), None);
    }
}
