//! Between the cell of a stub and who answers for it.

use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use crate::actor::envelope::Lifted;
use crate::contain::contain;
use crate::sync::Mutex;

/// Where one message lies that was taken out and not taken over. No user code runs under the lock.
#[derive(Default)]
pub(super) struct Desk(Mutex<Place>);

#[derive(Default)]
struct Place {
    message: Option<Lifted>,
    is_wanted: bool,
    is_closed: bool,
    waker: Option<Waker>,
}

impl Desk {
    /// The next message, or `None` when there will be no other. `notify` has the cell look.
    pub(super) fn poll(&self, cx: &mut Context<'_>, notify: impl FnOnce()) -> Poll<Option<Lifted>> {
        let waker = cx.waker().clone();
        let mut place = self.0.lock();
        if let Some(message) = place.message.take() {
            place.is_wanted = false;
            drop(place);
            // It may be the last that an end waits for.
            notify();
            return Poll::Ready(Some(message));
        }
        if place.is_closed {
            return Poll::Ready(None);
        }
        place.is_wanted = true;
        let old = place.waker.replace(waker);
        drop(place);
        contain(|| drop(old));
        notify();
        Poll::Pending
    }
}

/// The cell's side of a desk. Dropped, it says that there will be no message.
pub(in crate::actor) struct Outlet(Arc<Desk>);

impl Outlet {
    pub(super) fn new(desk: &Arc<Desk>) -> Self {
        Self(Arc::clone(desk))
    }

    /// Whether the next message is to be taken out: somebody wants it, or the cell is ending.
    pub(in crate::actor) fn wants(&self, is_ending: bool) -> bool {
        let place = self.0.0.lock();
        place.message.is_none() && (place.is_wanted || is_ending)
    }

    pub(in crate::actor) fn put(&self, message: Lifted) {
        let mut place = self.0.0.lock();
        debug_assert!(place.message.is_none(), "it was wanted");
        place.message = Some(message);
        let waker = place.waker.take();
        drop(place);
        wake(waker);
    }
}

impl Drop for Outlet {
    fn drop(&mut self) {
        let mut place = self.0.0.lock();
        place.is_closed = true;
        let (left, waker) = (place.message.take(), place.waker.take());
        drop(place);
        contain(|| drop(left));
        wake(waker);
    }
}

fn wake(waker: Option<Waker>) {
    if let Some(waker) = waker {
        contain(|| waker.wake());
    }
}

impl fmt::Debug for Outlet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outlet").finish_non_exhaustive()
    }
}
