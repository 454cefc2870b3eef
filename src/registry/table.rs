//! Who has which name, and who waits for one.
//!
//! # Why no name is stale, and none is taken from its owner
//!
//! A name is *taken* before its owner can be found by it, and given up by its serial number alone.
//! Who registers
//!
//! - R1: takes the name, under the lock, or is refused;
//! - R2: leaves a farewell with the actor, or is refused, for the actor has ended;
//! - R3: is found by the name from now on, under the lock, if it has it still.
//!
//! At its end the farewell is said, once, and
//!
//! - E2: the name is given up, under the lock.
//!
//! If R2 is refused, the name is given up, and nobody has found anything. If E2 comes before R3,
//! R3 finds the number gone, and again nobody has. Else E2 comes after R3. A number is given once,
//! so a farewell that comes late gives up nothing that a later owner has taken.
//!
//! Nothing of other people's runs under the lock: wakers are cloned before, and woken and dropped
//! after, as are the weak handles, whose drop may drop a cell.

use std::any::Any;
use std::collections::HashMap;
use std::sync::Arc;
use std::task::Waker;

use crate::actor::{Identity, WeakHandle};
use crate::contain::contain;
use crate::ending::Key;
use crate::sync::Mutex;
use crate::task::Extension;

/// The names of one runtime.
#[derive(Default)]
pub(super) struct Table(Mutex<Names>);

#[derive(Default)]
struct Names {
    places: HashMap<Arc<str>, Place>,
    /// The last number that was given, to an owner or to who waits.
    serial: u64,
    has_ended: bool,
}

/// What there is of a name; nothing is kept of one that nobody has and nobody waits for.
#[derive(Default)]
struct Place {
    owner: Option<Owner>,
    waiters: Vec<(u64, Waker)>,
}

struct Owner {
    serial: u64,
    identity: Identity,
    /// From R3 on.
    found: Option<Found>,
}

/// What a look-up finds.
struct Found {
    actor: Box<dyn Weak>,
    /// Of the farewell.
    farewell: Key,
}

/// A weak handle of any type of actor.
trait Weak: Any + Send + Sync {
    fn actor_type(&self) -> &'static str;
    fn take_back(&self, farewell: Key);
}

impl<A: 'static> Weak for WeakHandle<A> {
    fn actor_type(&self) -> &'static str {
        std::any::type_name::<A>()
    }

    fn take_back(&self, farewell: Key) {
        let _ = self.head().take_back(farewell);
    }
}

/// A name that was taken (R1): what its owner proves its right by.
#[derive(Clone)]
pub(super) struct Claim {
    pub(super) table: Arc<Table>,
    pub(super) name: Arc<str>,
    pub(super) serial: u64,
}

/// What a look finds under a name.
pub(super) enum Look<A> {
    /// The actor, and the number of its claim.
    Actor(WeakHandle<A>, u64),
    /// An actor of another type.
    Other(Identity, &'static str),
    Nobody,
    /// The runtime has ended.
    Ended,
}

impl Table {
    /// R1. Gives the owner if the name has one.
    pub(super) fn claim(
        self: &Arc<Self>,
        name: &Arc<str>,
        identity: Identity,
    ) -> Result<Claim, Identity> {
        let mut names = self.0.lock();
        let names = &mut *names;
        let place = names.places.entry(Arc::clone(name)).or_default();
        if let Some(owner) = &place.owner {
            return Err(owner.identity.clone());
        }
        names.serial += 1;
        place.owner = Some(Owner {
            serial: names.serial,
            identity,
            found: None,
        });
        Ok(Claim {
            table: Arc::clone(self),
            name: Arc::clone(name),
            serial: names.serial,
        })
    }

    /// R3, false if the name was given up meanwhile.
    pub(super) fn publish<A: 'static>(
        &self,
        claim: &Claim,
        actor: WeakHandle<A>,
        farewell: Key,
    ) -> bool {
        let actor: Box<dyn Weak> = Box::new(actor);
        let waiters = {
            let mut names = self.0.lock();
            let Some(place) = names.places.get_mut(&claim.name) else {
                return false;
            };
            let owner = place.owner.as_mut();
            let Some(owner) = owner.filter(|owner| owner.serial == claim.serial) else {
                return false;
            };
            owner.found = Some(Found { actor, farewell });
            std::mem::take(&mut place.waiters)
        };
        wake(waiters);
        true
    }

