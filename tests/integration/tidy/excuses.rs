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
pub(super) const WIDE_FILES: &[Excuse] = &[];

/// Functions longer than the limit, by `path: fn name`.
pub(super) const LONG_FUNCTIONS: &[Excuse] = &[];

/// Tests with names that are no claims, by `path: fn name`.
pub(super) const TEST_NAMES: &[Excuse] = &[];

/// Files that say `unsafe`, by path.
pub(super) const UNSAFE_FILES: &[Excuse] = &[
    excuse(
        "src/mailbox/loom.rs",
        "models send and take messages as bytes",
    ),
    excuse(
        "src/mailbox/mod.rs",
        "envelopes of bytes between senders and the consumer (Q1, Q2)",
    ),
    excuse("src/mailbox/queue.rs", "blocks of byte slots (Q1, Q2)"),
    excuse("src/mailbox/tests.rs", "tests send and take bytes"),
    excuse(
        "src/mailbox/waiter.rs",
        "waiter nodes linked in place (W1 to W3)",
    ),
    excuse("src/pool.rs", "raw blocks, reused by size (P1)"),
    excuse("src/reply.rs", "a slot that two ends share (R1)"),
    excuse("src/reply/loom.rs", "models race the two ends of a slot"),
    excuse("src/reply/tests.rs", "tests hold the two ends of a slot"),
    excuse(
        "src/task/unit.rs",
        "counted headers behind raw pointers, and the wakers made of them (U1 to U4)",
    ),
];

/// Silenced warnings and tests, by `path: attribute`.
pub(super) const ATTRIBUTES: &[Excuse] = &[];

/// Tests in which time itself is what is tested, by path.
pub(super) const SLEEPS: &[Excuse] = &[];

/// Files that no `mod` line reaches, by path.
pub(super) const ORPHANS: &[Excuse] = &[];
