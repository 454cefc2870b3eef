//! A small seeded generator for scheduling choices. Not for secrets.

#[cfg(not(greenroom_loom))]
use std::hash::{BuildHasher, Hasher, RandomState};

/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014).
#[derive(Debug, Clone)]
pub(crate) struct Rng(u64);

impl Rng {
    /// The same seed gives the same sequence.
    pub(crate) fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    /// A seed that differs between calls and processes.
    #[cfg(not(greenroom_loom))]
    pub(crate) fn fresh_seed() -> u64 {
        RandomState::new().build_hasher().finish()
    }

    /// Models must repeat.
    #[cfg(greenroom_loom)]
    pub(crate) fn fresh_seed() -> u64 {
        0
    }

    pub(crate) fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, or 0 if `bound` is 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        // The high half of the product; the bias is below 2^-32 for all bounds in use.
        let wide = u128::from(self.next_u64()) * (bound as u128);
        (wide >> 64) as usize
    }
}

#[cfg(all(test, not(greenroom_loom)))]
mod tests {
    use super::Rng;

    #[test]
    fn the_same_seed_repeats_and_another_does_not() {
        let draw = |seed| {
            let mut rng = Rng::seeded(seed);
            (0..8).map(|_| rng.next_u64()).collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }

    #[test]
    fn below_stays_below_and_reaches_every_number() {
        let mut rng = Rng::seeded(1);
        let mut seen = [false; 5];
        for _ in 0..200 {
            seen[rng.below(5)] = true;
        }
        assert_eq!(seen, [true; 5]);
        assert_eq!(rng.below(0), 0);
    }
}