    /// Gives the name up, if the claim still holds, and takes the farewell back, unless it is that
    /// which says so.
    pub(super) fn give_up(&self, claim: &Claim) -> bool {
        let owner = {
            let mut names = self.0.lock();
            let Some(place) = names.places.get_mut(&claim.name) else {
                return false;
            };
            let owner = place.owner.take_if(|owner| owner.serial == claim.serial);
            names.tidy(&claim.name);
            owner
        };
        let found = owner.as_ref().and_then(|owner| owner.found.as_ref());
        if let Some(Found { actor, farewell }) = found {
            actor.take_back(*farewell);
        }
        owner.is_some()
    }

    /// Whether the claim still holds.
    pub(super) fn holds(&self, claim: &Claim) -> bool {
        let names = self.0.lock();
        let owner = names.places.get(&claim.name).and_then(|p| p.owner.as_ref());
        owner.is_some_and(|owner| owner.serial == claim.serial)
    }

    pub(super) fn look<A: 'static>(&self, name: &str) -> Look<A> {
        self.0.lock().look(name)
    }

    /// As [`Table::look`], and leaves the waker if there is nobody, or nobody but the one whose
    /// claim has the number `gone`: then whoever comes next wakes it. `ticket` is who waits.
    pub(super) fn look_or_wait<A: 'static>(
        &self,
        name: &Arc<str>,
        gone: u64,
        ticket: &mut Option<u64>,
        waker: &mut Option<Waker>,
    ) -> Look<A> {
        let mut names = self.0.lock();
        let look = names.look(name);
        match &look {
            Look::Nobody => {}
            Look::Actor(_, serial) if *serial == gone => {}
            _ => return look,
        }
        let names = &mut *names;
        let place = names.places.entry(Arc::clone(name)).or_default();
        let ticket = *ticket.get_or_insert_with(|| {
            names.serial += 1;
            names.serial
        });
        let known = place.waiters.iter_mut().find(|(key, _)| *key == ticket);
        match (known, waker.take()) {
            // What stood there is the caller's to drop.
            (Some((_, old)), Some(new)) => *waker = Some(std::mem::replace(old, new)),
            (None, Some(new)) => place.waiters.push((ticket, new)),
            (_, None) => {}
        }
        look
    }

    /// Who waited does so no more. Gives its waker, to be dropped.
    pub(super) fn leave(&self, name: &str, ticket: u64) -> Option<Waker> {
        let mut names = self.0.lock();
        let place = names.places.get_mut(name)?;
        let at = place.waiters.iter().position(|(key, _)| *key == ticket)?;
        let (_, waker) = place.waiters.swap_remove(at);
        names.tidy(name);
        Some(waker)
    }

    /// How many names something is kept of.
    #[cfg(all(test, feature = "macros"))]
    pub(super) fn places(&self) -> usize {
        self.0.lock().places.len()
    }

    /// All who are found, by name.
    pub(super) fn list(&self) -> Vec<(Arc<str>, Identity)> {
        let names = self.0.lock();
        let owned = names.places.iter().filter_map(|(name, place)| {
            let owner = place.owner.as_ref().filter(|owner| owner.found.is_some())?;
            Some((Arc::clone(name), owner.identity.clone()))
        });
        let mut list: Vec<_> = owned.collect();
        list.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        list
    }
}

impl Names {
    fn look<A: 'static>(&self, name: &str) -> Look<A> {
        if self.has_ended {
            return Look::Ended;
        }
        let owner = self.places.get(name).and_then(|place| place.owner.as_ref());
        let Some((owner, found)) = owner.and_then(|owner| Some((owner, owner.found.as_ref()?)))
        else {
            return Look::Nobody;
        };
        let any: &dyn Any = &*found.actor;
        match any.downcast_ref::<WeakHandle<A>>() {
            Some(actor) => Look::Actor(actor.clone(), owner.serial),
            None => Look::Other(owner.identity.clone(), found.actor.actor_type()),
        }
    }

    /// Keeps nothing of a name that nobody has and nobody waits for.
    fn tidy(&mut self, name: &str) {
        let is_bare = |place: &Place| place.owner.is_none() && place.waiters.is_empty();
        if self.places.get(name).is_some_and(is_bare) {
            self.places.remove(name);
        }
    }
}

impl Extension for Table {
    fn end(&self) {
        let waiters: Vec<_> = {
            let mut names = self.0.lock();
            names.has_ended = true;
            let places = names.places.values_mut();
            places
                .flat_map(|place| std::mem::take(&mut place.waiters))
                .collect()
        };
        wake(waiters);
    }
}

fn wake(waiters: Vec<(u64, Waker)>) {
    for (_, waker) in waiters {
        contain(|| waker.wake());
    }
}
