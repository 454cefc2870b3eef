//! What a queue has to say in the lives of its workers.

use std::sync::Weak;

use super::super::error::PoolError;
use super::line::{Line, Phase};
use crate::actor::{Exit, Handler, Manner, Overseer, Verdict};

/// Has the queue end with all actors: it does what it has taken, and then lets its workers go.
pub(super) struct Steward<A: Handler<J>, J: Send + 'static>(pub(super) Weak<Line<A, J>>);

impl<A: Handler<J>, J: Send + 'static> Overseer for Steward<A, J> {
    /// One that fails is replaced by its feeder.
    fn judge(&self, exit: &Exit<'_>) -> Verdict {
        match exit.manner {
            Manner::Halted => Verdict::Restart,
            Manner::Failed | Manner::Finished => Verdict::End,
        }
    }

    fn is_supervisor(&self) -> bool {
        false
    }

    fn retire(&self, late: bool) -> bool {
        let Some(line) = self.0.upgrade() else {
            return false;
        };
        line.close(match late {
            true => Phase::Failed(PoolError::Ended),
            false => Phase::Draining,
        });
        true
    }
}
