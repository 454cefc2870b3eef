//! Who is in a group, and who follows its changes.
//!
//! A member is *added* before it can be seen, so that its end, at any moment, takes it out. Who
//! joins
//!
//! - J1: is added, under the lock, unless it is there;
//! - J2: leaves a farewell with the actor, or is taken out again, for the actor has ended;
//! - J3: is seen from now on, under the lock, and followers hear of it, if it is there still.
//!
//! At its end the farewell is said, once, and
//!
//! - E2: it is taken out, under the lock, and followers hear of it if it was seen.
//!
//! Followers hear of what happens under the lock in which it happens, so their order is that of
//! the changes, and a snapshot under the same lock has no gap to what follows. Nothing of other
//! people's runs under it: wakers and weak handles are dropped after.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Waker;

use super::changes::Change;
use super::groups::Place;
use crate::actor::{ExitReason, Handle, Identity, WeakHandle};
use crate::contain::contain;
use crate::ending::{Key, Order};
use crate::id::Id;
use crate::limits::GROUP_CHANGES;
use crate::sync::Mutex;

pub(super) struct Members<A> {
    inner: Mutex<Inner<A>>,
    place: Option<Place>,
    clear: fn(&Place),
}

struct Inner<A> {
    members: Vec<Member<A>>,
    followers: Vec<Follower<A>>,
    /// The last number that was given, to a member or a follower.
    serial: u64,
}

struct Member<A> {
    serial: u64,
    actor: WeakHandle<A>,
    /// Of the farewell, from J3 on.
    farewell: Option<Key>,
}

struct Follower<A> {
    serial: u64,
    changes: VecDeque<Change<A>>,
    has_lagged: bool,
    waker: Option<Waker>,
}

/// What is to be done once the lock is let go.
struct After<A> {
    wakers: Vec<Waker>,
    dropped: Vec<VecDeque<Change<A>>>,
}

impl<A> Drop for After<A> {
    fn drop(&mut self) {
        self.dropped.clear();
        for waker in self.wakers.drain(..) {
            contain(|| waker.wake());
        }
    }
}

impl<A> Inner<A> {
    fn next(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }

    fn seen(&self) -> impl Iterator<Item = &Member<A>> {
        self.members
            .iter()
            .filter(|member| member.farewell.is_some())
    }

    fn snapshot(&self) -> Vec<WeakHandle<A>> {
        self.seen().map(|member| member.actor.clone()).collect()
    }

    /// Has all followers hear of a change.
    fn tell(&mut self, change: impl Fn() -> Change<A>) -> After<A> {
        let mut after = After {
            wakers: Vec::new(),
            dropped: Vec::new(),
        };
        for follower in &mut self.followers {
            if follower.changes.len() == GROUP_CHANGES {
                // It gets all members instead, when it comes to read.
                follower.has_lagged = true;
                after.dropped.push(std::mem::take(&mut follower.changes));
            }
            if !follower.has_lagged {
                follower.changes.push_back(change());
            }
            after.wakers.extend(follower.waker.take());
        }
        after
    }
}

impl<A: 'static> Members<A> {
    pub(super) fn new(place: Option<Place>) -> Self {
        let inner = Inner {
            members: Vec::new(),
            followers: Vec::new(),
            serial: 0,
        };
        Self {
            inner: Mutex::new(inner),
            place,
            clear: Place::clear::<A>,
        }
    }

    /// False if it is a member already.
    pub(super) fn join(self: &Arc<Self>, actor: &Handle<A>) -> Result<bool, ExitReason> {
        let (id, weak) = (actor.id(), actor.downgrade());
        // J1
        let serial = {
            let mut inner = self.inner.lock();
            if inner.members.iter().any(|member| member.actor.id() == id) {
                drop(inner);
                return Ok(false);
            }
            let serial = inner.next();
            inner.members.push(Member {
                serial,
                actor: weak.clone(),
                farewell: None,
            });
            serial
        };
        // J2
        let members = Arc::clone(self);
        let said = move |_: &Identity, _: &ExitReason| {
            members.leave(id);
        };
        let farewell = match actor.head().on_end(Order::Name, said) {
            Ok(farewell) => farewell,
            Err(reason) => {
                self.leave(id);
                return Err(reason);
            }
        };
        // J3
        let mut inner = self.inner.lock();
        let member = inner.members.iter_mut().find(|m| m.serial == serial);
        let Some(member) = member else {
            drop(inner);
            // Said meanwhile, or taken out by who left in its name: then nothing is to be said.
            let _ = actor.head().take_back(farewell);
            return Ok(true);
        };
        member.farewell = Some(farewell);
        let after = inner.tell(|| Change::Joined(weak.clone()));
        drop(inner);
        drop(after);
        Ok(true)
    }

    /// False if it was no member. The farewell is taken back, unless it is that which says so.
    pub(super) fn leave(&self, id: Id) -> bool {
        let mut inner = self.inner.lock();
        let Some(at) = inner.members.iter().position(|m| m.actor.id() == id) else {
            return false;
        };
        let member = inner.members.remove(at);
        let identity = member.actor.identity();
        let was_seen = member.farewell.is_some();
        let after = was_seen.then(|| inner.tell(|| Change::Left(identity.clone())));
        drop(inner);
        drop(after);
        if let Some(farewell) = member.farewell {
            let _ = member.actor.head().take_back(farewell);
        }
        true
    }

    pub(super) fn list(&self) -> Vec<WeakHandle<A>> {
        self.inner.lock().snapshot()
    }

    pub(super) fn contains(&self, id: Id) -> bool {
        self.inner
            .lock()
            .seen()
            .any(|member| member.actor.id() == id)
    }

    pub(super) fn len(&self) -> usize {
        self.inner.lock().seen().count()
    }

    /// The members, and the ticket of who follows from here on.
    pub(super) fn watch(&self) -> (Vec<WeakHandle<A>>, u64) {
        let mut inner = self.inner.lock();
        let serial = inner.next();
        inner.followers.push(Follower {
            serial,
            changes: VecDeque::new(),
            has_lagged: false,
            waker: None,
        });
        (inner.snapshot(), serial)
    }

    /// The next change, or leaves the waker. What stood there is the caller's to drop.
    pub(super) fn poll(&self, ticket: u64, waker: &mut Option<Waker>) -> Option<Change<A>> {
        let mut inner = self.inner.lock();
        let inner = &mut *inner;
        let at = inner.followers.iter().position(|f| f.serial == ticket)?;
        if std::mem::take(&mut inner.followers[at].has_lagged) {
            return Some(Change::Lagged(inner.snapshot()));
        }
        let follower = &mut inner.followers[at];
        let change = follower.changes.pop_front();
        if change.is_none() {
            std::mem::swap(&mut follower.waker, waker);
        }
        change
    }

    /// Who followed does so no more.
    pub(super) fn unwatch(&self, ticket: u64) {
        let follower = {
            let mut inner = self.inner.lock();
            let at = inner.followers.iter().position(|f| f.serial == ticket);
            at.map(|at| inner.followers.swap_remove(at))
        };
        contain(|| drop(follower));
    }
}

impl<A> Members<A> {
    pub(super) fn name(&self) -> Option<&str> {
        self.place.as_ref().map(|place| &*place.name)
    }

    pub(super) fn identities(&self) -> Vec<Identity> {
        let inner = self.inner.lock();
        inner.seen().map(|member| member.actor.identity()).collect()
    }
}

impl<A> Drop for Members<A> {
    fn drop(&mut self) {
        if let Some(place) = &self.place {
            (self.clear)(place);
        }
    }
}
