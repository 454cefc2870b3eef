//! The bounds of the crate, each with its reason.
//!
//! What no bound here limits grows with what its users keep alive: the lists of live tasks and
//! actors, and the senders and joiners that wait, each of which lies in a future of its own.

use std::time::Duration;

/// Slots of a mailbox unless the actor says otherwise: deep enough to ride out a burst while its
/// actor is descheduled, shallow enough that backpressure is felt before memory is.
pub const MAILBOX_DEFAULT: usize = 64;

/// Most slots that a mailbox may be given. Memory grows on demand, so the bound only keeps the
/// slot arithmetic far from overflow.
pub const MAILBOX_MAX: usize = 1 << 30;

/// Workers of a pool unless it says otherwise.
pub const POOL_WORKERS_DEFAULT: usize = 4;

/// Most workers of a pool: far more than run at a time, few enough to look at each for a message.
pub const POOL_WORKERS_MAX: usize = 1 << 16;

/// Jobs that wait in a queue of workers unless it says otherwise: some dozens for each of a few
/// workers, so that a burst is ridden out and a lasting overload is felt.
pub const POOL_QUEUE_DEFAULT: usize = 256;

/// Between two samples of a pressure monitor unless it says otherwise: soon enough for what grows
/// by accident, and a cost that nobody notices.
pub const PRESSURE_INTERVAL: Duration = Duration::from_secs(1);

/// Percent of its threshold below which a level of pressure is left unless its monitor says
/// otherwise: what moves by less does not change the level to and fro.
pub const PRESSURE_LEFT_AT: u8 = 90;

/// Urgent messages that are handled in a row while others wait: urgent work that floods its actor
/// leaves a ninth of it to the rest.
pub const URGENT_IN_A_ROW: u32 = 8;

/// At least one of so many messages that an actor handles is a background one, if one waits: the
/// same share that background tasks have of a worker.
pub const BACKGROUND_MESSAGES: u32 = 61;

/// Messages that an actor handles per activation before it goes to the back of the run queue: as
/// many as tokio lets a task receive at a time, and more than a default mailbox holds, so that an
/// actor which empties it does not have to come back for those who waited.
pub const MESSAGES_PER_ACTIVATION: usize = 128;

/// Most polls of a turn and messages of an activation that may be asked for: a thousand times the
/// defaults already starves neighbours.
pub const BATCH_MAX: usize = 1 << 16;

/// Polls per turn of a pump, before the host gets its thread back.
pub const POLLS_PER_TURN: usize = 64;

/// LIFO-slot runs in a row: two tasks that wake each other must not hold a worker for ever.
pub const LIFO_RUNS: usize = 3;

/// Every so many picks the global queue goes first, so that outside work is never starved.
pub const GLOBAL_INTERVAL: u32 = 61;

/// Every so many picks of a worker a background task goes first, if one waits: the share of those
/// that nothing should wait for, small enough to be lost in the noise.
pub const BACKGROUND_INTERVAL: u32 = 61;

/// Units that such a look takes from the global queue at most: with one alone, outside work would
/// get a 61st of a worker whose own tasks always have more to do; so it may get a third.
pub(crate) const GLOBAL_BATCH: usize = 32;

/// Most worker slots of one executor; the idle set packs counts of them into one word.
pub const WORKERS_MAX: usize = 1024;

/// Most threads for blocking jobs that may be asked for: no operating system gives a process more.
pub const BLOCKING_THREADS_MAX: usize = 1 << 22;

/// Tasks and actors that the report of a shutdown names: enough to see which kinds are stuck.
pub const STRAGGLERS_MAX: usize = 32;

/// Bytes of free blocks that a thread keeps per size class: enough for the messages in flight
/// through a busy worker; nine classes make 288 KiB a thread at most.
pub(crate) const POOL_THREAD_BYTES: usize = 32 * 1024;

/// Bytes of free blocks that all threads share per size class.
pub(crate) const POOL_SHARED_BYTES: usize = 256 * 1024;

/// Largest slot in a mailbox's blocks; larger messages are boxed from the pool.
pub(crate) const SLOT_BYTES_MAX: usize = 256;

/// Bytes of a mailbox block: a few dozen small messages, so that a burst takes few blocks and an
/// actor with one message holds little.
pub(crate) const MAILBOX_BLOCK_BYTES: usize = 1024;

