//! The way through types that lead to each other, perhaps in a circle.

use std::any::TypeId;
use std::collections::HashMap;

use super::Schema;
use super::fnv::Fnv;

/// The types that are being described, each within the one before it, and those that were.
///
/// One that leads back to another which is not described yet says how far out that is. So what it
/// is called for depends on where it stands, and it is kept only if it leads to none outside it.
#[derive(Debug, Default)]
pub(crate) struct Tracer {
    open: Vec<TypeId>,
    known: HashMap<TypeId, u128>,
    /// Handles are part of one that was described.
    pub(super) lends: bool,
}

impl Tracer {
    pub(super) fn open(&self, id: TypeId) -> Option<usize> {
        self.open.iter().position(|open| *open == id)
    }

    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Its hash, and the outermost type that it leads back to.
    pub(super) fn describe(&mut self, id: TypeId, describe: fn(&mut Schema<'_>)) -> (u128, usize) {
        if let Some(&hash) = self.known.get(&id) {
            return (hash, usize::MAX);
        }
        let depth = self.open.len();
        self.open.push(id);
        let (hash, lowest) = self.root(describe);
        self.open.pop();
        if lowest >= depth {
            self.known.insert(id, hash);
            return (hash, usize::MAX);
        }
        (hash, lowest)
    }

    /// The hash of what is told.
    pub(super) fn root(&mut self, describe: impl FnOnce(&mut Schema<'_>)) -> (u128, usize) {
        let mut schema = Schema {
            hash: Fnv::new(),
            tracer: self,
            lowest: usize::MAX,
        };
        describe(&mut schema);
        (schema.hash.finish(), schema.lowest)
    }
}
