//! A world: a state that forks, and what tells it from other worlds.

use std::any::Any;
use std::fmt;

use super::commit::{CommitError, Conflict};
use super::entry::{Entry, Value};
use super::grant::{Grant, Ledger, NotFunded, Wallet};
use super::lineage::{Lineage, Revision};
use super::seed::{self, Stream, mix};
use super::snapshot::Snapshot;
use super::state::State;
use crate::id::Id;

/// A state that a computation reads and writes, and that can be forked.
///
/// A fork is frozen: it sees the world as it was, whatever happens there afterwards, and what is
/// written in it is seen nowhere else. It takes the same time however large the world is. The
/// tables in the [module's docs](super) say what the two sides share.
///
/// ```
/// use greenroom::world::{Entry, World};
///
/// const CASH: Entry<i64> = Entry::named("cash");
///
/// let mut world = World::new();
/// world.insert(CASH, 100);
/// let mut branch = world.fork();
/// branch.insert(CASH, 70);
/// assert_eq!(world.get(CASH), Some(&100));
///
/// branch.commit(&mut world)?;
/// assert_eq!(world.get(CASH), Some(&70));
/// # Ok::<(), greenroom::Error>(())
/// ```
pub struct World {
    // What each savepoint needs comes first: it lies together.
    state: State,
    /// What keys its streams: made of the seed.
    streams: u64,
    seed: u64,
    lineage: Lineage,
    revision: Revision,
    /// Whether the state was written since the revision was minted.
    is_written: bool,
    forks: Forks,
    wallet: Option<Wallet>,
}

/// How many forks were taken, where: outside the state, so that forking leaves it as it is.
#[derive(Default)]
struct Forks {
    plain: u64,
    place: u64,
    at_place: u64,
}

impl Forks {
    /// The number of the next fork that is taken at `place`.
    fn next_at(&mut self, place: u64) -> u64 {
        if self.place != place {
            self.place = place;
            self.at_place = 0;
        }
        self.at_place += 1;
        self.at_place
    }
}

/// What [`World::fork_with`] is asked for beyond a fork.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    pub(super) seed: Option<u64>,
    pub(super) grant: Option<Grant>,
}

impl Options {
    /// A fork as [`World::fork`] takes it: with a seed of its own, and no budget.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            seed: None,
            grant: None,
        }
    }

    /// The fork's seed, instead of the one derived from its source's.
    #[must_use]
    pub const fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// What the fork may spend, moved to it from its source's wallet.
    #[must_use]
    pub const fn grant(mut self, grant: Grant) -> Self {
        self.grant = Some(grant);
        self
    }
}

impl World {
    /// An empty world, with a seed of its own.
    #[must_use]
    pub fn new() -> Self {
        Self::seeded(crate::rng::Rng::fresh_seed())
    }