/// Room that a cell keeps for a suspended handler's future. Larger futures take a block from the
/// pool while they are suspended, so that an idle actor never pays for its largest handler.
pub(crate) const ROOM_BYTES_MAX: usize = 128;

/// Keys that a mailbox keeps room for when none is queued.
pub(crate) const KEYS_KEPT: usize = 64;

/// Most messages that [`tell_all`](crate::Handle::tell_all) takes out of its iterator ahead of
/// their acceptance, and moves in under one hold of the mailbox's lock.
pub const TELL_BATCH: usize = 64;

/// Wakers that are collected under one hold of a mailbox's lock; more take another round.
pub(crate) const WAKES_PER_LOCK: usize = if cfg!(greenroom_loom) { 1 } else { 16 };

/// The shortest turn of a pump: about what tokio's own tasks take, so that theirs are not late.
pub(crate) const TURN_MIN: Duration = Duration::from_micros(20);

/// How many times longer than the shortest a turn may get while tokio runs nothing else: yields
/// then cost a few percent, and what tokio gets to run meanwhile waits no longer than its own tick.
pub(crate) const TURNS_ALONE: u32 = 8;

/// The longest turn of a pump, however many units wait: drivers must not wait longer. It is what 64
/// units take that compute for 60 microseconds each.
pub(crate) const TURN_MAX: Duration = Duration::from_millis(4);

/// Units per worker that wait for tokio to run them past its queue: one per worker is in its turn
/// at most, and a second may be on its way; more would make tokio's scheduler do our work.
pub(crate) const RIDES_PER_WORKER: usize = 2;

/// Bytes of a future that its task holds in place; larger ones are boxed, so that a spawn does not
/// copy them from frame to frame. Less in debug builds, where each copy is made.
pub(crate) const FUTURE_IN_PLACE_MAX: usize = if cfg!(debug_assertions) {
    2 << 10
} else {
    16 << 10
};

/// Between two looks of the monitor: a stuck worker's tasks wait for one or two of them.
pub(crate) const MONITOR_TICK: Duration = Duration::from_millis(5);

/// How long a poll may last before it is reported as one that does not return: far beyond what
/// others on its thread would notice, and short enough to be seen while it lasts.
pub const POLL_MAX: Duration = Duration::from_millis(100);

/// Entries of a list that are passed, under its lock, in search of the one to report about: a
/// millisecond at most.
pub(crate) const LOOKUP_STEPS_MAX: usize = 1 << 14;

/// Looks in a row that see nothing to do before the monitor sleeps.
pub(crate) const MONITOR_QUIET_TICKS: u32 = 10;

/// Handlers that run inside each other on one stack, each on the stack of its asker: a chain of
/// asks that is deeper goes on through the queues.
pub const INLINE_DEPTH: u32 = 16;

/// Items of a reply stream that were made and not read: enough that neither side wakes the other
/// for each, few enough that a slow reader holds its actor back soon.
pub const STREAM_BUFFER: usize = 16;

/// Bytes of stack that they may take together before the next one is queued: a quarter of a small
/// stack of 256 KiB, and little of the 2 MiB that tokio's threads have by default.
pub const INLINE_STACK: usize = 64 * 1024;

/// Bytes of a message and its reply together, beyond which an ask is always queued: on the asker's
/// stack both would be copied from frame to frame.
pub const INLINE_BYTES: usize = 2048;

/// The longest that a handler may take, until its first await, to run on its asker's stack: less
/// than what the wake-up costs that it saves.
pub const INLINE_RUN_MAX: Duration = Duration::from_micros(5);

/// A handler that took longer is queued for so many times as long, so that trying again costs a
/// thousandth of the time at most.
pub(crate) const INLINE_PAUSE: u32 = 1024;

/// And for no longer than this: the clock of the pauses must not overflow, and programs change.
pub(crate) const INLINE_PAUSE_MAX: Duration = Duration::from_secs(3600);

/// Parts of the table of who waits for whom, each with a lock of its own: far more than threads
/// meet there at a time.
pub(crate) const WAIT_SHARDS: usize = if cfg!(greenroom_loom) { 2 } else { 64 };

/// Waiters that a part of that table keeps room for when it is empty.
pub(crate) const WAITS_KEPT: usize = 1024;

/// Most waits of a circle that is found as its last wait begins: longer ones are found a little
/// later, so that a request costs no more than this many looks.
pub const WAIT_HOPS: usize = 16;

/// Most waits that are looked at for it, however many each handler has.
pub(crate) const WAIT_LOOKS: usize = 64;

