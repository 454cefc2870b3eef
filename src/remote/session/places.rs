//! Numbers that one side gives out, and that are free again when the other side has answered.

use crate::remote::frame::Violation;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Free,
    Taken,
    /// Its answer is no longer wanted, and still comes.
    Revoked,
}

/// The numbers of one kind in one direction: look-ups, or monitors. Who gives them out calls
/// `take`, the other side `arrive`.
#[derive(Debug)]
pub(super) struct Places {
    places: Vec<Place>,
    free: Vec<u32>,
    limit: u32,
}

impl Places {
    pub(super) fn new(limit: u32) -> Self {
        Self {
            places: Vec::new(),
            free: Vec::new(),
            limit,
        }
    }

    /// A number that is free; `None` at the limit.
    pub(super) fn take(&mut self) -> Option<u32> {
        if let Some(index) = self.free.pop() {
            self.places[index as usize] = Place::Taken;
            return Some(index);
        }
        let index = u32::try_from(self.places.len())
            .ok()
            .filter(|&index| index < self.limit)?;
        self.places.push(Place::Taken);
        Some(index)
    }

    /// The answer has come to a number that was given out.
    pub(super) fn give_back(&mut self, index: u32) -> Result<(), Violation> {
        if !self.leave(index) {
            return Err(Violation::Unasked);
        }
        self.free.push(index);
        Ok(())
    }

    /// The peer uses a number.
    pub(super) fn arrive(&mut self, index: u32) -> Result<(), Violation> {
        if index >= self.limit {
            return Err(Violation::Name);
        }
        if index as usize >= self.places.len() {
            self.places.resize(index as usize + 1, Place::Free);
        }
        let place = &mut self.places[index as usize];
        if *place != Place::Free {
            return Err(Violation::Name);
        }
        *place = Place::Taken;
        Ok(())
    }

    /// Its answer is no longer wanted; false if it is not awaited, or that was said.
    pub(super) fn revoke(&mut self, index: u32) -> bool {
        let place = self.places.get_mut(index as usize);
        place.is_some_and(|place| {
            let is_taken = *place == Place::Taken;
            if is_taken {
                *place = Place::Revoked;
            }
            is_taken
        })
    }

    /// It is answered; false if that was not awaited.
    pub(super) fn leave(&mut self, index: u32) -> bool {
        let place = self.places.get_mut(index as usize);
        place.is_some_and(|place| std::mem::replace(place, Place::Free) != Place::Free)
    }
}
