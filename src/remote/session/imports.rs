//! The peer's targets that we hold, and how much is under way to each.

use std::collections::VecDeque;

use bytes::Bytes;

use super::wanted::Wanted;
use super::window::Window;
use crate::remote::frame::{AskKey, Record, TargetId, Violation};

/// What waits until a large record before it, to the same target, is all sent.
#[derive(Debug)]
pub(super) struct Behind {
    pub(super) record: Record,
    pub(super) payload: Bytes,
    pub(super) ask: Option<AskKey>,
}

#[derive(Debug)]
pub(super) struct Import {
    /// Times that it was given and not handed back.
    given: u32,
    pub(super) window: Window,
    pub(super) used: Window,
    pub(super) wanted: Wanted,
    /// A large record to it is on its way, in order before `behind`.
    pub(super) large: bool,
    pub(super) behind: VecDeque<Behind>,
}

/// A table by the peer's ids, which are bounded by what both sides allow.
#[derive(Debug)]
pub(super) struct Imports {
    places: Vec<Import>,
    limit: u32,
    /// What all used windows hold.
    bytes: u64,
    /// Bytes of all payloads that wait behind a large record.
    behind_bytes: u64,
}

impl Imports {
    pub(super) fn new(limit: u32) -> Self {
        Self {
            places: Vec::new(),
            limit,
            bytes: 0,
            behind_bytes: 0,
        }
    }

    /// Bytes that are under way to all targets.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(super) fn behind_bytes(&self) -> u64 {
        self.behind_bytes
    }

    /// The peer gave us a target, for the first time or once more.
    pub(super) fn give(&mut self, target: TargetId) -> Result<(), Violation> {
        if target.0 >= self.limit {
            return Err(Violation::Name);
        }
        if target.index() >= self.places.len() {
            self.places.resize_with(target.index() + 1, Import::vacant);
        }
        let import = &mut self.places[target.index()];
        if import.given == 0 {
            import.window = Window::FIRST;
        }
        import.given = import.given.checked_add(1).ok_or(Violation::Name)?;
        Ok(())
    }

    /// Hands all back; so many times it was given.
    pub(super) fn hand_back(&mut self, target: TargetId) -> u32 {
        let import = self.places.get_mut(target.index());
        import.map_or(0, |import| std::mem::take(&mut import.given))
    }

    #[inline]
    pub(super) fn held(&mut self, target: TargetId) -> Option<&mut Import> {
        self.places
            .get_mut(target.index())
            .filter(|import| import.given > 0)
    }

    /// Also one that was handed back: what is under way to it still counts.
    pub(super) fn known(&mut self, target: TargetId) -> Option<&mut Import> {
        self.places.get_mut(target.index())
    }

    /// An ask or a tell to a held target is on its way.
    #[inline]
    pub(super) fn charge(&mut self, target: TargetId, cost: u64, is_ask: bool) {
        let used = &mut self.places[target.index()].used;
        used.asks += u32::from(is_ask);
        used.records += 1;
        used.bytes += cost;
        self.bytes += cost;
    }

    /// So much has been taken there, or was never sent.
    pub(super) fn credit(
        &mut self,
        target: TargetId,
        records: u32,
        bytes: u64,
    ) -> Result<&mut Import, Violation> {
        let import = self.places.get_mut(target.index()).ok_or(Violation::Name)?;
        if records > import.used.records || bytes > import.used.bytes {
            return Err(Violation::Unasked);
        }
        import.used.records -= records;
        import.used.bytes -= bytes;
        self.bytes -= bytes;
        Ok(import)
    }

    /// An ask is over. Whether someone waits for room to its target, and there is some.
    #[inline]
    pub(super) fn answered(&mut self, target: TargetId) -> bool {
        let import = &mut self.places[target.index()];
        import.used.asks -= 1;
        import.grants()
    }

    /// Puts a record behind the large one before it.
    pub(super) fn put_behind(&mut self, target: TargetId, behind: Behind) {
        self.behind_bytes += behind.payload.len() as u64;
        self.places[target.index()].behind.push_back(behind);
    }

    /// The next of those, while no large one is before it.
    pub(super) fn take_behind(&mut self, target: TargetId) -> Option<Behind> {
        let import = self.places.get_mut(target.index())?;
        let behind = if import.large {
            None
        } else {
            import.behind.pop_front()
        }?;
        self.behind_bytes -= behind.payload.len() as u64;
        Some(behind)
    }

    /// Takes an ask out of those.
    pub(super) fn withdraw(&mut self, target: TargetId, ask: AskKey) -> Option<Behind> {
        let line = &mut self.places.get_mut(target.index())?.behind;
        let place = line.iter().position(|behind| behind.ask == Some(ask))?;
        let behind = line.remove(place)?;
        self.behind_bytes -= behind.payload.len() as u64;
        Some(behind)
    }

    /// Tells that are not on their way yet.
    pub(super) fn tells_behind(&self) -> u64 {
        let lines = self.places.iter().flat_map(|import| &import.behind);
        lines
            .filter(|behind| matches!(behind.record, Record::Tell { .. }))
            .count() as u64
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        *self = Self::new(0);
    }
}

impl Import {
    fn vacant() -> Self {
        Self {
            given: 0,
            window: Window::FIRST,
            used: Window::default(),
            wanted: Wanted::default(),
            large: false,
            behind: VecDeque::new(),
        }
    }

    /// Whether someone waits for room, and there is some; who waits is told, and waits no more.
    #[inline]
    pub(super) fn grants(&mut self) -> bool {
        let (window, used) = (self.window, self.used);
        self.wanted.grant(|is_ask| window.has_room(&used, is_ask))
    }
}
