//! Whether every class of work gets on.

use std::time::Duration;

use super::class::Class;

/// A class that ends nothing for so long has lost a wake-up, or waits for one that has.
pub const STALL_MAX: Duration = Duration::from_secs(10);

/// When each class was last seen to get on.
#[derive(Debug)]
pub struct Watchdog {
    last: [(u64, Duration); Class::ALL.len()],
}

/// A class that does not get on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stall {
    pub class: Class,
    pub since: Duration,
}

impl Watchdog {
    pub fn new() -> Self {
        Self {
            last: [(0, Duration::ZERO); Class::ALL.len()],
        }
    }

    /// Takes the progress at a time, and gives the class that has made none for longest.
    pub fn look(&mut self, now: Duration, progress: &[u64; Class::ALL.len()]) -> Stall {
        for ((count, at), seen) in self.last.iter_mut().zip(progress) {
            if count != seen {
                (*count, *at) = (*seen, now);
            }
        }
        let slowest = Class::ALL
            .into_iter()
            .zip(self.last)
            .map(|(class, (_, at))| Stall {
                class,
                since: now.saturating_sub(at),
            });
        slowest
            .max_by_key(|stall| stall.since)
            .unwrap_or_else(|| unreachable!("there are classes"))
    }
}

impl Stall {
    pub fn is_too_long(&self) -> bool {
        self.since >= STALL_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(count: u64) -> Duration {
        Duration::from_secs(count)
    }

    #[test]
    fn a_class_that_ends_nothing_for_ten_seconds_is_named() {
        let mut watchdog = Watchdog::new();
        let mut progress = [0; Class::ALL.len()];
        for second in 1..=25 {
            progress.iter_mut().for_each(|count| *count += 1);
            progress[Class::Timer as usize] = second.min(15);
            let stall = watchdog.look(seconds(second), &progress);
            assert_eq!(stall.is_too_long(), second >= 25, "{second}: {stall:?}");
        }
        let stall = watchdog.look(seconds(26), &progress);
        assert_eq!((stall.class, stall.since), (Class::Timer, seconds(11)));
    }

    #[test]
    fn a_class_that_never_began_is_named_too() {
        let mut watchdog = Watchdog::new();
        let mut progress = [1; Class::ALL.len()];
        progress[Class::Churn as usize] = 0;
        assert!(!watchdog.look(seconds(1), &progress).is_too_long());
        let stall = watchdog.look(seconds(10), &progress);
        assert!(stall.is_too_long() && stall.class == Class::Churn);
    }
}
