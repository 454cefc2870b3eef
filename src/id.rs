//! Process-wide identities of tasks and actors.

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasherDefault, Hasher};
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering};

/// The identity of a task or an actor: unique within the process, never used again.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(NonZeroU64);

impl Id {
    /// Mints the next identity.
    pub(crate) fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        // Ordering: Relaxed; only uniqueness matters, and an RMW gives that.
        let raw = NEXT.fetch_add(1, Ordering::Relaxed);
        // 2^64 identities outlast the process: at one a nanosecond, 584 years.
        Self(NonZeroU64::new(raw).unwrap_or(NonZeroU64::MAX))
    }

    /// An identity that was minted before.
    pub(crate) fn from_raw(raw: NonZeroU64) -> Self {
        Self(raw)
    }

    /// The number behind the identity.
    #[must_use]
    pub fn as_u64(self) -> u64 {
        self.0.get()
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Id({})", self.0)
    }
}

/// A map by ids, or by numbers made of them, which nobody chooses.
pub(crate) type ById<K, V> = HashMap<K, V, BuildHasherDefault<Spread>>;

/// They are numbered one after the other: the product spreads them over all bits.
#[derive(Default)]
pub(crate) struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write_u64(&mut self, id: u64) {
        self.0 = id.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(32);
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(self.0 ^ u64::from(byte));
        }
    }
}
