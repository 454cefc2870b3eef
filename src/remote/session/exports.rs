//! Our targets that the peer holds: what each has not taken yet, and how its window grows.

use super::window::{Window, cost};
use crate::remote::frame::{Record, TargetId, Violation};
use crate::remote::limits::{Limits, RECORD_COST};

#[derive(Debug)]
struct Export {
    /// Times that it was given to the peer and not handed back.
    given: u32,
    /// Handed back for good, of which its owner has not heard yet.
    is_leaving: bool,
    /// Asks that it may have open at a time, whatever the budget has.
    capacity: u32,
    window: Window,
    /// The widest window that the peer was ever told: it may be late to hear of another.
    widest: Window,
    used: Window,
    /// What was taken and the peer was not told of.
    returns: Window,
    /// What was taken or answered since the window grew.
    eaten: Window,
    /// Stands in the list of those with returns or a new window.
    listed: bool,
    grown: bool,
}

/// A table by ids of our own.
#[derive(Debug)]
pub(super) struct Exports {
    places: Vec<Export>,
    free: Vec<u32>,
    limit: u32,
    /// The budget of the session.
    asks: u32,
    bytes: u64,
    /// By how much one record may exceed it.
    overdraft: u64,
    /// What all targets hold of it.
    held_asks: u32,
    held_bytes: u64,
    /// Bytes that were taken and the peer was not told of.
    returns: u64,
    listed: Vec<TargetId>,
    urgent: bool,
    windows_grown: u64,
}

impl Exports {
    pub(super) fn new(limits: &Limits, limit: u32) -> Self {
        Self {
            places: Vec::new(),
            free: Vec::new(),
            limit,
            asks: limits.asks,
            bytes: limits.in_flight_bytes,
            overdraft: limits.payload_bytes + RECORD_COST,
            held_asks: 0,
            held_bytes: 0,
            returns: 0,
            listed: Vec::new(),
            urgent: false,
            windows_grown: 0,
        }
    }

    pub(super) fn held_bytes(&self) -> u64 {
        self.held_bytes
    }

    pub(super) fn windows_grown(&self) -> u64 {
        self.windows_grown
    }

    /// A target that is given to the peer for the first time; `None` at the limit.
    pub(super) fn add(&mut self, capacity: u32) -> Option<TargetId> {
        let index = match self.free.pop() {
            Some(index) => index,
            None if (self.places.len() as u64) < u64::from(self.limit) => {
                self.places.push(Export::new(0));
                self.places.len() as u32 - 1
            }
            None => return None,
        };
        self.places[index as usize] = Export::new(capacity.max(1));
        Some(TargetId(index))
    }

    /// It is given once more; false if the peer does not hold it.
    pub(super) fn give(&mut self, target: TargetId) -> bool {
        match self.held(target) {
            Some(export) => {
                export.given = export.given.saturating_add(1);
                true
            }
            None => false,
        }
    }

    fn held(&mut self, target: TargetId) -> Option<&mut Export> {
        self.places
            .get_mut(target.index())
            .filter(|export| export.given > 0)
    }

    pub(super) fn is_held(&self, target: TargetId) -> bool {
        self.places
            .get(target.index())
            .is_some_and(|export| export.given > 0)
    }

    /// The peer hands back `count` of the times that it was given the target. True if it holds it
    /// no more.
    pub(super) fn hand_back(&mut self, target: TargetId, count: u32) -> Result<bool, Violation> {
        let export = self.held(target).ok_or(Violation::Name)?;
        if count == 0 || count > export.given {
            return Err(Violation::Name);
        }
        export.given -= count;
        // What is given once more crossed this on the way: its window begins anew on both sides.
        export.window = Window::FIRST;
        export.eaten = Window::default();
        let is_over = export.given == 0;
        export.is_leaving = is_over;
        Ok(is_over)
    }

    /// Whoever uses the number here has heard that the peer holds the target no more.
    pub(super) fn released(&mut self, target: TargetId) {
        self.places[target.index()].is_leaving = false;
        self.settle(target);
    }

    /// An ask or a tell to a held target has come.
    #[inline]
    pub(super) fn arrive(
        &mut self,
        target: TargetId,
        payload: usize,
        is_ask: bool,
    ) -> Result<(), Violation> {
        let export = &mut self.places[target.index()];
        let cost = cost(payload);
        // The record that exceeds the budget need not come last: a large one is overtaken.
        let is_too_much = self.held_bytes + cost >= self.bytes + self.overdraft;
        if is_too_much || !export.widest.has_room(&export.used, is_ask) {
            return Err(Violation::Window);
        }
        export.used.asks += u32::from(is_ask);
        export.used.records += 1;
        export.used.bytes += cost;
        self.held_asks += u32::from(is_ask);
        self.held_bytes += cost;
        Ok(())
    }

