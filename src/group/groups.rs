//! Which groups of a runtime have names.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Weak};

use super::members::Members;
use crate::sync::Mutex;
use crate::task::Extension;

/// The groups of one runtime that have names. An entry keeps no group, and goes with it.
#[derive(Default)]
pub(super) struct Groups(Mutex<HashMap<Key, Box<dyn Any + Send + Sync>>>);

/// The members' type, and the name.
type Key = (TypeId, Arc<str>);

impl Extension for Groups {}

/// A group's place among those with names.
pub(super) struct Place {
    groups: Weak<Groups>,
    pub(super) name: Arc<str>,
}

impl Groups {
    /// The group of this name, a new one if there is none.
    pub(super) fn find<A: 'static>(self: &Arc<Self>, name: Arc<str>) -> Arc<Members<A>> {
        let place = Place {
            groups: Arc::downgrade(self),
            name: Arc::clone(&name),
        };
        // Made before: what is not needed is dropped after the lock.
        let new = Arc::new(Members::new(Some(place)));
        let mut groups = self.0.lock();
        let key = (TypeId::of::<A>(), name);
        let known = groups.get(&key).and_then(|known| known.downcast_ref());
        if let Some(known) = known.and_then(Weak::upgrade) {
            drop(groups);
            return known;
        }
        groups.insert(key, Box::new(Arc::downgrade(&new)));
        drop(groups);
        new
    }

    /// How many there are.
    #[cfg(all(test, feature = "macros"))]
    pub(super) fn len(&self) -> usize {
        self.0.lock().len()
    }
}

impl Place {
    /// The group goes: its entry, unless that is another's already.
    pub(super) fn clear<A: 'static>(&self) {
        let Some(groups) = self.groups.upgrade() else {
            return;
        };
        let mut groups = groups.0.lock();
        let key = (TypeId::of::<A>(), Arc::clone(&self.name));
        let known: Option<&Weak<Members<A>>> =
            groups.get(&key).and_then(|known| known.downcast_ref());
        if known.is_some_and(|known| known.strong_count() == 0) {
            groups.remove(&key);
        }
    }
}
