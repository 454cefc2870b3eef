//! The seats of a pool, and who sits in them.
//!
//! A worker that fails is restarted in place: its seat, its handles and its queue stay. One that
//! was told to end from outside leaves its seat to another. Workers know their seats weakly, so a
//! pool goes when its last clone does.

use std::ops::Deref;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use super::error::PoolError;
use super::plan::Plan;
use super::restarts::Restarts;
use crate::actor::{
    Actor, Exit, ExitReason, Handle, Identity, Local, Overseer, SpawnErrorKind, Verdict,
};
use crate::ending::Order;
use crate::limits::POOL_WORKERS_MAX;
use crate::sync::Mutex;

pub(super) struct Seats<A: Actor> {
    plan: Plan<A>,
    restarts: Restarts,
    turn: AtomicUsize,
    inner: Mutex<Inner<A>>,
}

struct Inner<A: Actor> {
    /// Never empty once the pool is made; of workers that have ended once it has failed.
    workers: Vec<A::Handle<Local>>,
    failure: Option<PoolError>,
}

impl<A: Actor> Seats<A> {
    pub(super) fn new(plan: Plan<A>, restarts: Restarts) -> Self {
        let inner = Inner {
            workers: Vec::new(),
            failure: None,
        };
        Self {
            plan,
            restarts,
            turn: AtomicUsize::new(0),
            inner: Mutex::new(inner),
        }
    }

    /// Fills or clears seats until there are so many.
    pub(super) fn resize(self: &Arc<Self>, size: usize) -> Result<(), PoolError> {
        if size == 0 || size > POOL_WORKERS_MAX {
            return Err(PoolError::Size(size));
        }
        loop {
            let surplus = {
                let mut inner = self.inner.lock();
                if let Some(failure) = &inner.failure {
                    return Err(failure.clone());
                }
                let keep = size.min(inner.workers.len());
                let surplus = inner.workers.split_off(keep);
                if keep == size {
                    drop(inner);
                    drop(surplus); // they handle what they have accepted, and end
                    return Ok(());
                }
                surplus
            };
            drop(surplus);
            let worker = self.hire().map_err(PoolError::Spawn)?;
            let mut inner = self.inner.lock();
            if inner.failure.is_none() {
                inner.workers.push(worker);
            } else {
                drop(inner);
                drop(worker);
            }
        }
    }

    fn hire(self: &Arc<Self>) -> Result<A::Handle<Local>, SpawnErrorKind> {
        let seats = Arc::downgrade(self);
        let worker = self
            .plan
            .worker()
            .overseer(Arc::new(Foreman(Weak::clone(&seats))))
            .launch()?;
        let left = move |identity: &Identity, reason: &ExitReason| {
            if let Some(seats) = seats.upgrade() {
                seats.replace(identity, reason);
            }
        };
        // Refused if it has ended: then it was told to before anybody knew of it.
        let _ = worker.head().on_end(Order::Link, left);
        Ok(worker)
    }

    /// A worker has ended for good. Unless it was let go, its seat is another's.
    fn replace(self: &Arc<Self>, ended: &Identity, reason: &ExitReason) {
        let sits = |inner: &Inner<A>| {
            let at = inner.workers.iter().position(|it| it.id() == ended.id());
            at.filter(|_| inner.failure.is_none())
        };
        let is_over = matches!(reason, ExitReason::RuntimeGone);
        if is_over || sits(&self.inner.lock()).is_none() {
            return;
        }
        if !self.restarts.allow() {
            return self.fail(PoolError::Restarts {
                worker: ended.clone(),
                reason: reason.clone(),
            });
        }
        match self.hire() {
            Ok(worker) => {
                let mut inner = self.inner.lock();
                let worker = match sits(&inner) {
                    Some(at) => std::mem::replace(&mut inner.workers[at], worker),
                    None => worker,
                };
                drop(inner);
                drop(worker);
            }
            Err(kind) => self.fail(PoolError::Spawn(kind)),
        }
    }

    /// No worker is restarted or replaced any more, and all handle what they have accepted and end.
    pub(super) fn fail(&self, failure: PoolError) {
        let workers = {
            let mut inner = self.inner.lock();
            inner.failure.get_or_insert(failure);
            inner.workers.clone()
        };
        for worker in &workers {
            raw::<A>(worker).stop();
        }
    }

    pub(super) fn failure(&self) -> Option<PoolError> {
        self.inner.lock().failure.clone()
    }

    pub(super) fn restarts(&self) -> u64 {
        self.restarts.count()
    }

    pub(super) fn workers(&self) -> Vec<A::Handle<Local>> {
        self.inner.lock().workers.clone()
    }

    pub(super) fn len(&self) -> usize {
        self.inner.lock().workers.len()
    }

    /// The worker whose turn it is.
    pub(super) fn next(&self) -> A::Handle<Local> {
        let turn = self.turn();
        let inner = self.inner.lock();
        inner.workers[turn % inner.workers.len()].clone()
    }

    /// The worker with the fewest messages that wait; of several the one whose turn it is.
    pub(super) fn least_loaded(&self) -> A::Handle<Local> {
        let turn = self.turn();
        let inner = self.inner.lock();
        let count = inner.workers.len();
        let rotated = (0..count).map(|n| &inner.workers[(turn % count + n) % count]);
        let least = rotated.min_by_key(|worker| {
            let mailbox = raw::<A>(worker).mailbox();
            mailbox.used + mailbox.waiting
        });
        least.expect("a pool has workers").clone()
    }

    /// The worker whose seat scores highest for a key: where seats come or go, only the keys of
    /// those move.
    pub(super) fn by_hash(&self, hash: u64) -> A::Handle<Local> {
        let inner = self.inner.lock();
        let seats = 0..inner.workers.len();
        let best = seats.max_by_key(|&seat| mix(hash ^ mix(seat as u64)));
        inner.workers[best.expect("a pool has workers")].clone()
    }

    fn turn(&self) -> usize {
        // Ordering: it counts, and orders nothing.
        self.turn.fetch_add(1, Ordering::Relaxed)
    }
}

/// The handle that an actor's own derefs to, where a method of it may have any name.
pub(super) fn raw<A: Actor>(worker: &A::Handle<Local>) -> &Handle<A> {
    worker.deref()
}

/// Spreads a number over all bits, by the finisher of splitmix64.
fn mix(n: u64) -> u64 {
    let n = n.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    n ^ (n >> 31)
}

/// Has a worker restarted that ends without being told to.
struct Foreman<A: Actor>(Weak<Seats<A>>);

impl<A: Actor> Overseer for Foreman<A> {
    fn judge(&self, exit: &Exit<'_>) -> Verdict {
        let Some(seats) = self.0.upgrade() else {
            return Verdict::End;
        };
        if seats.failure().is_some() {
            return Verdict::End;
        }
        if seats.restarts.allow() {
            return Verdict::Restart;
        }
        seats.fail(PoolError::Restarts {
            worker: exit.identity.clone(),
            reason: exit.reason.clone(),
        });
        Verdict::End
    }

    fn is_supervisor(&self) -> bool {
        false
    }

    fn retire(&self, _late: bool) -> bool {
        if let Some(seats) = self.0.upgrade()
            && seats.failure().is_none()
        {
            seats.fail(PoolError::Ended);
        }
        false
    }
}
