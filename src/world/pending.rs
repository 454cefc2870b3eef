//! The savepoints that wait for whoever claims them.

use std::collections::BTreeMap;

use crate::sync::Mutex;

/// What is held, by token.
///
/// A claim takes its entry out: that one step picks the winner, so the table is as large as what
/// waits, and a token of something claimed names nothing, ever again. Publication and the close
/// are sections under one lock: an entry is either refused, or found by the close.
#[derive(Debug)]
pub(super) struct Pending<T>(Mutex<Table<T>>);

#[derive(Debug)]
struct Table<T> {
    entries: BTreeMap<u64, T>,
    next: u64,
    is_closed: bool,
    peak: usize,
}

impl<T> Pending<T> {
    pub(super) fn new() -> Self {
        Self(Mutex::new(Table {
            entries: BTreeMap::new(),
            next: 0,
            is_closed: false,
            peak: 0,
        }))
    }

    /// Puts it in, unless closed: then it is handed back.
    pub(super) fn publish(&self, value: T) -> Result<u64, T> {
        let mut table = self.0.lock();
        if table.is_closed {
            return Err(value);
        }
        let token = table.next;
        table.next += 1;
        table.entries.insert(token, value);
        table.peak = table.peak.max(table.entries.len());
        Ok(token)
    }

    /// Takes it out, for one of all those that try.
    pub(super) fn claim(&self, token: u64) -> Option<T> {
        self.0.lock().entries.remove(&token)
    }

    /// Looks at it, if it still waits. No code of users runs in `look`.
    pub(super) fn look<R>(&self, token: u64, look: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.0.lock().entries.get_mut(&token).map(look)
    }

    /// Refuses what comes from now on, and hands out what waits, newest first.
    pub(super) fn close(&self) -> Vec<T> {
        let entries = {
            let mut table = self.0.lock();
            table.is_closed = true;
            std::mem::take(&mut table.entries)
        };
        entries.into_values().rev().collect()
    }

    /// How many wait, and how many did at most.
    #[cfg(not(greenroom_loom))]
    pub(super) fn len_and_peak(&self) -> (usize, usize) {
        let table = self.0.lock();
        (table.entries.len(), table.peak)
    }
}
