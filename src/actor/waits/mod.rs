//! Who waits for whom: what a request that a handler polls tells the others while it waits.
//!
//! # What a wait is
//!
//! A handler of X *waits* for Y from when a request to Y that was polled in X's own poll goes
//! pending, until it is answered (a tell: accepted), dropped, or the handler ends. Requests that
//! run inline to their end, and those that tasks poll, leave no trace here.
//!
//! Who polls is what [`Running::of_thread`] says: a request that a handler has spawned is its
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
//!
//! # Handlers that run beside others
//!
//! Each is a node of its own, and so is the actor itself, for whom it waits who waits for a message
//! that no handler has. While a message is kept back until those that are suspended are done, the
//! actor waits for each of them (`gate`). So a circle through the actor is one only if the message
//! can't be let in.

mod deadlock;
mod scanner;

use std::sync::LazyLock;
use std::task::Waker;

pub use deadlock::{Deadlock, Hop};

use super::cell::Head;
use super::running::Running;
use crate::contain::contain;
use crate::edges::{Closed, Edge, Edges, Key, Look, Probe, node};
use crate::reply::Left;
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
    pub(super) fn foresee(self, errand: Errand<'_>, is_reentrant: bool) -> Option<Deadlock> {
        if self != Self::Fail {
            return None;
        }
        waiter(|running| {
            if std::ptr::eq(running.head(), errand.target) || errand.target.has_waited() {
                return foresee(running, errand, is_reentrant);
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
        waiter(|running| unsafe { self.begin(running, watch, errand, probe, waker) })
    }

    /// # Safety
    ///
    /// - As [`Wait::pending`].
    #[inline(never)]
    unsafe fn begin(
        &mut self,
        running: Running,
        watch: Watch,
        errand: Errand<'_>,
        probe: Probe,
        waker: &Waker,
    ) -> Option<Deadlock> {
        let head = running.head();
        if !head.header().scheduler().is_around() {
            return None;
        }
        let (waiter, target) = (node_of(running), errand.target.id().as_u64());
        // Who waits for this handler is to be seen to do so.
        running.note_number();
        let edge = Edge {
            target,
            label: Hop::new(head.identity(), running.handles(), errand.message),
            probe,
            waker: waker.clone(),
            is_limited: watch == Watch::Tell,
        };
        head.set_waited(true);
        // SAFETY: the request waits, and the caller ends this before the probe's end.
        let key = unsafe { EDGES.insert(waiter, edge) };
        self.0 = Some(key);
        scanner::attend();
        if !std::ptr::eq(head, errand.target) && !errand.target.has_waited() {
            return None;
        }
        match EDGES.closed_by(key)? {
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
        let is_own = waiter(|running| Some(node_of(running) == key.waiter)).unwrap_or(false);
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
fn foresee(running: Running, errand: Errand<'_>, is_reentrant: bool) -> Option<Deadlock> {
    let head = running.head();
    if !head.header().scheduler().is_around() {
        return None;
    }
    let (waiter, target) = (node_of(running), errand.target.id().as_u64());
    let hop = || Hop::new(head.identity(), running.handles(), errand.message);
    if std::ptr::eq(head, errand.target) && !is_reentrant {
        // It could not run before this handler is done.
        return Some(Deadlock::new([hop()].into()));
    }
    EDGES.foresee(waiter, target, hop).map(Deadlock::new)
}

/// The node of the handler or hook that runs.
fn node_of(running: Running) -> u64 {
    node(running.head().id().as_u64(), running.number())
}

/// Whether a request that is polled here and now may be a wait that others see.
#[inline]
pub(super) fn is_seen() -> bool {
    Head::with_current(|_| ()).is_some()
}

/// Passes on the actor whose handler, or hook, this thread runs.
#[inline]
fn waiter<R>(f: impl FnOnce(Running) -> Option<R>) -> Option<R> {
    Running::of_thread().and_then(f)
}

/// A handler or hook of the actor has ended: what it had polled, it does not wait for.
#[inline]
pub(super) fn end(running: Running) {
    if running.head().has_waited() {
        forget(running);
    }
}

#[cold]
fn forget(running: Running) {
    if !running.is_beside() {
        running.head().set_waited(false);
    }
    EDGES.forget(node_of(running));
}

/// The same, of all that are suspended, and what they keep back is kept no longer.
pub(super) fn end_all(running: Running) {
    if running.head().has_waited() {
        for number in running.numbers() {
            EDGES.forget(node(running.head().id().as_u64(), number));
        }
        ungate(running);
        forget(running);
    }
}

/// None is suspended any more.
pub(super) fn dissolve(running: Running) {
    running.head().set_waited(false);
}

/// A message is kept back until those that are suspended are done.
///
/// # Safety
///
/// - `left` is of its own way back. Before that goes, [`ungate`] is called, or [`end_all`].
#[cold]
pub(super) unsafe fn gate(
    running: Running,
    message: fn() -> &'static str,
    left: Option<Left>,
    is_limited: bool,
) {
    let head = running.head();
    let id = head.id().as_u64();
    head.set_waited(true);
    let edges = running.numbers().into_iter().map(|number| {
        let edge = Edge {
            target: node(id, number),
            label: Hop::new(head.identity(), None, message),
            probe: Probe::Held(left),
            waker: Waker::noop().clone(),
            is_limited,
        };
        // SAFETY: the caller.
        unsafe { EDGES.insert(id, edge) }
    });
    let keys: Vec<_> = edges.collect();
    scanner::attend();
    for key in keys {
        EDGES.close_gate(key);
    }
}

/// It is kept back no longer.
pub(super) fn ungate(running: Running) {
    EDGES.forget(running.head().id().as_u64());
}

/// Tells of a circle that is left to end by itself.
fn tell(circle: &Deadlock) {
    // Subscribers are user code.
    contain(|| trace::circle(circle));
}
