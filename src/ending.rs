//! The end of an actor: decided once, bid farewell to, announced once, waited for by any number.
//!
//! The reason is decided before anything of the actor goes, so that who is refused meanwhile
//! learns it. When everything has gone, farewells are said in their [`Order`], and then those who
//! wait are told. No user code, and no farewell, runs under the lock.
//!
//! # Why each farewell is said exactly once, or refused
//!
//! | who registers | who ends it |
//! | --- | --- |
//! | R1: under the lock, reads the phase | E1: decides the reason |
//! | R2: if the order's turn is yet to come, adds | E2: under the lock, sets the phase, takes all |
//! | R3: otherwise is refused, with the reason | E3: says them, without the lock |
//!
//! R1 and R2 are one critical section, E2 is one for each order. If R's comes first, E2 takes what
//! R2 added; if E2's does, R1 reads a phase that has come to the order, and R3 finds the reason
//! that E1 decided. [`Ending::take_back`] is such a section as well: what it finds is not said, and
//! what it does not find is said, or being said.

use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::OnceLock;
use std::task::{Context, Poll, Waker};

use crate::contain::contain;
use crate::sync::{Mutex, MutexGuard};

/// What is done at the end, given who has ended, and why.
pub(crate) type Farewell<I, R> = Box<dyn FnOnce(&I, &R) + Send>;

/// When a farewell is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Order {
    /// First: what it was known by is free again.
    Name,
    /// Then: who watches it is told.
    Link,
}

/// Under which a farewell stands, until it is said or taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key(Order, u64);

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Until {
    /// The start, or the end if there will be none.
    Start,
    End,
}

/// How far the end has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
enum Phase {
    /// Not as far as any farewell.
    Ahead,
    /// As far as those of this order.
    Saying(Order),
    Announced,
}

pub(crate) struct Ending<I, R> {
    reason: OnceLock<R>,
    inner: Mutex<Inner<I, R>>,
}

struct Inner<I, R> {
    phase: Phase,
    has_started: bool,
    /// Messages that were accepted and not handled.
    unhandled: u32,
    /// Few actors are waited for or watched: the others hold a word for it.
    crowd: Option<Box<Crowd<I, R>>>,
}

struct Crowd<I, R> {
    next: u64,
    wakers: BTreeMap<u64, (Waker, Until)>,
    foretold: Option<R>,
    farewells: BTreeMap<Key, Farewell<I, R>>,
}

impl<I, R> Default for Crowd<I, R> {
    fn default() -> Self {
        Self {
            next: 0,
            wakers: BTreeMap::new(),
            foretold: None,
            farewells: BTreeMap::new(),
        }
    }
}

impl<I, R> Crowd<I, R> {
    fn next(&mut self) -> u64 {
        self.next += 1;
        self.next
    }
}

