//! Who answers the savepoints of a program, and hears of its end.

use std::fmt;
use std::sync::Arc;

use super::address::Site;
use super::end::End;
use super::program::Program;
use super::savepoint::Savepoint;
use super::world::World;
use crate::error::BoxError;

type OnSite<P> = Arc<dyn Fn(Savepoint<'_, P>) -> Result<(), BoxError> + Send + Sync>;
type OnEnd<P> = Arc<dyn Fn(&mut World, &End<P>) + Send + Sync>;

/// The handlers of a program: per site, for any other site, and for the end.
///
/// Forks inherit them, and may replace them in their own copy. A site without a handler is no
/// savepoint: the program goes on with what it has offered.
///
/// A handler runs on the thread that runs the program, before the step after it. State that it
/// keeps outside of the world is shared by all forks.
pub struct Handlers<P: Program>(Arc<Table<P>>);

struct Table<P: Program> {
    sites: Vec<(Site, OnSite<P>)>,
    other: Option<OnSite<P>>,
    end: Option<OnEnd<P>>,
}

impl<P: Program> Handlers<P> {
    /// No handlers.
    #[must_use]
    pub fn new() -> Self {
        Self(Arc::new(Table {
            sites: Vec::new(),
            other: None,
            end: None,
        }))
    }

    /// Answers the savepoints of a site.
    ///
    /// A handler may resume, abandon or hold the savepoint. If it does nothing, the run waits for
    /// who owns it. If it fails or panics, and has not answered, the run fails.
    #[must_use]
    pub fn on<F, R>(mut self, site: Site, handler: F) -> Self
    where
        F: Fn(Savepoint<'_, P>) -> R + Send + Sync + 'static,
        R: Outcome,
    {
        let handler: OnSite<P> = Arc::new(move |savepoint| handler(savepoint).into_result());
        let sites = &mut Arc::make_mut(&mut self.0).sites;
        match sites.iter_mut().find(|entry| entry.0 == site) {
            Some(entry) => entry.1 = handler,
            None => sites.push((site, handler)),
        }
        self
    }

    /// Answers the savepoints of all sites that have no handler of their own.
    #[must_use]
    pub fn on_any<F, R>(mut self, handler: F) -> Self
    where
        F: Fn(Savepoint<'_, P>) -> R + Send + Sync + 'static,
        R: Outcome,
    {
        let handler: OnSite<P> = Arc::new(move |savepoint| handler(savepoint).into_result());
        Arc::make_mut(&mut self.0).other = Some(handler);
        self
    }

    /// Hears of the end of each run, once, with the world that it ended in. A panic there changes
    /// nothing.
    #[must_use]
    pub fn on_end(mut self, handler: impl Fn(&mut World, &End<P>) + Send + Sync + 'static) -> Self {
        Arc::make_mut(&mut self.0).end = Some(Arc::new(handler));
        self
    }

    #[inline]
    pub(super) fn find(&self, site: Site) -> Option<&OnSite<P>> {
        let table = &*self.0;
        match table.sites.iter().find(|entry| entry.0 == site) {
            Some((_, handler)) => Some(handler),
            None => table.other.as_ref(),
        }
    }

    pub(super) fn tell_end(&self, world: &mut World, end: &End<P>) {
        let Some(handler) = &self.0.end else {
            return;
        };
        crate::contain::contain(|| handler(world, end));
    }
}

/// What a handler may return: nothing, or a `Result` whose error fails the run if the savepoint
/// has not been answered.
pub trait Outcome {
    /// Whether the handler has failed.
    ///
    /// # Errors
    ///
    /// With what it failed.
    fn into_result(self) -> Result<(), BoxError>;
}

impl Outcome for () {
    #[inline]
    fn into_result(self) -> Result<(), BoxError> {
        Ok(())
    }
}

impl<E: Into<BoxError>> Outcome for Result<(), E> {
    #[inline]
    fn into_result(self) -> Result<(), BoxError> {
        self.map_err(Into::into)
    }
}

impl<P: Program> Clone for Table<P> {
    fn clone(&self) -> Self {
        Self {
            sites: self.sites.clone(),
            other: self.other.clone(),
            end: self.end.clone(),
        }
    }
}

impl<P: Program> Clone for Handlers<P> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<P: Program> Default for Handlers<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Program> fmt::Debug for Handlers<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handlers")
            .field("sites", &self.0.sites.len())
            .field("any", &self.0.other.is_some())
            .field("end", &self.0.end.is_some())
            .finish()
    }
}
