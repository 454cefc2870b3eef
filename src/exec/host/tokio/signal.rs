//! How pumps are woken.
//!
//! A wake from within a tokio worker puts the pump into that worker's LIFO slot, which no other
//! worker can steal from, and wakes no thread. So from within a task the slot's *bump* is woken
//! right after it: a task that does nothing, but pushes the pump out to where it can be stolen,
//! and has tokio look for a worker that is idle. Wakes by the driver, between tasks, go without:
//! there the worker is about to run what it found.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use super::shared::Shared;
use crate::sync::Mutex;

/// The wakers of one slot.
#[derive(Debug, Default)]
pub(super) struct Signal {
    pump: Mutex<Option<Waker>>,
    bump: Mutex<Option<Waker>>,
}

impl Signal {
    pub(super) fn set_pump(&self, waker: Option<Waker>) {
        let old = std::mem::replace(&mut *self.pump.lock(), waker);
        drop(old);
    }

    pub(super) fn set_bump(&self, waker: Option<Waker>) {
        let old = std::mem::replace(&mut *self.bump.lock(), waker);
        drop(old);
    }

    pub(super) fn has_bump(&self) -> bool {
        self.bump.lock().is_some()
    }

    /// Wakes the pump. A pump without a waker has not been polled yet, so it will be.
    pub(super) fn wake(&self) {
        wake(&self.pump);
        if tokio::task::try_id().is_some() {
            wake(&self.bump);
        }
    }
}

/// Wakes outside of the lock: a waker is foreign code.
fn wake(waker: &Mutex<Option<Waker>>) {
    let waker = waker.lock().clone();
    if let Some(waker) = waker {
        waker.wake();
    }
}

/// The task that a slot's bump is. It keeps nothing once it has left its waker.
pub(super) struct Bump(Option<(Arc<Shared>, usize)>);

impl Bump {
    pub(super) fn new(shared: &Arc<Shared>, slot: usize) -> Self {
        Self(Some((Arc::clone(shared), slot)))
    }
}

impl Future for Bump {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        if let Some((shared, slot)) = self.0.take() {
            if shared.has_ended() {
                return Poll::Ready(());
            }
            shared.signal(slot).set_bump(Some(cx.waker().clone()));
        }
        Poll::Pending
    }
}
