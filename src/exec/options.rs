//! What can be chosen of a scheduler, and what is chosen by default.

use super::core::Policy;
use super::hooks::TaskHooks;
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
    pub(crate) abort_on_actor_panic: bool,
    pub(super) hooks: TaskHooks,
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
            abort_on_actor_panic: false,
            hooks: TaskHooks::default(),
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

    /// An option that the other set has another value of, by the name of its method.
    pub(crate) fn difference(&self, other: &Self) -> Option<&'static str> {
        // Taken apart, so that an option which is missing below does not compile.
        let Self {
            polls_per_turn,
            messages_per_activation,
            global_queue_interval,
            lifo_runs,
            seed,
            monitor,
            abort_on_actor_panic,
            hooks:
                TaskHooks {
                    spawn,
                    terminate,
                    undelivered,
                },
        } = self;
        let differs = [
            ("polls_per_turn", *polls_per_turn != other.polls_per_turn),
            (
                "messages_per_activation",
                *messages_per_activation != other.messages_per_activation,
            ),
            (
                "global_queue_interval",
                *global_queue_interval != other.global_queue_interval,
            ),
            ("lifo_runs", *lifo_runs != other.lifo_runs),
            ("seed", *seed != other.seed),
            ("monitor", *monitor != other.monitor),
            (
                "abort_on_actor_panic",
                *abort_on_actor_panic != other.abort_on_actor_panic,
            ),
            ("on_task_spawn", *spawn != other.hooks.spawn),
            ("on_task_terminate", *terminate != other.hooks.terminate),
            ("on_undelivered", *undelivered != other.hooks.undelivered),
        ];
        first_of(&differs)
    }
}

/// The first name beside a true.
pub(super) fn first_of(names: &[(&'static str, bool)]) -> Option<&'static str> {
    names.iter().find(|(_, is)| *is).map(|(name, _)| *name)
}
