//! Whose turn it is to answer, for who looks at waits.
//!
//! The upper bits of the state word belong to the sender: how often the ask was forwarded, the
//! number of the handler that runs beside others, and the actor that it was forwarded to last.

use super::{FORWARDED, HOLDER_SHIFT, PASSED_ON, RUN_SHIFT, ReplyEnd, SENT};
use crate::limits::FORWARDS_MAX;
use crate::sync::atomic::Ordering;

/// What is below the number of a handler.
const LOW: usize = (1 << RUN_SHIFT) - 1;
/// More forwards are not told apart.
const COUNT_MAX: usize = LOW / FORWARDED;
const RUN_MASK: usize = (1 << (HOLDER_SHIFT - RUN_SHIFT)) - 1;

/// From whom an answer is to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hand {
    /// The actor, if it is not the one that was asked.
    pub(crate) holder: Option<u64>,
    /// Its handler, or 0 for one that runs alone or has not begun. Once another, it stays so, up to
    /// the next forward.
    pub(crate) run: usize,
    /// How often the ask was forwarded.
    pub(crate) forwards: usize,
}

impl Hand {
    /// `None`: the answer is there, or who gives it is not known.
    #[inline]
    pub(super) fn of(state: usize) -> Option<Self> {
        if state & (SENT | PASSED_ON) != 0 {
            return None;
        }
        let holder = state.checked_shr(HOLDER_SHIFT).filter(|id| *id != 0);
        Some(Self {
            holder: holder.map(|id| id as u64),
            run: state >> RUN_SHIFT & RUN_MASK,
            forwards: forwards(state),
        })
    }
}

fn forwards(state: usize) -> usize {
    (state & LOW) / FORWARDED
}

/// The bits of a holder. Few programs come to ids that they don't hold.
fn bits(id: u64) -> Option<usize> {
    let id = usize::try_from(id).ok()?;
    let bits = id.checked_shl(HOLDER_SHIFT)?;
    (bits >> HOLDER_SHIFT == id).then_some(bits)
}

impl ReplyEnd {
    /// The handler has ended, and somebody else answers: nobody waits for the handler any more.
    pub(crate) fn pass_on(&self) {
        // Ordering: Relaxed; nothing is read behind it.
        self.head().state.fetch_or(PASSED_ON, Ordering::Relaxed);
    }

    /// The handler has ended, and another actor answers, if it was not so often already that this
    /// is refused. `None` if it takes no message. Gives how often it was, with this time.
    pub(crate) fn forward(&self, holder: Option<u64>) -> usize {
        let before = self.hand_over(|state| {
            let may = forwards(state) < FORWARDS_MAX;
            let holder = holder.filter(|_| may).and_then(bits);
            Some((LOW & !PASSED_ON & state) + FORWARDED + holder.unwrap_or(PASSED_ON))
        });
        forwards(before) + 1
    }

    /// The right to answer, which was passed on, is this actor's, or nobody knows whose. It counts
    /// as a forward, as far as can be counted.
    pub(crate) fn hold(&self, holder: Option<u64>) {
        self.hand_over(|state| {
            let is_known = state & PASSED_ON == 0;
            let holder = holder.and_then(bits);
            if holder == is_known.then_some(state & !((1 << HOLDER_SHIFT) - 1)) {
                return None;
            }
            match holder.filter(|_| forwards(state) < COUNT_MAX) {
                Some(holder) => Some((LOW & !PASSED_ON & state) + FORWARDED + holder),
                None => Some(state | PASSED_ON),
            }
        });
    }

    /// Changes the state, unless there is nothing to be changed; gives what it was.
    fn hand_over(&self, new: impl Fn(usize) -> Option<usize>) -> usize {
        // Ordering: Relaxed; the sender's end alone writes these bits, and moves with its
        // synchronisation. Nothing is read behind them.
        let state = &self.head().state;
        let before = state.fetch_update(Ordering::Relaxed, Ordering::Relaxed, new);
        before.unwrap_or_else(|state| state)
    }

    /// The handler that runs beside others has this number, which is not 0.
    #[cold]
    pub(crate) fn run_as(&self, run: usize) {
        debug_assert!(run > 0 && run & RUN_MASK == run);
        let state = &self.head().state;
        // Ordering: Relaxed; the sender alone writes these bits, and nothing is read behind them.
        if state.load(Ordering::Relaxed) >> RUN_SHIFT & RUN_MASK == 0 {
            state.fetch_or(run << RUN_SHIFT, Ordering::Relaxed);
        }
    }
}
