//! What a message asks of its actor's mailbox, and what is dropped there.

use std::any::TypeId;
use std::hash::{BuildHasher, DefaultHasher, Hash, Hasher, RandomState};
use std::ptr::NonNull;
use std::sync::LazyLock;

use super::cell::Head;
use super::envelope::Entry;
use super::traits::Handler;
use super::undelivered::UndeliveredReason;
use crate::mailbox::{Discard, Lane, Overflow, Tag};

/// What was chosen for an `M` to an `A` that does not fit.
const fn overflow<A: Handler<M>, M: Send + 'static>() -> Overflow {
    match A::OVERFLOW {
        Some(chosen) => chosen,
        None => A::OPTIONS.overflow,
    }
}

/// Whether the mailbox's plain way in takes an `M` to an `A`, where it has room.
pub(super) const fn is_plain<A: Handler<M>, M: Send + 'static>() -> bool {
    matches!(A::LANE, Lane::Normal) && overflow::<A, M>().is_plain() && !A::WEIGHS
}

/// What this message asks of the mailbox. User code.
pub(super) fn tag<A: Handler<M>, M: Send + 'static>(message: &M) -> Tag {
    let mut tag = Tag::plain(const { overflow::<A, M>() });
    tag.lane = A::LANE;
    if A::WEIGHS {
        tag.bytes = A::weigh(message);
    }
    if tag.overflow == Overflow::Latest {
        tag.key = key::<A, M>(message);
    }
    tag
}

/// Message type and key.
fn key<A: Handler<M>, M: Send + 'static>(message: &M) -> u128 {
    wide(|state| {
        TypeId::of::<M>().hash(state);
        A::key(message, state);
    })
}

/// A value as a key.
pub(super) fn hashed(value: &impl Hash) -> u128 {
    wide(|state| value.hash(state))
}

/// Hashes so wide that no two are ever the same by chance, and under keys of this process, so that
/// nobody can make them the same.
fn wide(hash: impl Fn(&mut DefaultHasher)) -> u128 {
    static STATES: LazyLock<[RandomState; 2]> = LazyLock::new(Default::default);
    let [high, low] = [0, 1].map(|half: usize| {
        let mut state = STATES[half].build_hasher();
        hash(&mut state);
        u128::from(state.finish())
    });
    high << 64 | low
}

/// What becomes of messages that a mailbox drops.
pub(super) struct Overflowed<'a>(pub(super) &'a Head);

impl Discard for Overflowed<'_> {
    // SAFETY: as the trait's; the envelope is of this actor's mailbox.
    unsafe fn discard(&self, envelope: NonNull<u8>) {
        // SAFETY: E1; the caller.
        unsafe { Entry::of(envelope).discard(envelope, self.0, &UndeliveredReason::Overflow) };
    }
}
