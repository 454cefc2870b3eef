//! A world whose gate is closed.

use std::future::poll_fn;
use std::sync::Arc;

use super::busy::Busy;
use super::clock::CLOCK;
use super::shared::Shared;
use crate::id::Id;
use crate::world::lineage::Revision;
use crate::world::world::World;

/// The right to a world that nobody else sends to from outside. Dropped, it opens the gate.
pub(super) struct Closing<'a> {
    pub(super) shared: &'a Arc<Shared>,
    world: Option<World>,
    /// The revision that what actors have amounts to.
    saved: Revision,
}

impl<'a> Closing<'a> {
    pub(super) async fn begin(shared: &'a Arc<Shared>) -> Self {
        let world = poll_fn(|cx| shared.poll_close(cx)).await;
        Self::with(shared, world)
    }

    pub(super) fn try_begin(shared: &'a Arc<Shared>) -> Result<Self, Busy> {
        Ok(Self::with(shared, shared.try_close()?))
    }

    fn with(shared: &'a Arc<Shared>, mut world: World) -> Self {
        let saved = world.revision();
        let world = Some(world);
        Self {
            shared,
            world,
            saved,
        }
    }

    pub(super) fn world(&self) -> &World {
        self.world
            .as_ref()
            .expect("it is there until the gate opens")
    }

    pub(super) fn world_mut(&mut self) -> &mut World {
        self.world
            .as_mut()
            .expect("it is there until the gate opens")
    }

    /// Waits until nothing is in flight.
    pub(super) async fn settle(&self) {
        poll_fn(|cx| self.shared.poll_settled(cx)).await;
    }

    /// Writes to the world what has changed. False if something went on meanwhile.
    ///
    /// Cancel safety: what is not written yet is, the next time.
    pub(super) async fn save(&mut self) -> bool {
        while let Some((part, cell)) = self.shared.next_dirty() {
            let unsaved = Unsaved {
                shared: self.shared,
                part: Some(part),
            };
            let save = cell.collect(part).await;
            if let Some(save) = save {
                save(self.world_mut());
            }
            unsaved.saved();
        }
        if let Some(clock) = self.shared.take_changed_clock() {
            self.world_mut().insert(CLOCK, clock);
        }
        self.saved = self.world_mut().revision();
        self.shared.is_quiet()
    }

    /// Takes the world out, for good.
    pub(super) fn end(mut self) -> World {
        let world = self.world.take().unwrap_or_default();
        self.shared.end();
        world
    }
}

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        if let Some(mut world) = self.world.take() {
            let is_replaced = world.revision() != self.saved;
            self.shared.open(world, is_replaced);
        }
    }
}

/// An actor whose state is being saved: unless that comes to its end, it is the next time.
struct Unsaved<'a> {
    shared: &'a Arc<Shared>,
    part: Option<Id>,
}

impl Unsaved<'_> {
    fn saved(mut self) {
        if let Some(part) = self.part.take() {
            self.shared.saved(part);
        }
    }
}

impl Drop for Unsaved<'_> {
    fn drop(&mut self) {
        if let Some(part) = self.part {
            self.shared.mark(part);
        }
    }
}
