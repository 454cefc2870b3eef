//! Whose turn it is to answer, for who looks at waits.
//!
//! The upper bits of the state word belong to the sender: how often the ask was forwarded, the
//! number of the handler that runs beside others, and the actor that it was forwarded to last.

use super::{FORWARDED, HOLDER_SHIFT, PASSED_ON, RUN_SHIFT, ReplyEnd, SENT};
use crate::limits::FORWARDS_MAX;
use crate::sync::atomic::Ordering;

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
    (state & ((1 << RUN_SHIFT) - 1)) / FORWARDED
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
        let mut state = self.head().state.load(Ordering::Relaxed);
        loop {
            let count = forwards(state) + 1;
            let holder = holder.filter(|_| count <= FORWARDS_MAX).and_then(bits);
            let kept = state & ((1 << RUN_SHIFT) - 1) & !PASSED_ON;
            let new = kept + FORWARDED + holder.unwrap_or(PASSED_ON);
            // Ordering: Relaxed; the sender's end alone writes these bits, and moves with its
            // synchronisation. Nothing is read behind them.
            let moved = self.head().state.compare_exchange_weak(
                state,
                new,
                Ordering::Relaxed,
                Ordering::Relaxed,
            );
            match moved {
                Ok(_) => return count,
                Err(now) => state = now,
            }
        }
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
