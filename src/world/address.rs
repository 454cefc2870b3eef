//! Which kind of point a program has reached, and which occurrence of it.

use std::fmt;

use smallvec::SmallVec;

use super::entry::word_of;
use super::seed::mix;

/// A kind of savepoint, by name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site(u64);

impl Site {
    pub(super) const fn as_u64(self) -> u64 {
        self.0
    }

    pub(super) const fn from_u64(word: u64) -> Self {
        Self(word)
    }

    /// The site of this name.
    #[must_use]
    pub const fn named(name: &str) -> Self {
        Self(word_of(name))
    }
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Site({:016x})", self.0)
    }
}

/// Which occurrence of a site a savepoint is: the same in every run that gets there.
///
/// It is made of the keys that the program has [entered](super::Scope::enter), the site, and how
/// often the site was reached within those keys; or of an id that the program gives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address(u64);

impl Address {
    /// The address of the `count`th occurrence of a site that no key was entered for.
    #[must_use]
    pub const fn of(site: Site, count: u64) -> Self {
        Self(mix(mix(ROOT, site.0), count))
    }

    /// The address that a program gives by an id.
    #[must_use]
    pub const fn explicit(site: Site, id: u64) -> Self {
        Self(mix(mix(EXPLICIT, site.0), id))
    }

    pub(super) const fn from_u64(word: u64) -> Self {
        Self(word)
    }

    /// A word for it, to key what is decided there.
    #[must_use]
    pub const fn as_u64(self) -> u64 {
        self.0
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({:016x})", self.0)
    }
}

const ROOT: u64 = 0x726F_6F74_0000_0001;
const EXPLICIT: u64 = 0x6964_0000_0000_0001;

/// Where in its keys a program is, and how often it has met which site there.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    counts: SmallVec<[Count; 2]>,
    /// Where the counts of the innermost key begin.
    base: usize,
    /// The keys so far, as one word.
    keys: u64,
    outer: Vec<(u64, usize)>,
}

/// How often a site was met within the keys at hand.
#[derive(Debug, Clone, Copy)]
struct Count {
    site: Site,
    /// The keys and the site, as one word.
    place: u64,
    count: u64,
}

impl Frame {
    pub(super) const fn new() -> Self {
        Self {
            keys: ROOT,
            base: 0,
            counts: SmallVec::new_const(),
            outer: Vec::new(),
        }
    }

    /// All of it, in words.
    pub(super) fn pack(&self, words: &mut impl Extend<u64>) {
        words.extend([
            self.keys,
            self.base as u64,
            self.counts.len() as u64,
            self.outer.len() as u64,
        ]);
        let counts = self.counts.iter();
        words.extend(counts.flat_map(|entry| [entry.site.0, entry.place, entry.count]));
        let outer = self.outer.iter();
        words.extend(outer.flat_map(|(keys, base)| [*keys, *base as u64]));
    }

    /// What was packed; none if it was not.
    pub(super) fn unpack(words: &mut impl Iterator<Item = u64>) -> Option<Self> {
        let size = |word: u64| usize::try_from(word).ok();
        let (keys, base) = (words.next()?, size(words.next()?)?);
        let (counts, outer) = (size(words.next()?)?, size(words.next()?)?);
        // Nothing is reserved by what it says: it may say anything.
        let mut frame = Self::new();
        for _ in 0..counts {
            let (site, place, count) = (Site(words.next()?), words.next()?, words.next()?);
            frame.counts.push(Count { site, place, count });
        }
        for _ in 0..outer {
            let (keys, base) = (words.next()?, size(words.next()?)?);
            frame.outer.push((keys, base));
        }
        let bases = frame.outer.iter().map(|(_, base)| *base).chain([base]);
        let are_nested = bases
            .clone()
            .zip(bases.clone().skip(1))
            .all(|(a, b)| a <= b);
        let is_whole = are_nested && base <= frame.counts.len();
        (frame.keys, frame.base) = (keys, base);
        is_whole.then_some(frame)
    }

    pub(super) fn enter(&mut self, key: u64) {
        self.outer.push((self.keys, self.base));
        self.keys = mix(self.keys, key);
        self.base = self.counts.len();
    }

    /// Whether there was a key to leave.
    pub(super) fn leave(&mut self) -> bool {
        let Some((keys, base)) = self.outer.pop() else {
            return false;
        };
        self.counts.truncate(self.base);
        self.keys = keys;
        self.base = base;
        true
    }

    /// The address of the site's next occurrence.
    #[inline]
    pub(super) fn next(&mut self, site: Site) -> Address {
        let known = &mut self.counts[self.base..];
        let Some(entry) = known.iter_mut().find(|entry| entry.site == site) else {
            return self.first(site);
        };
        entry.count += 1;
        Address(mix(entry.place, entry.count))
    }

    #[cold]
    fn first(&mut self, site: Site) -> Address {
        let place = mix(self.keys, site.0);
        let count = 1;
        self.counts.push(Count { site, place, count });
        Address(mix(place, count))
    }
}
