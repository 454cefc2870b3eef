//! A program with a few savepoints, and a token that counts what lives.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use greenroom::world::{Handlers, Program, Run, Scope, Site, Step, World};

pub(crate) const FIRST: Site = Site::named("first");
pub(crate) const SECOND: Site = Site::named("second");

/// Goes by turns to two sites, and folds what it is given.
#[derive(Debug, Clone)]
pub(crate) struct Fold {
    pub(crate) sites: u64,
    pub(crate) done: u64,
    pub(crate) sum: u64,
    /// Whether all occurrences have one explicit address.
    pub(crate) id: Option<u64>,
    pub(crate) fails_at: Option<u64>,
    pub(crate) _token: Option<Token>,
}

impl Fold {
    pub(crate) fn of(sites: u64) -> Self {
        Self {
            sites,
            done: 0,
            sum: 0,
            id: None,
            fails_at: None,
            _token: None,
        }
    }

    pub(crate) fn with(sites: u64, token: &Token) -> Self {
        Self {
            _token: Some(token.clone()),
            ..Self::of(sites)
        }
    }
}

pub(crate) fn fold(sum: u64, value: u64) -> u64 {
    sum.wrapping_mul(31).wrapping_add(value)
}

impl Program for Fold {
    type Payload = u64;
    type Value = u64;
    type Output = u64;
    type Error = String;

    fn step(&mut self, _: &mut Scope<'_>, value: Option<u64>) -> Step<Self> {
        if let Some(value) = value {
            self.sum = fold(self.sum, value);
            self.done += 1;
        }
        if self.fails_at == Some(self.done) {
            return Step::Failed("as told".to_owned());
        }
        if self.done == self.sites {
            return Step::Done(self.sum);
        }
        let site = if self.done.is_multiple_of(2) {
            FIRST
        } else {
            SECOND
        };
        match self.id {
            Some(id) => Step::savepoint_at(site, id, self.done),
            None => Step::savepoint(site, self.done),
        }
    }
}

/// Leaves every savepoint to who owns the run.
pub(crate) fn left_alone() -> Handlers<Fold> {
    Handlers::<Fold>::new().on_any(|_savepoint| ())
}

pub(crate) fn started(sites: u64) -> Run<Fold> {
    Run::start(World::seeded(1), Fold::of(sites), &left_alone())
}

/// Counts its clones that live.
#[derive(Debug)]
pub(crate) struct Token(Arc<AtomicUsize>);

impl Token {
    pub(crate) fn new() -> Self {
        Self(Arc::new(AtomicUsize::new(1)))
    }

    pub(crate) fn alive(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

impl Clone for Token {
    fn clone(&self) -> Self {
        self.0.fetch_add(1, Ordering::SeqCst);
        Self(self.0.clone())
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
