//! Where an actor of a world lives: what its cell knows of it.

use std::sync::{Arc, Weak};

use super::shared::Shared;
use crate::actor::{Head, Place};
use crate::id::Id;

/// An actor's place.
pub(super) struct Seat {
    pub(super) part: Id,
    stage: Weak<Shared>,
}

impl Seat {
    pub(super) fn place(part: Id, stage: &Arc<Shared>) -> Place {
        let stage = Arc::downgrade(stage);
        Arc::new(Self { part, stage })
    }

    /// The stage, and which actor of it lives there.
    pub(super) fn of(place: &Place) -> Option<(Arc<Shared>, Id)> {
        let seat = place.downcast_ref::<Self>()?;
        Some((seat.stage.upgrade()?, seat.part))
    }
}

impl Shared {
    /// The stage of the actor whose code this thread runs.
    pub(super) fn here() -> Option<Arc<Self>> {
        let (stage, _) = Head::with_place(Seat::of)??;
        Some(stage)
    }
}

/// A stage, and whether who sends is an actor of it.
pub(super) struct Room {
    pub(super) stage: Arc<Shared>,
    pub(super) is_inside: bool,
}

impl Room {
    pub(super) fn inside(stage: Arc<Shared>) -> Self {
        let is_inside = true;
        Self { stage, is_inside }
    }
}
