//! What is allowed all the same, and why. An entry that is no longer needed fails its rule.

use super::verdict::Excuse;

const fn excuse(key: &'static str, why: &'static str) -> Excuse {
    Excuse { key, why }
}

/// Imports against the floors, by `path: crate::module`.
pub(super) const IMPORTS: &[Excuse] = &[];

/// Files longer than the limit, by path.
pub(super) const LONG_FILES: &[Excuse] = &[];

/// Files with lines wider than the limit, by path.
pub(super) const WIDE_FILES: &[Excuse] = &[
    excuse(
        "src/guarantees.rs",
        "a row of a table is one line, and names a test",
    ),
    excuse("src/guarantees/life.rs", "as above"),
    excuse("src/supervise/mod.rs", "as above"),
    excuse("src/world/mod.rs", "as above"),
];

/// Functions longer than the limit, by `path: fn name`.
pub(super) const LONG_FUNCTIONS: &[Excuse] = &[];

/// Tests with names that are no claims, by `path: fn name`.
pub(super) const TEST_NAMES: &[Excuse] = &[excuse(
    "tests/ui/fail/test_twice.rs: fn works",
    "the mistake that it shows is another",
)];

/// Files that say `unsafe`, by path.
pub(super) const UNSAFE_FILES: &[Excuse] = &[
    excuse(
        "benches/peers/src/allocations.rs",
        "an allocator that counts",
    ),
    excuse(
        "src/actor/activation.rs",
        "takes the run right, and opens slots (C1, E1)",
    ),
    excuse(
        "src/actor/activation/beside.rs",
        "opens slots, and keeps one of them (E1, D1)",
    ),
    excuse(
        "src/actor/ask_recipient/ask.rs",
        "calls the way of its own target's type",
    ),
    excuse(
        "src/actor/ask_recipient/way.rs",
        "knows the type of an ask's target again",
    ),
    excuse("src/actor/attach.rs", "lends what its count reaches (C5)"),
    excuse(
        "src/actor/builder/place.rs",
        "undoes a spawn that was refused",
    ),
    excuse(
        "src/actor/cause.rs",
        "closes a cell that its caller has a count of",
    ),
    excuse("src/actor/cell.rs", "an actor's one allocation (C1 to C5)"),
    excuse(
        "src/actor/context.rs",
        "reaches the cell that it has a count of",
    ),
    excuse(
        "src/actor/delegated.rs",
        "answers by an end whose slot's type it has lost (J1)",
    ),
    excuse("src/actor/enqueue.rs", "pins one field"),
    excuse("src/actor/enqueue/near.rs", "reads reply slots (E2)"),
    excuse("src/actor/envelope.rs", "messages as bytes (E1, E2)"),
    excuse(
        "src/actor/envelope/forwarded.rs",
        "answers by an end whose slot's type it knows (E2)",
    ),
    excuse("src/actor/envelope/returned.rs", "messages as bytes (E1)"),
    excuse(
        "src/actor/envelope/answer.rs",
        "answers by an end whose slot's type it knows (E2, E3)",
    ),
    excuse("src/actor/envelope/notice.rs", "notices as bytes (E1)"),
    excuse("src/actor/envelope/parcel.rs", "messages as bytes (E1)"),
    excuse("src/actor/envelope/visit.rs", "messages as bytes (E1)"),
    excuse(
        "src/actor/envelope/parcel.rs",
        "messages as bytes, with their senders (E1)",
    ),
    excuse(
        "src/actor/fan_out/crowd.rs",
        "pins the parts of a slice that is pinned",
    ),
    excuse(
        "src/actor/forward.rs",
        "answers by an end whose slot's type it knows (E2)",
    ),
    excuse(
        "src/actor/inline.rs",
        "takes the run right, and lends a place on its stack (C1, E2, E3)",
    ),
    excuse(
        "src/actor/landing.rs",
        "writes to the stack of an inline run's asker (E2, E3)",
    ),
    excuse(
        "src/actor/local.rs",
        "pins one field, and reads reply slots (E2)",
    ),
    excuse(
        "src/actor/local/parts.rs",
        "says that a request waits while it keeps its reply slot (D1)",
    ),
    excuse(
        "src/actor/origin.rs",
        "reaches the cell that it has a count of",
    ),
    excuse(
        "src/actor/permit.rs",
        "makes replies of slots that it made (E2)",
    ),
    excuse("src/actor/request.rs", "pins one field"),
    excuse(
        "src/actor/running.rs",
        "erases the lifetimes of what a handler borrows (C1, C3)",
    ),
    excuse(
        "src/actor/control.rs",
        "signals a cell that its handle has a count of (C5)",
    ),
    excuse(
        "src/actor/judgement.rs",
        "rests, and calls a hook, when there is no task (C1, C4)",
    ),
    excuse(
        "src/actor/one_thread.rs",
        "keeps what is not `Send` on its thread (T1, T2)",
    ),
    excuse(
        "src/actor/estate.rs",
        "moves the state out of the cell that it claims (C4)",
    ),
    excuse(
        "src/actor/life.rs",
        "builds states in stages without one (C4)",
    ),
    excuse("src/actor/panics.rs", "lends the state to a hook (C1, C4)"),
    excuse(
        "src/actor/running/states.rs",
        "puts states in place, and drops them there (C4)",
    ),
    excuse(
        "src/actor/running/crowd.rs",
        "the cell's task where there are several (C1, C3, C6)",
    ),
    excuse(
        "src/actor/running/task.rs",
        "places futures beside the state that they borrow, and polls and drops them there (C3)",
    ),
    excuse(
        "src/actor/policy.rs",
        "discards what a mailbox dropped (E1)",
    ),
    excuse(
        "src/actor/activation/by_hand.rs",
        "opens slots of its own actor's mailbox (E1)",
    ),
    excuse(
        "src/actor/envelope/lifted.rs",
        "moves messages out, and knows the ways back (E1, E2)",
    ),
    excuse("src/actor/sending.rs", "keeps a waiter in place (S1)"),
    excuse(
        "src/actor/slots.rs",
        "keeps a waiter in place, and holds slots (V1, V2)",
    ),
    excuse("src/actor/strong.rs", "counts handles (C5)"),
    excuse(
        "src/actor/tell_all/rest.rs",
        "moves sealed messages in (E1)",
    ),
    excuse(
        "src/actor/waits/mod.rs",
        "tells the table of waits what requests keep (D1)",
    ),
    excuse(
        "src/actor/way.rs",
        "answers by an end whose slot's type it knows (E2)",
    ),
    excuse("src/actor/weak.rs", "upgrades what it has a count of (C5)"),
    excuse("src/edges/loom.rs", "models put edges in and take them out"),
    excuse(
        "src/edges/mod.rs",
        "reads what requests keep while their edges stand (D1, D2)",
    ),
    excuse(
        "src/edges/shard.rs",
        "reads what requests keep while their edges stand (D1, D2)",
    ),
    excuse("src/edges/tests.rs", "tests put edges in"),
    excuse("src/edges/tests/gates.rs", "tests put edges in"),
    excuse(
        "src/exec/core/pick.rs",
        "entries of rings are counts of units",
    ),
    excuse(
        "src/exec/host/tokio/context.rs",
        "what a pump leaves for its thread",
    ),
    excuse("src/exec/injector.rs", "a chain through the units' headers"),
    excuse("src/exec/owned.rs", "a list through the units' headers"),
    excuse(
        "src/exec/slot.rs",
        "the LIFO word and ring entries are counts of units",
    ),
    excuse(
        "src/mailbox/after.rs",
        "takes dropped messages apart (N1, N2)",
    ),
    excuse(
        "src/mailbox/annex.rs",
        "lists of nodes by lane, age and key (A1)",
    ),
    excuse(
        "src/mailbox/consumer.rs",
        "takes nodes out of the annex (A1)",
    ),
    excuse("src/mailbox/line.rs", "takes waiters' envelopes (W2)"),
    excuse("src/mailbox/loom.rs", "models race for the run right"),
    excuse(
        "src/mailbox/mod.rs",
        "envelopes of bytes between senders and the consumer (Q1, Q2)",
    ),
    excuse(
        "src/mailbox/model.rs",
        "steps send notices and fill slots as bytes",
    ),
    excuse("src/mailbox/node.rs", "nodes with room for bytes (N1, N2)"),
    excuse("src/mailbox/push.rs", "takes envelopes as bytes (Q1, Q2)"),
    excuse("src/mailbox/queue.rs", "blocks of byte slots (Q1, Q2)"),
    excuse(
        "src/mailbox/reserve.rs",
        "takes envelopes as bytes, and waiters (W3)",
    ),
    excuse(
        "src/mailbox/testing.rs",
        "tests and models send and take words as bytes",
    ),
    excuse("src/mailbox/tests.rs", "tests send notices as bytes"),
    excuse("src/mailbox/tests/lanes.rs", "as above"),
    excuse("src/mailbox/tests/overflow.rs", "as above"),
    excuse(
        "src/mailbox/tests/reserve.rs",
        "tests fill slots with bytes",
    ),
    excuse(
        "src/mailbox/waiter.rs",
        "waiter nodes linked in place (W1 to W3)",
    ),
    excuse(
        "src/mailbox/waiter/probe.rs",
        "reads a waiter's phase for others (W1)",
    ),
    excuse("src/pool.rs", "raw blocks, reused by size (P1)"),
    excuse("src/reply.rs", "a slot that two ends share (R1)"),
    excuse("src/reply/early.rs", "ends that go before their time (R1)"),
    excuse(
        "src/reply/watch.rs",
        "who watches for a receiver's leaving (R1)",
    ),
    excuse("src/reply/receiver.rs", "the waiting end of a slot (R1)"),
    excuse("src/reply/loom.rs", "models race the two ends of a slot"),
    excuse("src/reply/tests.rs", "tests hold the two ends of a slot"),
    excuse("src/task/cell.rs", "a task's allocation (C1 to C3)"),
    excuse("src/task/current.rs", "the unit that the thread runs (N1)"),
    excuse(
        "src/task/join.rs",
        "the handle's half of the join waker's protocol (J1 to J4)",
    ),
    excuse(
        "src/task/run.rs",
        "the runner's half of the join waker's protocol (J1 to J4)",
    ),
    excuse(
        "src/task/tests/panic.rs",
        "a waker whose clone and drop panic",
    ),
    excuse("src/task/trunk.rs", "the join waker's field (J1 to J4)"),
    excuse(
        "src/task/unit.rs",
        "counted headers behind raw pointers, and the wakers made of them (U1 to U4)",
    ),
    excuse(
        "tests/integration/hooked.rs",
        "a waker that calls back when it is cloned or dropped has a table of its own",
    ),
    excuse("tests/integration/allocator.rs", "an allocator that counts"),
    excuse(
        "tests/ui/fail/unsafe_method.rs",
        "the mistake that it shows",
    ),
];

