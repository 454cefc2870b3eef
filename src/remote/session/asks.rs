//! The asks of ours that are open.

use super::event::Event;
use crate::remote::frame::{AskId, AskKey, TargetId, Violation};

/// What is waited for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Waiting {
    /// Nothing: the place is free.
    None,
    /// The answer.
    Answer,
    /// The word that a cancelled ask is over.
    End,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    turn: u32,
    waiting: Waiting,
    target: TargetId,
    /// The number of the ask's last record; 0 while it is held back.
    number: u64,
}

/// A slab, as wide as the peer lets it be.
#[derive(Debug)]
pub(super) struct Asks {
    places: Vec<Place>,
    free: Vec<u32>,
    limit: u32,
}

/// An ask that is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct Over {
    pub(super) key: AskKey,
    pub(super) target: TargetId,
    pub(super) cancelled: bool,
}

impl Over {
    /// What is told of it: that it has ended, if that is all that is still waited for.
    #[inline]
    pub(super) fn or_ended(self, event: impl FnOnce(AskKey) -> Event) -> Event {
        if self.cancelled {
            Event::Ended { ask: self.key }
        } else {
            event(self.key)
        }
    }
}

impl Asks {
    pub(super) fn new(limit: u32) -> Self {
        Self {
            places: Vec::new(),
            free: Vec::new(),
            limit,
        }
    }

    pub(super) fn open(&self) -> u32 {
        (self.places.len() - self.free.len()) as u32
    }

    pub(super) fn has_room(&self) -> bool {
        self.open() < self.limit
    }

    /// Takes a place; there must be room.
    #[inline]
    pub(super) fn take(&mut self, target: TargetId) -> AskKey {
        let index = self.free.pop().unwrap_or_else(|| {
            self.places.push(Place {
                turn: 0,
                waiting: Waiting::None,
                target,
                number: 0,
            });
            self.places.len() as u32 - 1
        });
        let place = &mut self.places[index as usize];
        place.turn = place.turn.wrapping_add(1);
        place.waiting = Waiting::Answer;
        place.target = target;
        place.number = 0;
        AskKey {
            ask: AskId(index),
            turn: place.turn,
        }
    }

    /// The ask's last record is queued, under this number.
    #[inline]
    pub(super) fn queued(&mut self, key: AskKey, number: u64) {
        self.places[key.index()].number = number;
    }

    /// What is known of an ask: what it waits for, its target, its number. `None` if it is over.
    pub(super) fn look(&self, key: AskKey) -> Option<(Waiting, TargetId, u64)> {
        let place = self.places.get(key.index())?;
        let is_open = place.turn == key.turn && place.waiting != Waiting::None;
        is_open.then_some((place.waiting, place.target, place.number))
    }

    /// Nobody waits for its answer any more.
    pub(super) fn cancel(&mut self, key: AskKey) {
        self.places[key.index()].waiting = Waiting::End;
    }

    /// The peer says that an ask is over; it may say so of what it has been sent, which is all up
    /// to the number `sent`.
    #[inline]
    pub(super) fn finish(&mut self, ask: AskId, sent: u64) -> Result<Over, Violation> {
        let place = self.places.get_mut(ask.index()).ok_or(Violation::Unasked)?;
        if place.waiting == Waiting::None || place.number == 0 || place.number > sent {
            return Err(Violation::Unasked);
        }
        let key = AskKey {
            ask,
            turn: place.turn,
        };
        let cancelled = place.waiting == Waiting::End;
        let target = place.target;
        self.leave(key);
        Ok(Over {
            key,
            target,
            cancelled,
        })
    }

    /// Frees the place of an open ask.
    #[inline]
    pub(super) fn leave(&mut self, key: AskKey) {
        self.places[key.index()].waiting = Waiting::None;
        self.free.push(key.ask.0);
    }

    /// Those whose answer is waited for, with their numbers.
    pub(super) fn unanswered(&self) -> impl Iterator<Item = (AskKey, u64)> {
        let places = self.places.iter().enumerate();
        places
            .filter(|(_, place)| place.waiting == Waiting::Answer)
            .map(|(index, place)| {
                (
                    AskKey {
                        ask: AskId(index as u32),
                        turn: place.turn,
                    },
                    place.number,
                )
            })
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.places = Vec::new();
        self.free = Vec::new();
    }
}
