//! Who waits for room: someone with an ask, someone with a tell.

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wanted {
    ask: bool,
    tell: bool,
}

impl Wanted {
    /// One more was refused.
    pub(super) fn note(&mut self, is_ask: bool) {
        *(if is_ask {
            &mut self.ask
        } else {
            &mut self.tell
        }) = true;
    }

    /// Whether one who waits has room now.
    #[inline]
    pub(super) fn may_grant(&self, has_room: impl Fn(bool) -> bool) -> bool {
        (self.ask && has_room(true)) || (self.tell && has_room(false))
    }

    /// The same; all who wait are told then, and wait no more.
    #[inline]
    pub(super) fn grant(&mut self, has_room: impl Fn(bool) -> bool) -> bool {
        let grants = self.may_grant(has_room);
        if grants {
            *self = Self::default();
        }
        grants
    }
}