impl<I, R: Clone> Ending<I, R> {
    /// One of an actor that has started, or has yet to.
    pub(crate) fn new(has_started: bool) -> Self {
        let inner = Inner {
            phase: Phase::Ahead,
            has_started,
            unhandled: 0,
            crowd: None,
        };
        Self {
            reason: OnceLock::new(),
            inner: Mutex::new(inner),
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner<I, R>> {
        self.inner.lock()
    }

    /// The reason, once it is decided.
    pub(crate) fn decided(&self) -> Option<&R> {
        self.reason.get()
    }

    /// The reason, once everything has gone and the name is free.
    pub(crate) fn over(&self) -> Option<&R> {
        let is_over = self.inner().phase >= Phase::Saying(Order::Link);
        self.reason.get().filter(|_| is_over)
    }

    pub(crate) fn decide(&self, reason: R) {
        // The first decision stands; the run-right holder makes it once.
        let _ = self.reason.set(reason);
    }

    /// Keeps a reason for when it is decided. The last stands.
    pub(crate) fn foretell(&self, reason: R) {
        let mut inner = self.inner();
        let foretold = &mut inner.crowd.get_or_insert_default().foretold;
        let old = foretold.replace(reason);
        drop(inner);
        contain(|| drop(old));
    }

    /// The reason that was foretold.
    pub(crate) fn foretold(&self) -> Option<R> {
        self.inner().crowd.as_ref()?.foretold.clone()
    }

    /// Whether the actor has started, and its next start is not to come.
    pub(crate) fn has_started(&self) -> bool {
        self.inner().has_started
    }

    /// Says that the actor has started, or that its next start is to come.
    pub(crate) fn set_started(&self, has_started: bool) {
        let mut inner = self.inner();
        inner.has_started = has_started;
        let mut woken = BTreeMap::new();
        if let (true, Some(crowd)) = (has_started, &mut inner.crowd)
            && !crowd.wakers.is_empty()
        {
            let wakers = std::mem::take(&mut crowd.wakers);
            (woken, crowd.wakers) = wakers
                .into_iter()
                .partition(|(_, (_, until))| *until == Until::Start);
        }
        drop(inner);
        wake(woken);
    }

    /// Has `farewell` called at the end, once, on the thread that ends the actor. It must not
    /// block; a panic in it is contained. Once its order's turn has come it is refused, with the
    /// reason of the end.
    pub(crate) fn on_end(
        &self,
        order: Order,
        farewell: impl FnOnce(&I, &R) + Send + 'static,
    ) -> Result<Key, R> {
        // R1
        let mut inner = self.inner();
        if inner.phase >= Phase::Saying(order) {
            drop(inner);
            let reason = self.reason.get().expect("E1 comes before E2");
            return Err(reason.clone()); // R3
        }
        let crowd = inner.crowd.get_or_insert_default();
        let key = Key(order, crowd.next());
        crowd.farewells.insert(key, Box::new(farewell)); // R2
        Ok(key)
    }

    /// Takes a farewell back, which is then not said. `None`: it was, or is being said.
    #[must_use = "its drop is other people's code, and not for under a lock"]
    pub(crate) fn take_back(&self, key: Key) -> Option<Farewell<I, R>> {
        self.inner().crowd.as_mut()?.farewells.remove(&key)
    }

    /// Notes how many messages were accepted and not handled.
    pub(crate) fn note_unhandled(&self, messages: usize) {
        self.inner().unhandled = u32::try_from(messages).unwrap_or(u32::MAX);
    }

    /// How many messages were accepted and not handled, once that is known.
    pub(crate) fn unhandled(&self) -> usize {
        self.inner().unhandled as usize
    }

    /// Says all farewells; those to links after `report`, which is given the reason. That was
    /// decided.
    pub(crate) fn bid_farewell(&self, identity: impl FnOnce() -> I, report: impl FnOnce(&R)) {
        let reason = self.reason.get().expect("E1 comes before E2");
        let Some(first) = self.begin_farewell() else {
            return report(reason);
        };
        let identity = identity();
        let mut report = Some(report);
        let mut said = first;
        loop {
            // E3
            for farewell in std::mem::take(&mut said).into_values() {
                contain(|| farewell(&identity, reason));
            }
            // E2
            let mut inner = self.inner();
            if inner.phase == Phase::Saying(Order::Link) {
                return;
            }
            inner.phase = Phase::Saying(Order::Link);
            if let Some(crowd) = &mut inner.crowd {
                said = std::mem::take(&mut crowd.farewells);
            }
            drop(inner);
            if let Some(report) = report.take() {
                report(reason);
            }
        }
    }

    /// E2 for names; if there is nothing to say, for links as well.
    fn begin_farewell(&self) -> Option<BTreeMap<Key, Farewell<I, R>>> {
        let mut inner = self.inner();
        let some = inner.crowd.as_mut().filter(|all| !all.farewells.is_empty());
        let Some(crowd) = some else {
            inner.phase = Phase::Saying(Order::Link);
            return None;
        };
        let links = crowd.farewells.split_off(&Key(Order::Link, 0));
        let names = std::mem::replace(&mut crowd.farewells, links);
        inner.phase = Phase::Saying(Order::Name);
        Some(names)
    }

    /// Wakes all who wait. A waker that panics keeps nobody asleep.
    pub(crate) fn announce(&self) {
        let crowd = {
            let mut inner = self.inner();
            inner.phase = Phase::Announced;
            inner.crowd.take()
        };
        wake(crowd.map(|crowd| crowd.wakers).unwrap_or_default());
    }

    /// Waits for the announcement.
    pub(crate) fn wait(&self) -> Wait<'_, I, R> {
        self.wait_until(Until::End)
    }

    /// Waits for the start, or for the announcement if that comes before.
    pub(crate) fn wait_started(&self) -> WaitStarted<'_, I, R> {
        WaitStarted(self.wait_until(Until::Start))
    }

