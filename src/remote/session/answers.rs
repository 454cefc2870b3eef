//! The peer's asks that run here.

use crate::remote::frame::{AskId, AskKey, TargetId, Violation};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Free,
    Running,
    Cancelled,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    turn: u32,
    state: State,
    /// `None`: one that the peer does not hold.
    target: Option<TargetId>,
}

/// A table by the peer's ids, which are bounded by what it was told.
#[derive(Debug)]
pub(super) struct Answers {
    places: Vec<Place>,
    running: u32,
    limit: u32,
}

impl Answers {
    pub(super) fn new(limit: u32) -> Self {
        Self {
            places: Vec::new(),
            running: 0,
            limit,
        }
    }

    pub(super) fn running(&self) -> u32 {
        self.running
    }

    /// An ask of the peer's has come.
    #[inline]
    pub(super) fn begin(
        &mut self,
        ask: AskId,
        target: Option<TargetId>,
    ) -> Result<AskKey, Violation> {
        if ask.0 >= self.limit {
            return Err(Violation::Name);
        }
        if ask.index() >= self.places.len() {
            let vacant = Place {
                turn: 0,
                state: State::Free,
                target,
            };
            self.places.resize(ask.index() + 1, vacant);
        }
        let place = &mut self.places[ask.index()];
        if place.state != State::Free {
            return Err(Violation::Name);
        }
        place.state = State::Running;
        place.turn = place.turn.wrapping_add(1);
        place.target = target;
        self.running += 1;
        Ok(AskKey {
            ask,
            turn: place.turn,
        })
    }

    /// Its asker has gone; `None` if it is over, or if that was known. What is over is none of the
    /// asker's fault: the two words have crossed.
    pub(super) fn cancel(&mut self, ask: AskId) -> Option<AskKey> {
        let place = self.places.get_mut(ask.index())?;
        (place.state == State::Running).then(|| {
            place.state = State::Cancelled;
            AskKey {
                ask,
                turn: place.turn,
            }
        })
    }

    /// It is over: its target, and whether it was cancelled. `None` if it was over before.
    #[inline]
    pub(super) fn finish(&mut self, key: AskKey) -> Option<(Option<TargetId>, bool)> {
        let place = self.places.get_mut(key.index())?;
        if place.turn != key.turn || place.state == State::Free {
            return None;
        }
        let cancelled = place.state == State::Cancelled;
        place.state = State::Free;
        self.running -= 1;
        Some((place.target, cancelled))
    }

    /// Those that run, and forgets them.
    pub(super) fn take_all(&mut self) -> Vec<AskKey> {
        self.running = 0;
        let places = std::mem::take(&mut self.places).into_iter().enumerate();
        places
            .filter(|(_, place)| place.state != State::Free)
            .map(|(index, place)| AskKey {
                ask: AskId(index as u32),
                turn: place.turn,
            })
            .collect()
    }
}
