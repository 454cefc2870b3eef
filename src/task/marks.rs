//! A bit for each of several that share one unit: which of them were woken since the runner looked.
//!
//! Who wakes sets its bit, then notifies the unit; the runner has taken the notification back, by
//! `State::begin` or `State::acknowledge`, before it takes the bits. So a bit that the runner
//! misses was set after it looked, and its notification comes after the one that was taken back:
//! it brings another run. Bits without a notification to come are never left.

use crate::sync::atomic::{AtomicU64, Ordering};

pub(crate) struct Marks<const WORDS: usize>([AtomicU64; WORDS]);

impl<const WORDS: usize> Marks<WORDS> {
    pub(crate) fn none() -> Self {
        Self(std::array::from_fn(|_| AtomicU64::new(0)))
    }

    /// To be followed by a notification of the unit.
    pub(crate) fn set(&self, number: usize) {
        // Ordering: Release; pairs with the Acquire of `take`, in the run that the notification
        // brings, or in an earlier one.
        self.0[number / 64].fetch_or(1 << (number % 64), Ordering::Release);
    }

    /// Adds to `bits` those that were set, and clears them.
    pub(crate) fn take(&self, bits: &mut [u64; WORDS]) {
        for (bits, marks) in bits.iter_mut().zip(&self.0) {
            // Ordering: Acquire; pairs with the Release in `set`.
            *bits |= marks.swap(0, Ordering::Acquire);
        }
    }
}

#[cfg(all(test, greenroom_loom))]
mod loom {
    use std::sync::Arc;

    use loom::thread;

    use super::Marks;
    use crate::sync::atomic::{AtomicBool, Ordering};
    use crate::task::{End, Notify, State};

    struct Bench {
        state: State,
        marks: Marks<1>,
        /// What each is woken for. Ordering: Relaxed; the bits and the word order it.
        news: [AtomicBool; 2],
    }

    impl Bench {
        /// Wakes one; whether the unit is to be queued.
        fn wake(&self, number: usize) -> bool {
            self.news[number].store(true, Ordering::Relaxed);
            self.marks.set(number);
            self.state.notify() == Notify::Queue
        }

        /// Runs until no run is due; gives whom it polled.
        fn run(&self) -> u64 {
            let mut polled = 0;
            loop {
                self.state.begin();
                let mut bits = [0];
                self.marks.take(&mut bits);
                for number in (0..2).filter(|number| bits[0] & (1 << number) != 0) {
                    assert!(self.news[number].load(Ordering::Relaxed));
                }
                polled |= bits[0];
                if self.state.end() != End::Again {
                    return polled;
                }
            }
        }
    }

    #[test]
    fn loom_whoever_is_woken_beside_others_is_polled() {
        loom::model(|| {
            let bench = Arc::new(Bench {
                state: State::idle(1),
                marks: Marks::none(),
                news: [AtomicBool::new(false), AtomicBool::new(false)],
            });
            let other = {
                let bench = Arc::clone(&bench);
                thread::spawn(move || if bench.wake(1) { bench.run() } else { 0 })
            };
            let mine = if bench.wake(0) { bench.run() } else { 0 };
            assert_eq!(mine | other.join().unwrap(), 0b11);
        });
    }
}
