//! The state of a world: values by slot, flat while they are few and persistent beyond.

use std::hash::{BuildHasherDefault, Hasher};
use std::sync::Arc;

use smallvec::SmallVec;

use super::value::{Cell, Erased};
use crate::limits::WORLD_FLAT;

/// The first lies in the world itself.
type Flat = SmallVec<[(u64, Cell); 1]>;
type Frozen = Arc<[(u64, Arc<dyn Erased>)]>;
type Large =
    imbl::GenericHashMap<u64, Arc<dyn Erased>, BuildHasherDefault<Slots>, imbl::shared_ptr::ArcK>;

/// | state | entries | a fork | a write |
/// | --- | --- | --- | --- |
/// | `Flat` | few | freezes it | in place; a value that is shared is copied first |
/// | `Frozen` | few | one count | makes it `Flat` first: a count per entry |
/// | `Large` | many | one count | copies the path to the entry, and the value, if they are shared |
pub(super) enum State {
    Flat(Flat),
    Frozen(Frozen),
    Large(Large),
}

/// Slots are hashes already.
#[derive(Default)]
pub(super) struct Slots(u64);

impl Hasher for Slots {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, slot: u64) {
        self.0 = slot;
    }
}

impl State {
    pub(super) const fn new() -> Self {
        Self::Flat(SmallVec::new_const())
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Self::Flat(list) => list.len(),
            Self::Frozen(list) => list.len(),
            Self::Large(map) => map.len(),
        }
    }

    #[inline]
    pub(super) fn get(&self, slot: u64) -> Option<&dyn Erased> {
        match self {
            Self::Flat(list) => list.iter().find(|entry| entry.0 == slot)?.1.get(),
            Self::Frozen(list) => Some(&*list.iter().find(|entry| entry.0 == slot)?.1),
            Self::Large(map) => Some(&**map.get(&slot)?),
        }
    }

    /// The value for writing, this world's own from now on.
    #[inline]
    pub(super) fn get_mut(&mut self, slot: u64) -> Option<&mut dyn Erased> {
        match self {
            Self::Flat(list) => list.iter_mut().find(|entry| entry.0 == slot)?.1.get_mut(),
            Self::Frozen(_) => self.thawed_mut(slot),
            Self::Large(map) => {
                let value = map.get_mut(&slot)?;
                if Arc::get_mut(value).is_none() {
                    *value = (**value).copy_shared();
                }
                Arc::get_mut(value)
            }
        }
    }

    /// The same where it is frozen: only an entry that there is thaws it.
    #[cold]
    fn thawed_mut(&mut self, slot: u64) -> Option<&mut dyn Erased> {
        self.get(slot)?;
        self.thaw();
        self.get_mut(slot)
    }

    /// Puts a value in; the one before it goes to the caller, to be dropped where it likes.
    pub(super) fn insert(&mut self, slot: u64, value: Box<dyn Erased>) -> Option<Cell> {
        self.thaw();
        if let Self::Flat(list) = self {
            if let Some(entry) = list.iter_mut().find(|entry| entry.0 == slot) {
                return Some(std::mem::replace(&mut entry.1, Cell::Own(value)));
            }
            if list.len() < WORLD_FLAT {
                list.push((slot, Cell::Own(value)));
                return None;
            }
        }
        self.grow().insert(slot, value.share()).map(Cell::Shared)
    }

    pub(super) fn remove(&mut self, slot: u64) -> Option<Cell> {
        self.get(slot)?;
        self.thaw();
        match self {
            Self::Flat(list) => {
                let index = list.iter().position(|entry| entry.0 == slot)?;
                Some(list.swap_remove(index).1)
            }
            Self::Large(map) => map.remove(&slot).map(Cell::Shared),
            Self::Frozen(_) => None,
        }
    }

    /// The same state for another world: both copy what they write from now on.
    pub(super) fn fork(&mut self) -> Self {
        self.freeze();
        self.share()
    }

    /// Makes it one that [`State::share`] takes.
    pub(super) fn freeze(&mut self) {
        if let Self::Flat(list) = self {
            let entries = list.iter_mut();
            *self = Self::Frozen(
                entries
                    .filter_map(|(slot, cell)| Some((*slot, cell.share()?)))
                    .collect(),
            );
        }
    }

    /// The same as a fork, of a state that was forked before and not written since.
    pub(super) fn share(&self) -> Self {
        match self {
            Self::Frozen(list) => Self::Frozen(list.clone()),
            Self::Large(map) => Self::Large(map.clone()),
            Self::Flat(_) => unreachable!("a fork has frozen it"),
        }
    }

    fn thaw(&mut self) {
        if let Self::Frozen(list) = self {
            let mut flat = Flat::with_capacity(list.len());
            let entries = list.iter();
            flat.extend(entries.map(|(slot, value)| (*slot, Cell::Shared(value.clone()))));
            *self = Self::Flat(flat);
        }
    }

    /// The map that a small state outgrows into.
    fn grow(&mut self) -> &mut Large {
        if let Self::Flat(list) = self {
            let entries = list.iter_mut();
            *self = Self::Large(
                entries
                    .filter_map(|(slot, cell)| Some((*slot, cell.share()?)))
                    .collect(),
            );
        }
        match self {
            Self::Large(map) => map,
            Self::Flat(_) | Self::Frozen(_) => unreachable!("thawed, and then grown"),
        }
    }
}
