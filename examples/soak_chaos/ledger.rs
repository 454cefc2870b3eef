//! What actors and messages say of themselves, to be compared with what supervisors say of them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use greenroom::Id;

/// What has become of messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fates {
    pub made: u64,
    pub handled: u64,
    /// With the incarnation that was handling it.
    pub lost: u64,
    pub returned: u64,
    pub undelivered: u64,
    /// Dropped by nobody who says so. There must be none.
    pub vanished: u64,
}

/// What an actor went through, by its own count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Life {
    pub built: u64,
    /// Ends by a failed start, or a panic at a task.
    pub failed: u64,
    pub alive: i64,
    /// Times that it was told to end at once, or to begin anew, by somebody from outside.
    pub disturbed: u64,
    /// Times that it came into its group, and that its name was another's.
    pub joined: u64,
    pub clashes: u64,
}

#[derive(Clone, Default)]
pub struct Ledger(Arc<Mutex<Book>>);

#[derive(Default)]
pub struct Book {
    pub fates: Fates,
    pub lives: BTreeMap<usize, Life>,
    /// Who has got which name last, and has not given it up.
    pub desks: BTreeMap<usize, Id>,
}

impl Ledger {
    pub fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn note(&self) -> Note {
        self.book().fates.made += 1;
        Note {
            ledger: self.clone(),
            state: State::Open,
        }
    }

    /// A clerk has got a name.
    pub fn seat(&self, desk: usize, clerk: Id) {
        self.book().desks.insert(desk, clerk);
    }

    /// It has given it up.
    pub fn leave(&self, desk: usize, clerk: Id) {
        let desks = &mut self.book().desks;
        if desks.get(&desk) == Some(&clerk) {
            desks.remove(&desk);
        }
    }

    pub fn life(&self, actor: usize, change: impl FnOnce(&mut Life)) {
        change(self.book().lives.entry(actor).or_default());
    }
}

enum State {
    Open,
    Begun,
    Closed,
}

/// A message: wherever it is dropped, it has met a fate by then.
pub struct Note {
    ledger: Ledger,
    state: State,
}

impl Note {
    pub fn begin(&mut self) {
        self.state = State::Begun;
    }

    pub fn handled(self) {
        self.close(|fates| fates.handled += 1);
    }

    pub fn returned(self) {
        self.close(|fates| fates.returned += 1);
    }

    pub fn undelivered(self) {
        self.close(|fates| fates.undelivered += 1);
    }

    fn close(mut self, count: impl FnOnce(&mut Fates)) {
        self.state = State::Closed;
        count(&mut self.ledger.book().fates);
    }
}

/// Another message, which meets a fate of its own.
impl Clone for Note {
    fn clone(&self) -> Self {
        self.ledger.note()
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        match self.state {
            State::Open => self.ledger.book().fates.vanished += 1,
            State::Begun => self.ledger.book().fates.lost += 1,
            State::Closed => {}
        }
    }
}