    /// An empty world with this seed: runs in it repeat.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self::with(State::new(), Lineage::root(), Revision::mint(), seed)
    }

    pub(super) fn with(state: State, lineage: Lineage, revision: Revision, seed: u64) -> Self {
        Self {
            state,
            lineage,
            revision,
            is_written: false,
            streams: seed::streams(seed),
            seed,
            forks: Forks::default(),
            wallet: None,
        }
    }

    /// The value of an entry.
    #[inline]
    #[must_use]
    pub fn get<T: Value>(&self, entry: Entry<T>) -> Option<&T> {
        let value: &dyn Any = self.state.get(entry.slot())?;
        value.downcast_ref()
    }

    /// The value of an entry, to be written: a value that other worlds share is cloned first.
    #[inline]
    pub fn get_mut<T: Value>(&mut self, entry: Entry<T>) -> Option<&mut T> {
        let value: &mut dyn Any = self.state.get_mut(entry.slot())?;
        self.is_written = true;
        value.downcast_mut()
    }

    /// Sets an entry. What it was before is dropped.
    pub fn insert<T: Value>(&mut self, entry: Entry<T>, value: T) {
        self.is_written = true;
        drop(self.state.insert(entry.slot(), Box::new(value)));
    }

    /// Takes an entry away, from this world alone; whether it was there.
    pub fn remove<T: Value>(&mut self, entry: Entry<T>) -> bool {
        let removed = self.state.remove(entry.slot());
        self.is_written |= removed.is_some();
        removed.is_some()
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.state.len()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Which world this is.
    #[must_use]
    pub fn lineage(&self) -> Lineage {
        self.lineage
    }

    /// What its state is now. Each write makes it another.
    pub fn revision(&mut self) -> Revision {
        if self.is_written {
            self.revision = Revision::mint();
            self.is_written = false;
        }
        self.revision
    }

    /// What its random choices derive from.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The numbers that decide `what`: always the same ones in worlds of one seed.
    #[inline]
    #[must_use]
    pub fn stream(&self, what: u64) -> Stream {
        Stream::of(self.streams, what)
    }

    /// A frozen fork with a seed of its own and no budget. It is exclusive only for an instant, to
    /// mark the state as shared: what can be seen of this world stays as it is.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        self.forks.plain += 1;
        let seed = seed::child(self.seed, 0, self.forks.plain);
        self.child(seed)
    }

    /// A fork with options.
    ///
    /// # Errors
    ///
    /// When this world cannot pay the grant: then there is no fork.
    pub fn fork_with(&mut self, options: Options) -> Result<Self, NotFunded> {
        self.forks.plain += 1;
        let seed = seed::child(self.seed, 0, self.forks.plain);
        self.child_with(seed, options)
    }

    /// A fork whose seed is that of a place in a program.
    pub(super) fn fork_at(&mut self, place: u64, options: Options) -> Result<Self, NotFunded> {
        let index = self.forks.next_at(place);
        // So that no place has the seeds of plain forks.
        let seed = seed::child(self.seed, mix(1, place), index);
        self.child_with(seed, options)
    }

    /// Makes forks free of code of users, until the world is written.
    pub(super) fn freeze(&mut self) {
        self.state.freeze();
    }

    fn child_with(&mut self, seed: u64, options: Options) -> Result<Self, NotFunded> {
        let wallet = match (&self.wallet, options.grant) {
            (_, None) => None,
            (None, Some(grant)) => return Err(NotFunded::new(grant.amount(), 0)),
            (Some(wallet), Some(grant)) => Some(wallet.split(grant)?),
        };
        let mut child = self.child(options.seed.unwrap_or(seed));
        child.wallet = wallet;
        Ok(child)
    }

    fn child(&mut self, seed: u64) -> Self {
        let revision = self.revision();
        let lineage = Lineage {
            id: Id::next(),
            parent: Some(self.lineage.id),
            generation: self.lineage.generation + 1,
            forked_from: Some(revision),
        };
        Self::with(self.state.fork(), lineage, revision, seed)
    }

    /// The state as it is now, for reading and for [`World::restore`].
    #[must_use]
    pub fn snapshot(&mut self) -> Snapshot {
        let revision = self.revision();
        Snapshot::new(self.state.fork(), revision)
    }

    /// Gives the world the state of a snapshot. Its identity, seed and budget stay.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        let before = std::mem::replace(&mut self.state, snapshot.state());
        self.revision = snapshot.revision();
        self.is_written = false;
        // Code of users: at the end, when the world is whole.
        drop(before);
    }

    /// Makes `parent`, which this world was forked from, equal to this world. What is left of this
    /// world's grant goes back.
    ///
    /// # Errors
    ///
    /// When `parent` was written since, or is another world: then nothing has changed, and the
    /// error has this world.
    pub fn commit(mut self, parent: &mut Self) -> Result<(), CommitError> {
        if let Some(conflict) = self.conflict_with(parent) {
            return Err(CommitError::new(self, conflict));
        }
        parent.revision = self.revision();
        // What the parent no longer has is dropped at the end, when both are whole.
        std::mem::swap(&mut parent.state, &mut self.state);
        Ok(())
    }

    /// What stands in the way of committing it to `parent`.
    pub(super) fn conflict_with(&self, parent: &mut Self) -> Option<Conflict> {
        let conflict = Conflict {
            is_child: self.lineage.parent == Some(parent.lineage.id),
            forked_from: self.lineage.forked_from,
            parent: parent.revision(),
        };
        let is_free = conflict.is_child && conflict.forked_from == Some(conflict.parent);
        (!is_free).then_some(conflict)
    }

    /// Ends the world: its own values are dropped, and what is left of its grant goes back. The
    /// same as dropping it.
    pub fn discard(self) {}

    /// Gives the world a wallet, with an amount out of the ledger's reserve.
    ///
    /// What a wallet before it had left goes back first.
    ///
    /// # Errors
    ///
    /// When the reserve has not that much; a wallet before it is gone nevertheless.
    pub fn fund(&mut self, ledger: &Ledger, amount: u64) -> Result<(), NotFunded> {
        self.wallet = None;
        self.wallet = Some(ledger.open(amount)?);
        Ok(())
    }

    /// Gives the world a wallet.
    pub(super) fn adopt(&mut self, wallet: Wallet) {
        self.wallet = Some(wallet);
    }

    /// Takes the wallet for what leaves with the world.
    pub(super) fn escrow(&mut self, content: u64) {
        if let Some(wallet) = self.wallet.take() {
            wallet.escrow(content);
        }
    }

    /// What the world may spend and grant.
    #[must_use]
    pub fn balance(&self) -> u64 {
        self.wallet.as_ref().map_or(0, Wallet::balance)
    }

    /// Spends from the world's wallet, once for each `what`: asked again for what is paid, it
    /// takes nothing. Forks pay for themselves.
    ///
    /// # Errors
    ///
    /// When the wallet has not that much.
    pub fn spend(&mut self, what: u64, amount: u64) -> Result<(), NotFunded> {
        match &self.wallet {
            Some(wallet) => wallet.spend(what, amount),
            None if amount == 0 => Ok(()),
            None => Err(NotFunded::new(amount, 0)),
        }
    }
}

impl Default for World {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World")
            .field("id", &self.lineage.id)
            .field("parent", &self.lineage.parent)
            .field("entries", &self.len())
            .finish_non_exhaustive()
    }
}
