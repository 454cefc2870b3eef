//! How much may be under way to a target.

use crate::remote::limits::{FIRST_BYTES, FIRST_RECORDS, RECORD_COST};

/// A window, or what fills one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Window {
    /// Asks that are open.
    pub(super) asks: u32,
    /// Asks and tells that the target has not taken.
    pub(super) records: u32,
    /// What these count for, each its payload and [`RECORD_COST`].
    pub(super) bytes: u64,
}

impl Window {
    /// Before the target has taken any.
    pub(super) const FIRST: Self = Self {
        asks: FIRST_RECORDS,
        records: FIRST_RECORDS,
        bytes: FIRST_BYTES,
    };

    /// Whether one more ask or tell may go while `used` is under way: if there is any room at all,
    /// so that a payload larger than the window goes alone.
    #[inline]
    pub(super) fn has_room(&self, used: &Self, is_ask: bool) -> bool {
        used.records < self.records && used.bytes < self.bytes && (!is_ask || used.asks < self.asks)
    }

    /// The larger one of each.
    pub(super) fn max(self, other: Self) -> Self {
        Self {
            asks: self.asks.max(other.asks),
            records: self.records.max(other.records),
            bytes: self.bytes.max(other.bytes),
        }
    }
}

/// What a record with such a payload counts for.
#[inline]
pub(super) fn cost(payload: usize) -> u64 {
    payload as u64 + RECORD_COST
}
