//! How many restarts are too many.

use std::collections::VecDeque;
use std::time::Duration;

use super::roster::Moment;

/// How many restarts may fall within a time, wherever that time begins. One more, and the
/// supervisor gives up.
///
/// ```
/// # use std::time::Duration;
/// use greenroom::Intensity;
///
/// // Restarts at 0, 300 and 600 ms, and at 900 ms it gives up; after 0, 400 and 800 ms it
/// // restarts at 1300 ms too.
/// let intensity = Intensity::new(3, Duration::from_secs(1));
/// # let _ = intensity;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Intensity {
    /// `None`: as many as there are.
    limit: Option<(u16, Duration)>,
}

impl Intensity {
    /// So many restarts within `within`; 0 of them: it gives up at the first failure.
    #[must_use]
    pub const fn new(restarts: u16, within: Duration) -> Self {
        Self {
            limit: Some((restarts, within)),
        }
    }

    #[cfg(test)]
    pub(crate) fn parts(self) -> Option<(u16, Duration)> {
        self.limit
    }

    /// Any number of restarts. Give the children a [`Backoff`](crate::Backoff) then.
    #[must_use]
    pub const fn unlimited() -> Self {
        Self { limit: None }
    }
}

impl Default for Intensity {
    /// Three within five seconds.
    fn default() -> Self {
        Self::new(3, Duration::from_secs(5))
    }
}

/// The restarts that still count, oldest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Window(VecDeque<Moment>);

impl Window {
    /// Whether one more is allowed now. Forgets those that count no longer.
    pub(crate) fn has_room(&mut self, intensity: Intensity, now: Moment) -> bool {
        let Some((restarts, within)) = intensity.limit else {
            self.0 = VecDeque::new();
            return true;
        };
        while self
            .0
            .front()
            .is_some_and(|at| at.saturating_add(within) <= now)
        {
            self.0.pop_front();
        }
        self.0.len() < usize::from(restarts)
    }

    /// Notes one. It was allowed, so there are never more than may count.
    pub(crate) fn note(&mut self, intensity: Intensity, now: Moment) {
        if intensity.limit.is_some() {
            self.0.push_back(now);
        }
    }
}
