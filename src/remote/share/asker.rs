//! Who waits for something that stands under the lock.

use std::mem;
use std::task::{Poll, Waker};

use super::{Inner, Shared};

/// Who polls. Its waker is code of others: it is cloned before the lock is taken, and the one that
/// it replaces is dropped after.
pub(in crate::remote) struct Asker<'a> {
    waker: &'a Waker,
    /// A clone; later what it has replaced.
    spare: Option<Waker>,
    is_kept: bool,
}

impl Asker<'_> {
    /// Keeps the waker there, if a clone of it is at hand.
    pub(super) fn keep(&mut self, kept: &mut Option<Waker>) {
        self.is_kept = match kept {
            Some(kept) if kept.will_wake(self.waker) => true,
            _ if self.spare.is_some() => {
                mem::swap(kept, &mut self.spare);
                true
            }
            _ => false,
        };
    }
}

impl Shared {
    /// Looks for something. While it is not there, `look` has the waker kept.
    pub(in crate::remote) fn poll<T>(
        &self,
        waker: &Waker,
        look: impl Fn(&mut Inner, &mut Asker<'_>) -> Option<T>,
    ) -> Poll<T> {
        let mut asker = Asker {
            waker,
            spare: None,
            is_kept: false,
        };
        loop {
            match self.with(|inner, _| look(inner, &mut asker)) {
                Some(found) => return Poll::Ready(found),
                None if asker.is_kept => return Poll::Pending,
                None => asker.spare = Some(waker.clone()),
            }
        }
    }
}
