//! Records that wait for room, in a line for each target.

use std::collections::{BTreeMap, HashMap};
use std::task::Waker;

use bytes::Bytes;
use tokio::time::Instant;

use super::super::carry::{AskKey, Sort};
use super::super::frame::{KindId, TargetId};
use super::super::limits::{ASK_LIMIT, SHARED_BYTES};
use super::super::session::{Admission, Body, Session};
use super::asker::Asker;
use super::asks::Asks;
use super::wakes::Wakes;
use crate::actor::Crossing;

/// A record that is to be sent.
pub(in crate::remote) struct Order {
    pub(in crate::remote) kind: KindId,
    pub(in crate::remote) sort: Sort,
    pub(in crate::remote) payload: Bytes,
    /// Actors that are lent with it, and taken back if it is not sent.
    pub(in crate::remote) lent: Vec<TargetId>,
}

/// What became of it.
pub(in crate::remote) enum Sent {
    Asked(AskKey),
    Told,
    /// It waits, under this number.
    Parked(u64),
    Refused(Crossing),
    /// Nothing went to its target for as long as an ask without a limit waits.
    Overdue,
}

/// All lines of a session. Who stands in one is moved out in order, whether polled or not: what has
/// got room is sent.
#[derive(Default)]
pub(super) struct Lines {
    /// In an order that does not change from run to run.
    lines: BTreeMap<TargetId, Line>,
    /// Those that were moved out, and not polled since.
    done: HashMap<u64, Sent>,
    last: u64,
    /// Of lines that an ask without a limit waits in, none has stood still since before.
    oldest: Option<Instant>,
}

struct Line {
    parked: BTreeMap<u64, Parked>,
    /// When it last moved.
    moved: Instant,
}

struct Parked {
    order: Order,
    /// `None` until who sends has looked what became of it.
    waker: Option<Waker>,
}

/// Sends if there is room; gives the order back if there is none for now. `asker` waits for the
/// answer.
fn attempt(
    session: &mut Session,
    asks: &mut Asks,
    target: TargetId,
    order: Order,
    asker: &mut Option<Waker>,
) -> Result<Sent, Order> {
    let Order {
        kind,
        sort,
        payload,
        lent,
    } = order;
    // What is small is copied, and needs no count.
    let body = match payload.len() < SHARED_BYTES {
        true => Body::Copied(&payload),
        false => Body::Shared(payload.clone()),
    };
    let refused = match sort {
        Sort::Ask { deadline, .. } => {
            let deadline = deadline.map(|deadline| {
                let left = deadline.saturating_duration_since(Instant::now());
                u32::try_from(left.as_millis()).unwrap_or(u32::MAX)
            });
            match session.ask(target, kind, deadline, body) {
                Ok(key) => {
                    let key = asks.open(key, deadline.is_some(), asker.take());
                    return Ok(Sent::Asked(key));
                }
                Err(refused) => refused,
            }
        }
        Sort::Tell => match session.tell(target, kind, body) {
            Ok(()) => return Ok(Sent::Told),
            Err(refused) => refused,
        },
    };
    if let Admission::TooLarge { .. } | Admission::Unknown = refused {
        lent.iter().for_each(|target| session.take_back(*target));
    }
    match refused {
        Admission::TooLarge { limit } => {
            let limit = usize::try_from(limit).ok();
            Ok(Sent::Refused(Crossing::TooLarge { limit }))
        }
        Admission::Unknown if session.is_closed() => Ok(Sent::Refused(Crossing::LinkEnded)),
        Admission::Unknown => Ok(Sent::Refused(Crossing::Stale)),
        Admission::Granted | Admission::Target | Admission::Session => Err(Order {
            kind,
            sort,
            payload,
            lent,
        }),
    }
}

impl Lines {
    pub(super) fn send(
        &mut self,
        session: &mut Session,
        asks: &mut Asks,
        target: TargetId,
        order: Order,
        asker: &mut Option<Waker>,
    ) -> Sent {
        let is_first = self.lines.is_empty()
            || (self.lines.get(&target)).is_none_or(|line| line.parked.is_empty());
        let order = if is_first {
            match attempt(session, asks, target, order, asker) {
                Ok(sent) => return sent,
                Err(order) => order,
            }
        } else {
            order
        };
        self.last += 1;
        let (waker, now) = (asker.take(), asks.now);
        if order.sort.is_endless() {
            self.oldest.get_or_insert(now);
        }
        let line = self.lines.entry(target).or_insert_with(|| Line {
            parked: BTreeMap::new(),
            moved: now,
        });
        line.parked.insert(self.last, Parked { order, waker });
        Sent::Parked(self.last)
    }

