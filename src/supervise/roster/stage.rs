//! Children that do what is asked of them when a test lets them, and a log of everything.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{Action, Moment, Place, Policy, Roster, Rules, Why};
use crate::supervise::decision::Exit;

/// What a child is really doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    Down,
    Starting,
    Up,
    /// It was asked to end, so that it may come back or for good.
    Halting,
    Stopping,
    Killed {
        comes_back: bool,
    },
}

impl Cell {
    pub(super) fn is_live(self) -> bool {
        self != Self::Down
    }
}

/// What may happen next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    Started(Place),
    Ended(Place, Exit),
    /// Time passes to the next alarm.
    Alarm,
    /// A little time passes.
    Pass(Duration),
    Add(usize),
    Terminate(Place),
    Restart(Place),
    Delete(Place),
    Close,
}

/// What has happened, in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Line {
    Added(Place, Policy),
    Did(Action),
    Saw(Move),
    Closing(Why),
}

#[derive(Clone, Debug)]
pub(super) struct Stage {
    pub(super) roster: Roster,
    pub(super) rules: Rules,
    pub(super) cells: BTreeMap<Place, Cell>,
    pub(super) log: Vec<(Moment, Line)>,
    pub(super) now: Moment,
    /// Policies to add children with.
    pub(super) policies: Vec<Policy>,
    /// Whether nobody gives orders by hand: then starts and ends keep their order.
    pub(super) is_strict: bool,
}

impl Stage {
    pub(super) fn new(rules: Rules, policies: &[Policy]) -> Self {
        let mut stage = Self {
            roster: Roster::new(rules, 1),
            rules,
            cells: BTreeMap::new(),
            log: Vec::new(),
            now: Duration::ZERO,
            policies: policies.to_vec(),
            is_strict: true,
        };
        for index in 0..policies.len() {
            stage.add(index);
        }
        stage.roster.begin(stage.now);
        stage.perform();
        stage
    }

    fn add(&mut self, index: usize) {
        let policy = self.policies[index % self.policies.len()];
        if let Ok(place) = self.roster.add(policy, self.now) {
            self.cells.insert(place, Cell::Down);
            self.log.push((self.now, Line::Added(place, policy)));
        }
    }

    /// What children may do now.
    pub(super) fn moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        for (&place, &cell) in &self.cells {
            let exits: &[Exit] = match cell {
                Cell::Down => &[],
                Cell::Starting => {
                    moves.push(Move::Started(place));
                    &[Exit::Failed, Exit::Told]
                }
                Cell::Up => &[Exit::Failed, Exit::Finished, Exit::Told],
                Cell::Halting => &[Exit::Halted, Exit::Failed, Exit::Finished, Exit::Told],
                Cell::Stopping | Cell::Killed { comes_back: false } => &[Exit::Told],
                Cell::Killed { comes_back: true } => &[Exit::Halted],
            };
            moves.extend(exits.iter().map(|exit| Move::Ended(place, *exit)));
        }
        if self.roster.alarm().is_some() {
            moves.push(Move::Alarm);
        }
        moves
    }

    /// The move that brings a child on its way to where it is going.
    pub(super) fn quiet_move(&self) -> Option<Move> {
        let cells = self.cells.iter();
        let mut quiet = cells.filter_map(|(&place, cell)| match cell {
            Cell::Starting => Some(Move::Started(place)),
            Cell::Halting | Cell::Killed { comes_back: true } => {
                Some(Move::Ended(place, Exit::Halted))
            }
            Cell::Stopping | Cell::Killed { .. } => Some(Move::Ended(place, Exit::Told)),
            Cell::Down | Cell::Up => None,
        });
        quiet
            .next()
            .or_else(|| self.roster.alarm().map(|_| Move::Alarm))
    }

    /// Until nothing is on its way.
    pub(super) fn settle(&mut self) {
        for _ in 0..10_000 {
            let Some(next) = self.quiet_move() else {
                return;
            };
            self.play(next);
        }
        panic!("it does not come to rest: {:#?}", self.log);
    }

    pub(super) fn play(&mut self, next: Move) {
        match next {
            Move::Alarm => self.now = self.now.max(self.roster.alarm().unwrap_or_default()),
            Move::Pass(time) => {
                let limit = self.roster.alarm().unwrap_or(Moment::MAX);
                self.now = (self.now + time).min(limit.max(self.now));
            }
            _ => {}
        }
        self.log.push((self.now, Line::Saw(next)));
        match next {
            Move::Started(place) => {
                let cell = self.cells.get_mut(&place).unwrap();
                assert_eq!(*cell, Cell::Starting);
                *cell = Cell::Up;
                self.roster.started(place, self.now);
            }
            Move::Ended(place, exit) => {
                let cell = self.cells.get_mut(&place).unwrap();
                assert!(cell.is_live());
                *cell = Cell::Down;
                self.roster.ended(place, exit, self.now);
            }
            Move::Alarm | Move::Pass(_) => self.roster.tick(self.now),
            Move::Add(index) => self.add(index),
            Move::Terminate(place) => drop(self.roster.terminate(place, self.now)),
            Move::Restart(place) => drop(self.roster.restart(place, self.now)),
            Move::Delete(place) => drop(self.roster.delete(place)),
            Move::Close => self.roster.close(Why::Told, self.now),
        }
        self.perform();
    }

    fn perform(&mut self) {
        if let Some(why) = self.roster.closing()
            && !self
                .log
                .iter()
                .any(|(_, line)| matches!(line, Line::Closing(_)))
        {
            self.log.push((self.now, Line::Closing(why)));
        }
        for action in self.roster.take_actions() {
            self.log.push((self.now, Line::Did(action)));
            self.act(action);
        }
        if self.roster.is_closed() {
            assert!(self.cells.values().all(|cell| !cell.is_live()));
        }
    }

    fn act(&mut self, action: Action) {
        let is_closing = self.roster.closing().is_some();
        let (place, next) = match action {
            Action::Start(place) => {
                assert!(!is_closing, "nothing is started any more");
                assert_eq!(self.cells[&place], Cell::Down, "{place:?} runs");
                (place, Cell::Starting)
            }
            Action::Halt(place) => {
                self.check_is_last(place);
                (place, Cell::Halting)
            }
            Action::Stop(place) => {
                self.check_is_last(place);
                (place, Cell::Stopping)
            }
            Action::Kill { place, comes_back } => (place, Cell::Killed { comes_back }),
            Action::Retire(place) | Action::Remove(place) => {
                assert_eq!(self.cells[&place], Cell::Down, "{place:?} runs");
                (place, Cell::Down)
            }
        };
        if next != Cell::Down && next != Cell::Starting {
            assert!(self.cells[&place].is_live(), "{place:?} does not run");
        }
        if let Action::Remove(_) = action {
            self.cells.remove(&place);
        } else {
            self.cells.insert(place, next);
        }
    }

    fn check_is_last(&self, place: Place) {
        if self.is_strict {
            let later = self.cells.range(place..).skip(1);
            let live = later.filter(|(_, cell)| cell.is_live()).count();
            assert_eq!(live, 0, "{place:?} ends before those after it");
        }
    }
}
