//! What a world's state is made of: values, and the names that they go by.

use std::any::TypeId;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use super::seed::mix;
use crate::id::Id;

/// What may lie in a world: any type that is `Clone + Send + Sync + 'static`.
///
/// A fork clones a value when one side first writes it. What a clone shares, such as a channel or
/// an `Arc` of an atomic, is shared between worlds: keep such things out of worlds.
pub trait Value: Clone + Send + Sync + 'static {}

impl<T: Clone + Send + Sync + 'static> Value for T {}

/// The name of a value in worlds: of one type, and good in every world.
///
/// Two entries are the same if they have the same name, the same keys and the same type.
///
/// ```
/// use greenroom::world::{Entry, World};
///
/// const SCORE: Entry<u32> = Entry::named("score");
///
/// let mut world = World::new();
/// world.insert(SCORE, 1);
/// world.insert(SCORE.at(7), 2);
/// assert_eq!(world.get(SCORE), Some(&1));
/// assert_eq!(world.get(SCORE.at(7)), Some(&2));
/// ```
pub struct Entry<T> {
    name: u64,
    value: PhantomData<fn() -> T>,
}

impl<T> Entry<T> {
    /// The entry of this name.
    #[must_use]
    pub const fn named(name: &str) -> Self {
        Self::of(word_of(name))
    }

    /// An entry that nothing else names, in this process.
    #[must_use]
    pub fn unique() -> Self {
        Self::of(mix(UNIQUE, Id::next().as_u64()))
    }

    /// The entry of this key in a table that has this one's name.
    #[must_use]
    pub const fn at(self, key: u64) -> Self {
        Self::of(mix(self.name, key))
    }

    const fn of(name: u64) -> Self {
        let value = PhantomData;
        Self { name, value }
    }
}

impl<T: 'static> Entry<T> {
    /// Where it lies in a world.
    #[inline]
    pub(super) fn slot(self) -> u64 {
        let mut word = Word(0);
        TypeId::of::<T>().hash(&mut word);
        mix(self.name, word.0)
    }
}

/// Sets minted names apart from those of text.
const UNIQUE: u64 = word_of("unique");

/// A hash of text that is the same in every process: FNV-1a, stirred.
pub(super) const fn word_of(text: &str) -> u64 {
    let bytes = text.as_bytes();
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    let mut index = 0;
    while index < bytes.len() {
        hash = (hash ^ bytes[index] as u64).wrapping_mul(0x0000_0100_0000_01B3);
        index += 1;
    }
    mix(hash, bytes.len() as u64)
}

/// Takes the word that a `TypeId` is.
struct Word(u64);

impl Hasher for Word {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = mix(self.0, u64::from(*byte));
        }
    }

    fn write_u64(&mut self, word: u64) {
        self.0 ^= word;
    }
}

impl<T> Clone for Entry<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Entry<T> {}

impl<T> PartialEq for Entry<T> {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl<T> Eq for Entry<T> {}

impl<T> fmt::Debug for Entry<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Entry({:016x})", self.name)
    }
}
