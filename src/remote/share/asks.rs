//! Asks that wait for their answer, or whose answer waits for them.

use std::task::Waker;

use tokio::time::Instant;

use super::super::carry::{Arrived, AskKey as Key};
use super::super::frame::AskKey;
use super::super::limits::ASK_LIMIT;
use super::asker::Asker;
use super::wakes::Wakes;

/// The session's name of an ask is free again when its answer has come; the handle's, when it has
/// taken it.
pub(super) struct Asks {
    places: Vec<Place>,
    free: Vec<u32>,
    /// By the index of the session's name, which is dense: its turn, and the place.
    open: Vec<Option<(u32, u32)>>,
    /// Of open asks without a limit of their own none was sent before.
    oldest: Option<Instant>,
    /// About now: the driver's turn that goes on has begun since, or somebody has looked. To look
    /// for each ask would cost as much as to send it.
    pub(super) now: Instant,
}

struct Place {
    /// How often it was free.
    turn: u32,
    asked: Option<Asked>,
}

struct Asked {
    ask: AskKey,
    since: Instant,
    is_limited: bool,
    state: State,
}

enum State {
    Open(Option<Waker>),
    Arrived(Arrived),
}

impl Asks {
    pub(super) fn new() -> Self {
        Self {
            places: Vec::new(),
            free: Vec::new(),
            open: Vec::new(),
            oldest: None,
            now: Instant::now(),
        }
    }

    /// One that was sent. Gives the handle's name of it.
    /// `is_limited`: by who asks. `asker` is woken when the answer is there.
    pub(super) fn open(&mut self, ask: AskKey, is_limited: bool, asker: Option<Waker>) -> Key {
        let since = self.now;
        if !is_limited {
            self.oldest.get_or_insert(since);
        }
        let number = self.free.pop().unwrap_or_else(|| {
            self.places.push(Place {
                turn: 0,
                asked: None,
            });
            u32::try_from(self.places.len() - 1).expect("memory ends before")
        });
        if ask.index() >= self.open.len() {
            self.open.resize(ask.index() + 1, None);
        }
        self.open[ask.index()] = Some((ask.turn, number));
        let place = &mut self.places[number as usize];
        place.asked = Some(Asked {
            ask,
            since,
            is_limited,
            state: State::Open(asker),
        });
        Key(u64::from(place.turn) << 32 | u64::from(number))
    }

    /// The place of an ask that is open. It is open no more.
    fn close_open(&mut self, ask: AskKey) -> Option<u32> {
        let open = self.open.get_mut(ask.index())?;
        let (_, number) = open.take_if(|(turn, _)| *turn == ask.turn)?;
        Some(number)
    }

    fn place(&mut self, key: Key) -> Option<(u32, &mut Place)> {
        let number = u32::try_from(key.0 & u64::from(u32::MAX)).ok()?;
        let place = self.places.get_mut(number as usize)?;
        let is_it = u64::from(place.turn) == key.0 >> 32;
        is_it.then_some((number, place))
    }

    /// Frees a place.
    fn take(&mut self, key: Key) -> Option<Asked> {
        let (number, place) = self.place(key)?;
        let asked = place.asked.take()?;
        place.turn = place.turn.wrapping_add(1);
        self.free.push(number);
        Some(asked)
    }

    /// The answer has come. `None` if nobody waits for it.
    pub(super) fn arrive(
        &mut self,
        ask: AskKey,
        arrived: Arrived,
    ) -> Option<(Option<Waker>, Instant)> {
        let number = self.close_open(ask)?;
        let asked = self.places[number as usize].asked.as_mut()?;
        match std::mem::replace(&mut asked.state, State::Arrived(arrived)) {
            State::Open(waker) => Some((waker, asked.since)),
            State::Arrived(_) => None,
        }
    }

    /// When there may be asks that are overdue.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.oldest.map(|oldest| oldest + ASK_LIMIT)
    }

    /// Gives up those that are. Gives their names, and whom to wake.
    pub(super) fn sweep(&mut self, now: Instant) -> Vec<(AskKey, Option<Waker>)> {
        let mut overdue = Vec::new();
        self.oldest = None;
        for asked in self.places.iter().filter_map(|place| place.asked.as_ref()) {
            if asked.is_limited || !matches!(asked.state, State::Open(_)) {
                continue;
            }
            if asked.since + ASK_LIMIT <= now {
                overdue.push(asked.ask);
            } else {
                let oldest = self.oldest.get_or_insert(asked.since);
                *oldest = asked.since.min(*oldest);
            }
        }
        let arrive = |ask| {
            let (waker, _) = self.arrive(ask, Arrived::Overdue(ASK_LIMIT))?;
            Some((ask, waker))
        };
        overdue.into_iter().filter_map(arrive).collect()
    }

    /// Takes what has come, or keeps the waker.
    pub(super) fn poll(&mut self, key: Key, asker: &mut Asker<'_>) -> Option<Arrived> {
        let asked = self.place(key).and_then(|(_, place)| place.asked.as_mut());
        match asked.map(|asked| &mut asked.state) {
            None => return Some(Arrived::Lost), // it was taken before
            Some(State::Open(kept)) => asker.keep(kept),
            Some(State::Arrived(_)) => {
                if let Some(State::Arrived(arrived)) = self.take(key).map(|asked| asked.state) {
                    return Some(arrived);
                }
            }
        }
        None
    }

    /// Nobody waits for it any more. Gives the session's name, if it was open.
    pub(super) fn forget(&mut self, key: Key, wakes: &mut Wakes) -> Option<AskKey> {
        let asked = self.take(key)?;
        if let State::Open(Some(waker)) = asked.state {
            wakes.drop_later(waker);
        }
        self.close_open(asked.ask)?;
        Some(asked.ask)
    }

    /// One that was cancelled is over.
    pub(super) fn close(&mut self, ask: AskKey) {
        self.close_open(ask);
    }
}