/// Silenced warnings and tests, by `path: attribute`.
pub(super) const ATTRIBUTES: &[Excuse] = &[
    excuse(
        "tests/ui.rs: dead_code",
        "whole programs stand in it as modules",
    ),
    excuse(
        "tests/ui/pass/acc_16_strict_module.rs: dead_code",
        "an actor that nobody spawns is what the strictest user may write",
    ),
];

/// Tests in which time itself is what is tested, by path.
pub(super) const SLEEPS: &[Excuse] = &[
    excuse(
        "tests/integration/actor/inline/askers.rs",
        "a handler that sleeps is what is tested",
    ),
    excuse(
        "tests/integration/actor/timers/mod.rs",
        "a paused clock jumps over it",
    ),
    excuse(
        "tests/integration/supervise/scene.rs",
        "a paused clock jumps over it",
    ),
    excuse("src/exec/builder/tests.rs", "a paused clock jumps over it"),
    excuse(
        "src/exec/host/tokio/place.rs",
        "a wake by the timer's driver is what is told apart",
    ),
    excuse(
        "tests/integration/exec/parting.rs",
        "a timer is made, and not waited for, while a runtime ends",
    ),
    excuse(
        "tests/integration/exec/shutdown.rs",
        "a timer is left behind by a panic",
    ),
    excuse(
        "tests/integration/exec/spawn.rs",
        "timers wake tasks, and a paused clock jumps over them",
    ),
];

/// Files that no `mod` line reaches, by path.
pub(super) const ORPHANS: &[Excuse] = &[];
