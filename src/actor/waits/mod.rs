//! Who waits for whom: what a request that a handler polls tells the others while it waits.
//!
//! # What a wait is
//!
//! A handler of X *waits* for Y from when a request to Y that was polled in X's own poll goes
//! pending, until it is answered (a tell: accepted), dropped, or the handler ends. Requests that
//! run inline to their end, and those that tasks poll, leave no trace here.
//!
//! Who polls is what [`Head::with_current`] says: a request that a handler has spawned is its
//! task's. One that moves from one poller to another takes its wait along.
//!
//! # What is found when
//!
//! - Before a request is sent, and again when its wait has begun: whether it closes a circle of at
//!   most [`WAIT_HOPS`](crate::limits::WAIT_HOPS) waits. That is looked for only if the target
//!   itself has waited since its handler began.
//! - Within a second, by a thread of the process (`scanner`): every other circle.
//!
//! Why that accuses nobody who does not wait is argued in [`crate::edges`]. Of two requests of one
//! handler, in a `select!`, each counts as a wait: inside a circle that is what an alarm says, even
//! where the other branch might end it.

mod deadlock;
mod scanner;

use std::sync::LazyLock;
use std::task::Waker;

pub use deadlock::{Deadlock, Hop};

use super::cell::Head;
use crate::contain::contain;
use crate::edges::{Closed, Edge, Edges, Key, Look, Probe};
use crate::trace;

static EDGES: LazyLock<Edges<Hop>> = LazyLock::new(Edges::new);

/// What is to be done about a circle that a request closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// The request fails.
    Fail,
    /// It has a limit of its own: circles through it end by themselves, and are told of.
    Tell,
    /// Nothing: it leaves no trace.
    Off,
}

impl Watch {
    /// Asks for less. What was asked for before stays at least.
    pub(super) fn relax(&mut self, watch: Self) {
        if *self != Self::Off {
            *self = watch;
        }
    }

    /// The circle that the request would close, were it sent.
    #[inline]
    pub(super) fn foresee(self, errand: Errand<'_>) -> Option<Deadlock> {
        if self != Self::Fail {
            return None;
        }
        waiter(|head| {
            if std::ptr::eq(head, errand.target) || errand.target.has_waited() {
                return foresee(head, errand);
            }
            None
        })
    }
}

/// To whom a request goes, and with what.
#[derive(Clone, Copy)]
pub(super) struct Errand<'a> {
    pub(super) target: &'a Head,
    pub(super) message: fn() -> &'static str,
}

/// What others can see of a request's wait. Most requests have none, and pay for none.
pub(super) struct Wait(Option<Key>);

impl Wait {
    #[inline]
    pub(super) const fn none() -> Self {
        Self(None)
    }

    /// The request is pending. Gives the circle that it closes, if it is to fail of it.
    ///
    /// # Safety
    ///
    /// - Before the request gives up what the probe reads, it calls [`Wait::end`], or drops this.
    #[inline]
    pub(super) unsafe fn pending(
        &mut self,
        watch: Watch,
        errand: Errand<'_>,
        probe: Probe,
        waker: &Waker,
    ) -> Option<Deadlock> {
        if watch == Watch::Off {
            return None;
        }
        if self.0.is_some() {
            // SAFETY: the caller.
            return unsafe { self.again(watch, errand, probe, waker) };
        }
        // SAFETY: the caller.
        waiter(|head| unsafe { self.begin(head, watch, errand, probe, waker) })
    }

    /// # Safety
    ///
    /// - As [`Wait::pending`].
    #[inline(never)]
    unsafe fn begin(
        &mut self,
        head: &Head,
        watch: Watch,
        errand: Errand<'_>,
        probe: Probe,
        waker: &Waker,
    ) -> Option<Deadlock> {
        if !head.header().scheduler().is_around() {
            return None;
        }
        let (waiter, target) = (head.id().as_u64(), errand.target.id().as_u64());
        let edge = Edge {
            target,
            label: Hop::new(head.identity(), errand.message),
            probe,
            waker: waker.clone(),
            is_limited: watch == Watch::Tell,
        };
        head.set_waited(true);
        // SAFETY: the request waits, and the caller ends this before the probe's end.
        let key = unsafe { EDGES.insert(waiter, edge) };
        self.0 = Some(key);
        scanner::attend();
        if waiter != target && !errand.target.has_waited() {
            return None;
        }
        match EDGES.closed_by(key, target)? {
            Closed::Lasting(circle) => Some(Deadlock::new(circle)),
            Closed::Limited(circle) => {
                if EDGES.tell(key) {
                    tell(&Deadlock::new(circle));
                }
                None
            }
        }
    }

    /// It is pending still.
    ///
    /// # Safety
    ///
    /// - As [`Wait::pending`].
    #[cold]
    unsafe fn again(
        &mut self,
        watch: Watch,
        errand: Errand<'_>,
        probe: Probe,
        waker: &Waker,
    ) -> Option<Deadlock> {
        let key = self.0?;
        let is_own = waiter(|head| Some(head.id().as_u64() == key.waiter)).unwrap_or(false);
        if !is_own {
            self.end();
            // SAFETY: the caller.
            return unsafe { self.pending(watch, errand, probe, waker) };
        }
        match EDGES.look(key, waker) {
            Look::Waits => None,
            Look::Closes(circle) => Some(Deadlock::new(circle)),
            Look::Gone => {
                // An earlier handler of the same actor polled it, and has ended.
                self.0 = None;
                // SAFETY: the caller.
                unsafe { self.pending(watch, errand, probe, waker) }
            }
        }
    }

    /// The request waits no more.
    #[inline]
    pub(super) fn end(&mut self) {
        if self.0.is_some() {
            self.end_now();
        }
    }

    #[cold]
    #[inline(never)]
    fn end_now(&mut self) {
        let Some(key) = self.0.take() else {
            return;
        };
        if !EDGES.remove(key) {
            // The last of its waiter's, most of the time in that one's own poll.
            Head::with_current(|head| {
                if head.id().as_u64() == key.waiter {
                    head.set_waited(false);
                }
            });
        }
    }
}

impl Drop for Wait {
    #[inline]
    fn drop(&mut self) {
        self.end();
    }
}

#[cold]
fn foresee(head: &Head, errand: Errand<'_>) -> Option<Deadlock> {
    if !head.header().scheduler().is_around() {
        return None;
    }
    let (waiter, target) = (head.id().as_u64(), errand.target.id().as_u64());
    let hop = || Hop::new(head.identity(), errand.message);
    EDGES.foresee(waiter, target, hop).map(Deadlock::new)
}

/// Whether a request that is polled here and now may be a wait that others see.
#[inline]
pub(super) fn is_seen() -> bool {
    Head::with_current(|_| ()).is_some()
}

/// Passes on the actor whose handler, or hook, this thread runs.
#[inline]
fn waiter<R>(f: impl FnOnce(&Head) -> Option<R>) -> Option<R> {
    Head::with_current(f).flatten()
}

/// A handler or hook of the actor has ended: what it had polled, it does not wait for.
#[inline]
pub(super) fn end(head: &Head) {
    if head.has_waited() {
        forget(head);
    }
}

#[cold]
fn forget(head: &Head) {
    head.set_waited(false);
    EDGES.forget(head.id().as_u64());
}

/// Tells of a circle that is left to end by itself.
fn tell(circle: &Deadlock) {
    // Subscribers are user code.
    contain(|| trace::circle(circle));
}
