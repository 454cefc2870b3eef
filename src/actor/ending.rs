//! The end of an actor: decided once, announced once, waited for by any number.
//!
//! The reason is decided before anything of the actor goes, so that who is refused meanwhile
//! learns it; it is announced when everything has gone.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::{Context, Poll, Waker};

use super::exit::ExitReason;
use crate::contain::contain;

#[derive(Debug)]
pub(super) struct Ending {
    reason: OnceLock<ExitReason>,
    waiters: Mutex<Waiters>,
}

#[derive(Debug, Default)]
struct Waiters {
    announced: bool,
    /// Few actors are waited for: the others hold a word for it.
    crowd: Option<Box<Crowd>>,
}

#[derive(Debug, Default)]
struct Crowd {
    next: u64,
    wakers: BTreeMap<u64, Waker>,
}

impl Ending {
    pub(super) fn new() -> Self {
        Self {
            reason: OnceLock::new(),
            waiters: Mutex::default(),
        }
    }

    /// No user code runs under this lock.
    fn waiters(&self) -> MutexGuard<'_, Waiters> {
        self.waiters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The reason, once it is decided.
    pub(super) fn decided(&self) -> Option<&ExitReason> {
        self.reason.get()
    }

    /// The reason, once it is announced.
    pub(super) fn announced(&self) -> Option<&ExitReason> {
        self.reason.get().filter(|_| self.waiters().announced)
    }

    pub(super) fn decide(&self, reason: ExitReason) {
        // The first decision stands; the run-right holder makes it once.
        let _ = self.reason.set(reason);
    }

    /// Wakes all who wait. A waker that panics keeps nobody asleep.
    pub(super) fn announce(&self) {
        let crowd = {
            let mut waiters = self.waiters();
            waiters.announced = true;
            waiters.crowd.take()
        };
        let wakers = crowd.map(|crowd| crowd.wakers).unwrap_or_default();
        for waker in wakers.into_values() {
            contain(|| waker.wake());
        }
    }

    /// Waits for the announcement.
    pub(super) fn wait(&self) -> Wait<'_> {
        Wait {
            ending: self,
            key: None,
        }
    }
}

/// Waits for an announcement.
pub(super) struct Wait<'a> {
    ending: &'a Ending,
    /// Under which the waker stands in the map.
    key: Option<u64>,
}

impl Future for Wait<'_> {
    type Output = ExitReason;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<ExitReason> {
        let waker = cx.waker().clone();
        let ending = self.ending;
        let mut waiters = ending.waiters();
        if waiters.announced {
            drop(waiters);
            let reason = ending.reason.get().expect("what is announced was decided");
            return Poll::Ready(reason.clone());
        }
        let crowd = waiters.crowd.get_or_insert_default();
        let key = *self.key.get_or_insert_with(|| {
            crowd.next += 1;
            crowd.next
        });
        let old = crowd.wakers.insert(key, waker);
        drop(waiters);
        contain(|| drop(old));
        Poll::Pending
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        let Some(key) = self.key else { return };
        let mut waiters = self.ending.waiters();
        let waker = waiters
            .crowd
            .as_mut()
            .and_then(|crowd| crowd.wakers.remove(&key));
        drop(waiters);
        contain(|| drop(waker));
    }
}
