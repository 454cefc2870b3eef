//! How large handlers and messages of an actor are, as its type says.

use super::context::Context;
use super::envelope::Envelope;
use crate::limits::{ROOM_BYTES_MAX, SLOT_BYTES_MAX};
use crate::mailbox::{SLOT_ALIGN, Stride};

/// The largest suspended handler that a cell keeps room for.
#[derive(Clone, Copy, Debug)]
pub struct Room(pub(super) usize);

impl Room {
    /// No room.
    pub const NONE: Self = Self(0);

    /// Room for a `T`.
    pub(super) const fn of<T>() -> Self {
        Self(size_of::<T>())
    }

    /// Room for what `handle` returns too, if that is not too large for any room.
    #[must_use]
    pub const fn fit<A: 'static, M, F, Fut>(self, _handle: &F) -> Self
    where
        F: FnOnce(&'static mut A, M, &'static mut Context<A>) -> Fut,
    {
        let size = size_of::<Fut>();
        if size > self.0 && size <= ROOM_BYTES_MAX {
            Self(size)
        } else {
            self
        }
    }
}

/// The largest message that a mailbox slot takes without a box.
#[derive(Clone, Copy, Debug)]
pub struct Slot(usize);

impl Slot {
    /// Room for a boxed message.
    pub const NONE: Self = Self(size_of::<Envelope<usize>>());

    /// Room for an `M` too, if that is not too large for any slot.
    #[must_use]
    pub const fn fit<M>(self) -> Self {
        let size = size_of::<Envelope<M>>();
        let fits = size <= SLOT_BYTES_MAX && align_of::<Envelope<M>>() <= SLOT_ALIGN;
        if fits && size > self.0 {
            Self(size)
        } else {
            self
        }
    }

    pub(super) const fn stride(self) -> Stride {
        Stride::new(self.0)
    }
}
