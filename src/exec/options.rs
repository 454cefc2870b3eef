//! What can be chosen of a scheduler, and what is chosen by default.

use super::core::Policy;
use crate::limits;

/// The options of a scheduler, apart from its host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) polls_per_turn: usize,
    pub(crate) messages_per_activation: usize,
    pub(crate) global_queue_interval: u32,
    pub(crate) lifo_runs: usize,
    pub(crate) seed: Option<u64>,
    pub(crate) monitor: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            polls_per_turn: limits::POLLS_PER_TURN,
            messages_per_activation: limits::MESSAGES_PER_ACTIVATION,
            global_queue_interval: limits::GLOBAL_INTERVAL,
            lifo_runs: limits::LIFO_RUNS,
            seed: None,
            monitor: true,
        }
    }
}

impl Options {
    pub(crate) fn policy(&self) -> Policy {
        Policy {
            global_queue_interval: self.global_queue_interval,
            lifo_runs: self.lifo_runs,
            seed: self.seed,
        }
    }
}