/// Between two looks at all waits: a circle stands for two of them at most before it is found.
pub(crate) const WAIT_TICK: Duration = Duration::from_millis(250);

/// Handlers of one actor that are suspended side by side: as many as four default mailboxes hold,
/// and few enough that what each wake looks through is small. At the bound the next message waits.
pub const REENTRANT_MAX: usize = 256;

/// Undelivered messages that a thread reports one inside the other, because a hook on them has sent
/// what was not delivered either: enough for letters to letters, and little of a stack.
pub const UNDELIVERED_DEPTH: u32 = 4;

/// Changes of a group that one who follows it has not read: a burst of that many members comes and
/// goes unharmed, and who never reads keeps little.
pub const GROUP_CHANGES: usize = 256;

/// Messages that a topic keeps for a subscriber which is slower than its publishers, unless the
/// subscription says otherwise: as many as a mailbox holds.
pub const TOPIC_BUFFER: usize = 64;

/// Most messages that a subscription may be given room for; as for mailboxes.
pub const TOPIC_BUFFER_MAX: usize = MAILBOX_MAX;

/// Entries that ended subscriptions have left in an actor's mailbox, from which on it is subscribed
/// only with room for more messages than these. It passes over them when it comes to them, so that
/// many are those of one that is stuck, and is subscribed in a loop.
pub const TOPIC_STRAYS_MAX: usize = 256 * TOPIC_BUFFER;

/// Entries of a world that lie flat: beyond it the first write after a fork, which counts each of
/// them, costs more than a path of the persistent map.
pub const WORLD_FLAT: usize = 16;

/// Timers of one world at a time, those of all its actors: some for each of many thousand actors.
/// One that sets them without end, in a world whose clock stands still, is noticed at some dozens
/// of MiB.
pub const WORLD_TIMERS_MAX: usize = 1 << 18;

/// How often an actor of a world is asked for its state, where that panics as it is cloned: once
/// more than it takes to have it resumed, or to find that it has ended.
pub const COLLECT_TRIES: usize = 3;

/// Steps of a program in a world, from savepoint to savepoint, before other tasks have their turn:
/// they take about as long as a batch of small messages.
pub const SITES_PER_TURN: usize = 256;

/// Timers of one actor at a time, with those that were cancelled while their notice was queued. An
/// actor that times out each of its sessions is far below; one that leaks timers is soon there.
pub const TIMERS_MAX: usize = 1 << 16;

/// Messages that an actor has put aside at a time: enough for what comes while it connects or
/// loads, few enough that an actor which never takes them up again is noticed soon.
pub const STASH_MAX: usize = 1024;

/// Actors that an ask is forwarded to, one by the other: more than a router behind a router needs,
/// and soon reached by one that goes in a circle.
pub const FORWARDS_MAX: usize = 16;

/// Looks at an actor within its idle timeout: so it comes late by an eighth of it at most, and no
/// message pays for it.
pub const IDLE_LOOKS: u32 = 8;

/// Timers that ring before their driver lets others run: as many as a handler's budget.
pub(crate) const ALARMS_PER_POLL: usize = 128;

/// Savepoints that an `async` function in a world may come to: a fork runs all of them again, and
/// each costs about as much as a small message.
pub const REPLAY_SITES: usize = 1 << 14;

/// How long a shutdown waits for actors that it has killed: those at an await are gone at once, and
/// for those in a poll that does not return there is no use in waiting.
pub const KILL_WAIT: Duration = Duration::from_secs(1);

/// The pause between two looks at actors that are to come to rest: it doubles from a millisecond up
/// to this, which nobody who waits for a whole runtime notices.
pub const QUIESCE_LOOK_MAX: Duration = Duration::from_millis(32);

/// Actors of one runtime with a thread of their own: as many as tokio has threads for blocking
/// jobs, and few enough that a process of several runtimes stays below what systems allow.
pub const OWN_THREADS_MAX: usize = 512;

/// Levels of a value in a remote message: far more than types that people write have, and so few
/// that who decodes them keeps to a small part of its stack.
pub const PAYLOAD_NESTING_MAX: u32 = 64;

/// Bytes of the blocks that small payloads are cut from: some dozens of messages each, and little
/// that a payload which is kept for long keeps beside itself.
#[cfg(feature = "remote")]
pub(crate) const PAYLOAD_BLOCK_BYTES: usize = 8 << 10;