    fn wait_until(&self, until: Until) -> Wait<'_, I, R> {
        Wait {
            ending: self,
            until,
            key: None,
        }
    }
}

impl<I, R: fmt::Debug> fmt::Debug for Ending<I, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Ending").field(&self.reason.get()).finish()
    }
}

/// No lock is held.
fn wake(wakers: BTreeMap<u64, (Waker, Until)>) {
    for (waker, _) in wakers.into_values() {
        contain(|| waker.wake());
    }
}

/// Waits for an announcement.
pub(crate) struct Wait<'a, I, R> {
    ending: &'a Ending<I, R>,
    until: Until,
    /// Under which the waker stands in the map.
    key: Option<u64>,
}

impl<I, R: Clone> Wait<'_, I, R> {
    /// The reason of the end, or nothing if that is not what came.
    fn poll_come(&mut self, cx: &mut Context<'_>) -> Poll<Option<R>> {
        let waker = cx.waker().clone();
        let mut inner = self.ending.inner();
        if inner.phase == Phase::Announced {
            drop(inner);
            let reason = self.ending.reason.get();
            return Poll::Ready(Some(reason.expect("it was decided").clone()));
        }
        let has_started = inner.has_started;
        let crowd = inner.crowd.get_or_insert_default();
        // A start takes its waker out: it may have been, and the next be yet to come.
        let was_woken = self.key.is_some_and(|key| !crowd.wakers.contains_key(&key));
        if self.until == Until::Start && (has_started || was_woken) {
            return Poll::Ready(None);
        }
        let key = *self.key.get_or_insert_with(|| crowd.next());
        let old = crowd.wakers.insert(key, (waker, self.until));
        drop(inner);
        contain(|| drop(old));
        Poll::Pending
    }
}

impl<I, R: Clone> Future for Wait<'_, I, R> {
    type Output = R;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<R> {
        match self.poll_come(cx) {
            Poll::Ready(Some(reason)) => Poll::Ready(reason),
            // It waits for the end alone.
            Poll::Ready(None) | Poll::Pending => Poll::Pending,
        }
    }
}

/// Waits for a start. The reason of the end, if there is none.
pub(crate) struct WaitStarted<'a, I, R>(Wait<'a, I, R>);

impl<I, R: Clone> Future for WaitStarted<'_, I, R> {
    type Output = Result<(), R>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll_come(cx).map(|end| end.map_or(Ok(()), Err))
    }
}

impl<I, R> Drop for Wait<'_, I, R> {
    fn drop(&mut self) {
        let Some(key) = self.key else { return };
        let mut inner = self.ending.inner.lock();
        let waker = inner
            .crowd
            .as_mut()
            .and_then(|crowd| crowd.wakers.remove(&key));
        drop(inner);
        contain(|| drop(waker));
    }
}

#[cfg(all(test, greenroom_loom))]
mod loom;
#[cfg(all(test, not(greenroom_loom)))]
mod tests;
