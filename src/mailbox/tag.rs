//! What a message asks of its mailbox, beside a slot.

/// Which messages are taken first. Within a lane the order of acceptance holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lane {
    /// Before all others, at most [`URGENT_IN_A_ROW`](crate::limits::URGENT_IN_A_ROW) in a row.
    Urgent,
    /// By default.
    Normal,
    /// When nothing else waits, and one in
    /// [`BACKGROUND_MESSAGES`](crate::limits::BACKGROUND_MESSAGES) at least.
    Background,
    /// Before all others: what its actor had put aside, and takes up again. No sender has it.
    Returned,
}

/// What becomes of a message that does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    /// Its sender waits.
    Wait,
    /// It is handed back.
    Reject,
    /// It is dropped.
    DropNewest,
    /// The oldest message of this kind is dropped; if there is none, this one.
    DropOldest,
    /// Takes the place of the message with the same key, also in a mailbox that has room. If there
    /// is none, its sender waits.
    Latest,
}

/// What a message asks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag {
    pub(crate) lane: Lane,
    pub(crate) overflow: Overflow,
    /// What it counts against a byte bound.
    pub(crate) bytes: usize,
    /// Which messages replace each other, if the overflow is `Latest`.
    pub(crate) key: u128,
}

impl Tag {
    /// A message in the normal lane that weighs nothing.
    pub(crate) const fn plain(overflow: Overflow) -> Self {
        Self {
            lane: Lane::Normal,
            overflow,
            bytes: 0,
            key: 0,
        }
    }

    /// Whether it can lie in the plain queue, if it weighs nothing.
    pub(super) fn is_plain(&self) -> bool {
        self.lane == Lane::Normal && self.overflow.is_plain()
    }

    /// Whether it is that of a plain message whose sender waits.
    pub(super) fn is_default(&self) -> bool {
        self.lane == Lane::Normal && self.overflow == Overflow::Wait && self.bytes == 0
    }

    /// The key of the message that it replaces.
    pub(super) fn replaces(&self) -> Option<u128> {
        (self.overflow == Overflow::Latest).then_some(self.key)
    }

    /// Whether its sender waits where it does not fit.
    pub(crate) fn waits(&self) -> bool {
        matches!(self.overflow, Overflow::Wait | Overflow::Latest)
    }
}

impl Overflow {
    /// Whether only a message that comes to a full mailbox has to know it.
    pub(crate) const fn is_plain(self) -> bool {
        matches!(self, Self::Wait | Self::Reject | Self::DropNewest)
    }
}
