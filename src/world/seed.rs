//! Seeds that are split per fork, and streams of numbers drawn from them.

use crate::rng::Rng;

/// Two words made one; order matters.
#[inline]
pub(super) const fn mix(left: u64, right: u64) -> u64 {
    let mut z = left
        .rotate_left(23)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .wrapping_add(right)
        .wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// What sets seeds of forks apart from seeds of streams.
const CHILD: u64 = 0x6368_696C_6400_0001;
const STREAM: u64 = 0x7374_7265_616D_0001;

/// The seed of a world's fork: the `index`th that was taken at `place`.
pub(super) fn child(seed: u64, place: u64, index: u64) -> u64 {
    mix(mix(mix(CHILD, seed), place), index)
}

/// What keys the streams of a world of this seed.
pub(super) const fn streams(seed: u64) -> u64 {
    mix(STREAM, seed)
}

/// A stream of numbers: the same seed gives the same ones. Not for secrets.
///
/// Draws are keyed by what is drawn, not by when: take a stream per draw, by
/// [`World::stream`](super::World::stream), and a run repeats on any number of threads.
#[derive(Debug, Clone)]
pub struct Stream(Rng);

impl Stream {
    /// The stream of this seed.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self(Rng::seeded(seed))
    }

    /// The stream of what is decided, in a world whose [`streams`] these are.
    #[inline]
    pub(super) fn of(streams: u64, what: u64) -> Self {
        Self::seeded(mix(streams, what))
    }

    /// The next word.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// The next number from 0 up to and without 1: a multiple of 2^-53.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        #[allow(clippy::cast_precision_loss)] // 53 bits are exact
        let number = (self.next_u64() >> 11) as f64;
        number * (1.0 / (1_u64 << 53) as f64)
    }

    /// The next number below `bound`, or 0 if `bound` is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound)
    }
}
