//! Every bound of the crate, with its reason. No queue, cache or table is without one.

/// Slots of a mailbox unless the actor says otherwise: deep enough to ride out a burst while its
/// actor is descheduled, shallow enough that backpressure is felt before memory is.
pub const MAILBOX_DEFAULT: usize = 64;

/// Most slots that a mailbox may be given. Memory grows on demand, so the bound only keeps the
/// slot arithmetic far from overflow.
pub const MAILBOX_MAX: usize = 1 << 30;

/// Messages that an actor handles per activation before it goes to the back of the run queue:
/// long enough to pay for the activation, short enough that neighbours keep their turn.
pub const MESSAGES_PER_ACTIVATION: usize = 64;

/// Polls per turn of a pump, before the host gets its thread back.
pub const POLLS_PER_TURN: usize = 64;

/// LIFO-slot runs in a row: two tasks that wake each other must not hold a worker for ever.
pub const LIFO_RUNS: usize = 3;

/// Every so many picks the global queue goes first, so that outside work is never starved.
pub const GLOBAL_INTERVAL: u32 = 61;

/// Most worker slots of one executor; the idle set packs counts of them into one word.
pub const WORKERS_MAX: usize = 1024;
