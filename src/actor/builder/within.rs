//! Actors in places.

use super::Builder;
use crate::actor::life::Factory;
use crate::actor::place::Place;
use crate::actor::traits::Actor;

impl<A: Actor> Builder<A> {
    /// Puts the actor in a place. One that `goes_on` has started before: there is no start hook.
    pub(crate) fn within(self, place: Place, goes_on: bool) -> Self {
        Self {
            place: Some(place),
            goes_on,
            ..self
        }
    }

    /// What another state is made by.
    pub(crate) fn rebuilt_by(self, factory: Factory<A>) -> Self {
        Self {
            rebuild: Some(factory),
            ..self
        }
    }
}
