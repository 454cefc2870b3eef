//! A mailbox without nodes, batches, flags and shared words: what the real one must be like.

use std::collections::VecDeque;

use super::super::{Lane, Overflow, Refused, Tag};
use crate::limits::{BACKGROUND_MESSAGES, URGENT_IN_A_ROW};

/// What is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wish {
    Message(usize, Tag),
    Slots(usize),
}

/// Where a wish stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Granted,
    Waiting,
    Refused(Refused),
    Dropped,
}

#[derive(Clone, Copy, Debug)]
struct Item {
    word: usize,
    tag: Tag,
    weight: usize,
    holds_slot: bool,
    /// The order of acceptance.
    age: usize,
}

#[derive(Debug)]
pub(super) struct Naive {
    pub(super) capacity: usize,
    bytes_max: Option<usize>,
    lanes: [VecDeque<Item>; 3],
    /// Who waits, by number.
    pub(super) line: VecDeque<(usize, Wish)>,
    pub(super) reserved: usize,
    pub(super) closed: bool,
    pub(super) dropped: Vec<usize>,
    /// Those of the line whose wish was granted.
    pub(super) granted: Vec<usize>,
    attended: bool,
    age: usize,
    urgent_run: u32,
    passed: u32,
}

const LANES: [Lane; 3] = [Lane::Urgent, Lane::Normal, Lane::Background];

impl Naive {
    pub(super) fn new(capacity: usize, bytes_max: Option<usize>) -> Self {
        Self {
            capacity,
            bytes_max,
            lanes: Default::default(),
            line: VecDeque::new(),
            reserved: 0,
            closed: false,
            dropped: Vec::new(),
            granted: Vec::new(),
            attended: false,
            age: 0,
            urgent_run: 0,
            passed: 0,
        }
    }

    fn items(&self) -> impl Iterator<Item = &Item> {
        self.lanes.iter().flatten()
    }

    pub(super) fn used(&self) -> usize {
        self.items().filter(|item| item.holds_slot).count() + self.reserved
    }

    pub(super) fn bytes(&self) -> usize {
        self.items().map(|item| item.weight).sum()
    }

    fn weight(&self, tag: &Tag) -> usize {
        self.bytes_max.map_or(0, |most| tag.bytes.min(most))
    }

    fn replaced(&self, tag: &Tag) -> Option<Item> {
        let same = |item: &&Item| {
            let both = [tag.overflow, item.tag.overflow];
            both == [Overflow::Latest; 2] && item.tag.key == tag.key
        };
        self.items().find(same).copied()
    }

    fn fits(&self, wish: &Wish) -> bool {
        self.fits_without(wish, 0, 0)
    }

    fn gains(&self, wish: &Wish) -> bool {
        let droppable = |item: &&Item| item.tag.overflow == Overflow::DropOldest;
        let count = self.items().filter(droppable).count();
        let bytes = self.items().filter(droppable).map(|item| item.weight).sum();
        let head = self.line.front().map_or(wish, |(_, wish)| wish);
        self.fits_without(head, count, bytes)
    }

    fn fits_without(&self, wish: &Wish, count: usize, bytes: usize) -> bool {
        let tag = match wish {
            Wish::Slots(slots) => {
                return self.used() - count + slots.min(&self.capacity) <= self.capacity;
            }
            Wish::Message(_, tag) => tag,
        };
        let old = self.replaced(tag);
        let left = self.bytes() - bytes - old.map_or(0, |old| old.weight);
        let weight = self.weight(tag);
        (old.is_some() || self.used() - count < self.capacity)
            && (weight == 0 || left + weight <= self.bytes_max.unwrap_or(usize::MAX))
    }

    fn remove(&mut self, age: usize) {
        for lane in &mut self.lanes {
            if let Some(at) = lane.iter().position(|item| item.age == age) {
                self.dropped.extend(lane.remove(at).map(|item| item.word));
            }
        }
        self.note_background();
    }

    fn note_background(&mut self) {
        if self.lanes[Lane::Background as usize].is_empty() {
            self.passed = 0;
        }
    }

    fn place(&mut self, wish: &Wish) {
        match *wish {
            Wish::Slots(slots) => self.reserved += slots,
            Wish::Message(word, tag) => {
                if let Some(old) = self.replaced(&tag) {
                    self.remove(old.age);
                }
                self.append(word, tag, true);
            }
        }
    }

