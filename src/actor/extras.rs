//! What few actors have.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::estate::Estate;
use super::incarnation::Incarnation;
use super::life::Life;
use super::link::Links;
use super::stash::Stash;
use super::undelivered;
use crate::sync::Mutex;

/// What few actors have.
#[derive(Default)]
pub(super) struct Extras {
    /// What was said at spawn of an actor that says more than its type does.
    pub(super) undelivered: Option<undelivered::Hook>,
    /// If it was said that it may live on after a failure.
    pub(super) life: Option<Life>,
    pub(super) links: Links,
    /// What belongs to its incarnation, if something does.
    pub(super) incarnation: Mutex<Option<Arc<Incarnation>>>,
    /// What it has put aside.
    pub(super) stash: Stash,
    pub(super) estate: Estate,
    /// Whether it was asked inline since somebody looked.
    pub(super) touched: AtomicBool,
    /// Where it lives, if it does so elsewhere than in the process at large.
    #[cfg(feature = "world")]
    pub(super) place: Option<super::place::Place>,
}

impl Extras {
    pub(super) fn boxed(self) -> Option<Box<Self>> {
        let is_some = self.undelivered.is_some() || self.life.is_some();
        #[cfg(feature = "world")]
        let is_some = is_some || self.place.is_some();
        is_some.then(|| Box::new(self))
    }
}
