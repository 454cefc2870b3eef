//! What a monitor measures, and what of it is how much.

use std::sync::Arc;

use super::error::Overload;
use super::monitor::Pressure;

/// Something that is measured.
pub(super) struct Source {
    pub(super) name: Arc<str>,
    pub(super) elevated: u64,
    pub(super) critical: u64,
    pub(super) read: Box<dyn Fn() -> Option<u64> + Send + Sync>,
}

impl Source {
    pub(super) fn is_sound(&self) -> bool {
        self.elevated > 0 && self.elevated <= self.critical
    }

    /// The level that follows `last` at a value. A level is entered at its threshold, and left
    /// below so many percent of it.
    pub(super) fn level(&self, last: Pressure, value: u64, percent: u8) -> Pressure {
        let holds = |level: Pressure, threshold: u64| {
            let left_at = u128::from(threshold) * u128::from(percent) / 100;
            value >= threshold || last >= level && u128::from(value) >= left_at.max(1)
        };
        if holds(Pressure::Critical, self.critical) {
            Pressure::Critical
        } else if holds(Pressure::Elevated, self.elevated) {
            Pressure::Elevated
        } else {
            Pressure::Normal
        }
    }

    /// What to say about it at this level and value.
    pub(super) fn overload(&self, level: Pressure, value: u64) -> Overload {
        let threshold = match level {
            Pressure::Critical => self.critical,
            Pressure::Normal | Pressure::Elevated => self.elevated,
        };
        Overload::new(level, Arc::clone(&self.name), value, threshold)
    }
}

/// Bytes of memory that the process has in use, where the system says so.
pub(super) fn resident_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::Pressure::{Critical, Elevated, Normal};
    use super::*;

    fn source() -> Source {
        Source {
            name: Arc::from("it"),
            elevated: 100,
            critical: 200,
            read: Box::new(|| None),
        }
    }

    #[test]
    fn a_level_is_entered_at_its_threshold_and_left_below_a_part_of_it() {
        let values = [99, 100, 95, 90, 89, 99, 200, 180, 179, 90, 250, 89];
        let wanted = [
            Normal, Elevated, Elevated, Elevated, Normal, Normal, Critical, Critical, Elevated,
            Elevated, Critical, Normal,
        ];
        let mut last = Normal;
        for (value, wanted) in values.into_iter().zip(wanted) {
            last = source().level(last, value, 90);
            assert_eq!(last, wanted, "at {value}");
        }
    }

    #[test]
    fn at_zero_percent_a_level_is_left_when_there_is_nothing() {
        assert_eq!(source().level(Critical, 1, 0), Critical);
        assert_eq!(source().level(Critical, 0, 0), Normal);
    }
}