    fn append(&mut self, word: usize, tag: Tag, holds_slot: bool) {
        self.age += 1;
        let item = Item {
            word,
            tag,
            weight: self.weight(&tag),
            holds_slot,
            age: self.age,
        };
        self.lanes[tag.lane as usize].push_back(item);
        self.attended = true;
    }

    pub(super) fn grant(&mut self) {
        while let Some((number, wish)) = self.line.front().copied() {
            if self.closed || !self.fits(&wish) {
                return;
            }
            self.line.pop_front();
            self.place(&wish);
            self.granted.push(number);
        }
    }

    /// Wishes for something; `number` names who waits, if that is allowed.
    pub(super) fn wish(&mut self, wish: Wish, number: Option<usize>) -> State {
        if self.closed {
            return State::Refused(Refused::Closed);
        }
        if matches!(wish, Wish::Slots(slots) if slots > self.capacity) {
            return State::Refused(Refused::Full);
        }
        loop {
            if self.line.is_empty() && self.fits(&wish) {
                self.place(&wish);
                return State::Granted;
            }
            let overflow = match wish {
                Wish::Slots(_) => Overflow::Wait,
                Wish::Message(_, tag) => tag.overflow,
            };
            let droppable = |item: &&Item| item.tag.overflow == Overflow::DropOldest;
            let oldest = self.items().filter(droppable).map(|item| item.age).min();
            match (overflow, number, oldest) {
                (Overflow::Wait | Overflow::Latest, Some(number), _) => {
                    self.line.push_back((number, wish));
                    return State::Waiting;
                }
                (Overflow::DropOldest, _, Some(oldest)) if self.gains(&wish) => {
                    self.remove(oldest);
                    self.grant();
                }
                (Overflow::DropNewest | Overflow::DropOldest, ..) => return State::Dropped,
                _ => return State::Refused(Refused::Full),
            }
        }
    }

    pub(super) fn notice(&mut self, word: usize, tag: Tag) -> Result<(), Refused> {
        if self.closed {
            return Err(Refused::Closed);
        }
        self.append(word, tag, false);
        Ok(())
    }

    /// Moves a message into a reserved slot.
    pub(super) fn fill(&mut self, word: usize, tag: Tag) -> Result<(), Refused> {
        if self.closed {
            return Err(Refused::Closed);
        }
        self.reserved -= 1;
        let wish = Wish::Message(word, tag);
        let excess = (self.used() + 1).saturating_sub(self.capacity);
        if self.weight(&tag) > 0 && !(self.line.is_empty() && self.fits_without(&wish, excess, 0)) {
            self.reserved += 1;
            return Err(Refused::Full);
        }
        self.place(&wish);
        self.grant();
        Ok(())
    }

    /// The next message, if there is one.
    pub(super) fn take(&mut self) -> Option<usize> {
        let [urgent, normal, background] = LANES.map(|lane| !self.lanes[lane as usize].is_empty());
        let is_due = background && self.passed + 1 >= BACKGROUND_MESSAGES;
        let in_turn = self.urgent_run < URGENT_IN_A_ROW || !(normal || background);
        let lane = match () {
            () if is_due => Lane::Background,
            () if urgent && in_turn => Lane::Urgent,
            () if normal => Lane::Normal,
            () if background => Lane::Background,
            () => {
                self.attended = self.closed;
                return None;
            }
        };
        let contended = lane == Lane::Urgent && (normal || background);
        self.urgent_run = if contended { self.urgent_run + 1 } else { 0 };
        self.passed = match lane {
            Lane::Background => 0,
            _ if background => self.passed + 1,
            _ => 0,
        };
        let item = self.lanes[lane as usize].pop_front()?;
        self.note_background();
        self.grant();
        Some(item.word)
    }

    pub(super) fn close(&mut self) {
        self.closed = true;
        self.attended = true;
        self.line.clear();
    }

    /// Whether it was made attended since `before` was read.
    pub(super) fn notifies(&self, before: bool) -> bool {
        self.attended && !before
    }

    pub(super) fn is_attended(&self) -> bool {
        self.attended
    }
}