    pub(super) fn look(
        &mut self,
        target: TargetId,
        turn: u64,
        asker: &mut Asker<'_>,
    ) -> Option<Sent> {
        if let Some(sent) = self.done.remove(&turn) {
            return Some(sent);
        }
        match self
            .lines
            .get_mut(&target)
            .and_then(|line| line.parked.get_mut(&turn))
        {
            Some(parked) => {
                asker.keep(&mut parked.waker);
                None
            }
            None => Some(Sent::Refused(Crossing::LinkEnded)),
        }
    }

    /// What was sent meanwhile; `None` if nothing was.
    pub(super) fn withdraw(
        &mut self,
        session: &mut Session,
        target: TargetId,
        turn: u64,
        wakes: &mut Wakes,
    ) -> Option<Sent> {
        if let Some(line) = self.lines.get_mut(&target) {
            if let Some(parked) = line.parked.remove(&turn) {
                let lent = parked.order.lent.iter();
                lent.for_each(|target| session.take_back(*target));
                if let Some(waker) = parked.waker {
                    wakes.drop_later(waker);
                }
            }
            if line.parked.is_empty() {
                self.lines.remove(&target);
            }
        }
        self.done.remove(&turn)
    }

    /// Moves out whoever has room now; of all lines in turn, where none is named.
    pub(super) fn advance(
        &mut self,
        session: &mut Session,
        asks: &mut Asks,
        target: Option<TargetId>,
        wakes: &mut Wakes,
    ) {
        let mut open: Vec<TargetId> = match target {
            Some(target) => vec![target],
            None => self.lines.keys().copied().collect(),
        };
        while !open.is_empty() {
            open.retain(|target| self.step(session, asks, *target, wakes));
        }
    }

    /// Moves out the first of a line. Says whether there may be more.
    fn step(
        &mut self,
        session: &mut Session,
        asks: &mut Asks,
        target: TargetId,
        wakes: &mut Wakes,
    ) -> bool {
        let Some(line) = self.lines.get_mut(&target) else {
            return false;
        };
        let Some((turn, Parked { order, waker })) = line.parked.pop_first() else {
            self.lines.remove(&target);
            return false;
        };
        match attempt(session, asks, target, order, &mut None) {
            Ok(sent) => {
                line.moved = asks.now;
                self.done.insert(turn, sent);
                wakes.waker(waker);
                true
            }
            Err(order) => {
                line.parked.insert(turn, Parked { order, waker });
                false
            }
        }
    }

    /// When there may be asks that have waited too long.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.oldest.map(|oldest| oldest + ASK_LIMIT)
    }

    /// Gives up asks without a limit, in lines that stand still.
    pub(super) fn sweep(&mut self, session: &mut Session, now: Instant, wakes: &mut Wakes) {
        self.oldest = None;
        for line in self.lines.values_mut() {
            let is_endless = |parked: &Parked| parked.order.sort.is_endless();
            if !line.parked.values().any(is_endless) {
                continue;
            }
            if line.moved + ASK_LIMIT > now {
                let oldest = self.oldest.get_or_insert(line.moved);
                *oldest = line.moved.min(*oldest);
                continue;
            }
            for (turn, parked) in std::mem::take(&mut line.parked) {
                if !is_endless(&parked) {
                    line.parked.insert(turn, parked);
                    continue;
                }
                let lent = parked.order.lent.iter();
                lent.for_each(|target| session.take_back(*target));
                self.done.insert(turn, Sent::Overdue);
                wakes.waker(parked.waker);
            }
        }
    }

    /// The session is over: nobody has room any more.
    pub(super) fn abandon(&mut self, wakes: &mut Wakes) {
        for line in std::mem::take(&mut self.lines).into_values() {
            for (turn, parked) in line.parked {
                self.done.insert(turn, Sent::Refused(Crossing::LinkEnded));
                wakes.waker(parked.waker);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::limits::Limits;
    use super::super::super::peer::Peer;
    use super::super::super::session::Terms;
    use super::super::Shared;
    use super::*;

    #[test]
    fn what_a_session_that_closes_takes_no_more_is_of_no_missing_actor() {
        let limits = Limits::new();
        let now = Instant::now().into_std();
        let session = Session::new(&limits, Terms::of(&limits), now);
        let shared = Shared::new(session, Peer::Unknown, 1024);
        let refusal = || {
            let order = Order {
                lent: Vec::new(),
                kind: KindId(0),
                sort: Sort::Tell,
                payload: Bytes::new(),
            };
            match shared.with(|inner, _| inner.send(TargetId(0), order, &mut None)) {
                Sent::Refused(crossing) => crossing,
                _ => panic!("nobody was given"),
            }
        };
        assert_eq!(refusal(), Crossing::Stale);
        shared.with(|inner, _| inner.session.close(0));
        assert_eq!(refusal(), Crossing::LinkEnded);
    }
}