    /// The target has taken so many records, with so many bytes of payload.
    #[inline]
    pub(super) fn consumed(&mut self, target: TargetId, records: u32, payload_bytes: u64) {
        let Some(export) = self.places.get_mut(target.index()) else {
            return;
        };
        let records = records.min(export.used.records);
        if records == 0 {
            return;
        }
        let bytes = (payload_bytes + u64::from(records) * RECORD_COST).min(export.used.bytes);
        export.used.records -= records;
        export.used.bytes -= bytes;
        self.held_bytes -= bytes;
        for sum in [&mut export.returns, &mut export.eaten] {
            sum.records += records;
            sum.bytes += bytes;
        }
        self.returns += bytes;
        let half = export.returns.records >= export.window.records.div_ceil(2)
            || export.returns.bytes * 2 >= export.window.bytes;
        self.urgent |= half || self.returns * 4 >= self.bytes;
        if !export.listed {
            export.listed = true;
            self.listed.push(target);
        }
        if export.eaten.records >= export.window.records
            || export.eaten.bytes >= export.window.bytes
        {
            self.grow(target);
        }
        let export = &self.places[target.index()];
        if export.used.records == 0 && export.used.asks >= export.window.asks {
            self.grow_asks(target); // who takes all and answers later holds up nobody
        }
        if self.places[target.index()].given == 0 {
            self.settle(target);
        }
    }

    /// An ask of a target is over.
    #[inline]
    pub(super) fn answered(&mut self, target: TargetId) {
        let Some(export) = self.places.get_mut(target.index()) else {
            return;
        };
        export.used.asks -= 1;
        export.eaten.asks += 1;
        self.held_asks -= 1;
        if export.eaten.asks >= export.window.asks {
            self.grow_asks(target);
        }
        if self.places[target.index()].given == 0 {
            self.settle(target);
        }
    }

    /// A whole window was taken: the next one is twice as wide, but never more than half of what
    /// the others leave of the budget.
    fn grow(&mut self, target: TargetId) {
        let export = &mut self.places[target.index()];
        export.eaten.records = 0;
        export.eaten.bytes = 0;
        let others = self.held_bytes - export.used.bytes;
        let bytes_max = self.bytes.saturating_sub(others) / 2;
        let records_max = u32::try_from(bytes_max / RECORD_COST).unwrap_or(u32::MAX);
        let window = Window {
            asks: export.window.asks,
            records: export.window.records.saturating_mul(2).min(records_max),
            bytes: (export.window.bytes * 2).min(bytes_max),
        };
        self.widen(target, window);
    }

    /// The same for asks that were answered, within the target's capacity.
    fn grow_asks(&mut self, target: TargetId) {
        let export = &mut self.places[target.index()];
        export.eaten.asks = 0;
        let others = self.held_asks - export.used.asks;
        let asks_max = (self.asks.saturating_sub(others) / 2).min(export.capacity);
        let asks = export.window.asks.saturating_mul(2).min(asks_max);
        let window = Window {
            asks,
            ..export.window
        };
        self.widen(target, window);
    }

    fn widen(&mut self, target: TargetId, window: Window) {
        let export = &mut self.places[target.index()];
        let window = export.window.max(window);
        if window == export.window {
            return;
        }
        export.window = window;
        export.widest = export.widest.max(window);
        export.grown = true;
        self.windows_grown += 1;
        self.urgent = true;
        if !export.listed {
            export.listed = true;
            self.listed.push(target);
        }
    }

    /// Frees the place of a target that the peer holds no more and that has taken all, once the
    /// peer has been told of that.
    fn settle(&mut self, target: TargetId) {
        let export = &self.places[target.index()];
        match export.is_free() {
            true if export.listed => self.urgent = true,
            true => self.free.push(target.0), // it has been told
            false => {}
        }
    }

    /// Whether the peer should hear now of what was taken.
    #[inline]
    pub(super) fn is_urgent(&self) -> bool {
        self.urgent
    }

    /// Has it hear soon, though nobody waits for it.
    pub(super) fn hurry(&mut self) {
        self.urgent = !self.listed.is_empty();
    }

    /// Says what the peer should hear.
    pub(super) fn flush(&mut self, mut say: impl FnMut(Record)) {
        self.urgent = false;
        for target in self.listed.drain(..) {
            let export = &mut self.places[target.index()];
            export.listed = false;
            let returns = std::mem::take(&mut export.returns);
            self.returns -= returns.bytes;
            if returns.records > 0 {
                let Window { records, bytes, .. } = returns;
                say(Record::Credit {
                    target,
                    records,
                    bytes,
                });
            }
            if std::mem::take(&mut export.grown) && export.given > 0 {
                let Window {
                    asks,
                    records,
                    bytes,
                } = export.window;
                say(Record::Window {
                    target,
                    asks,
                    records,
                    bytes,
                });
            }
            if export.is_free() {
                self.free.push(target.0);
            }
        }
    }
}

impl Export {
    /// Whether its number may be given anew, once the peer has been told what was taken.
    fn is_free(&self) -> bool {
        self.given == 0 && !self.is_leaving && self.used == Window::default()
    }

    fn new(capacity: u32) -> Self {
        Self {
            given: u32::from(capacity > 0),
            is_leaving: false,
            capacity,
            window: Window::FIRST,
            widest: Window::FIRST,
            used: Window::default(),
            returns: Window::default(),
            eaten: Window::default(),
            listed: false,
            grown: false,
        }
    }
}
