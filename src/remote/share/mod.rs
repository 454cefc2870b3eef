//! What a session's driver, the handles that send by it, and its node have in common.
//!
//! One lock holds the session's machine and everything that waits for it. No user code runs under
//! it: payloads are encoded and wakers cloned before ([`Asker`]), and wakers are woken and dropped
//! after ([`Wakes`]).

mod asker;
mod asks;
mod claim;
mod heed;
mod lending;
mod lines;
mod wakes;
mod watching;

use std::collections::HashMap;
use std::sync::{Arc, Weak};
use std::task::Waker;

use bytes::Bytes;
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

use asker::Asker;
use asks::Asks;
pub(super) use claim::Claim;
use claim::Claims;
use lines::Lines;
pub(super) use lines::{Order, Sent};
pub(super) use wakes::Wakes;
use watching::Watching;

use super::carry::{Arrived, AskKey as Key};
use super::frame::{LookUpId, MonitorId, TargetId, Violation};
use super::lent::Book;
use super::link_end::LinkEnd;
use super::metrics::{Metrics, Tally};
use super::peer::Peer;
use super::remote_end::RemoteEnd;
use super::session::Session;
use super::transport::Stream;
use crate::actor::Crossing;
use crate::sync::Mutex;

/// A session, as all see it that have to do with it.
pub(crate) struct Shared {
    inner: Mutex<Inner>,
    /// Who is at the other end.
    pub(super) peer: Peer,
    /// The longest payload that it takes.
    pub(super) payload_bytes: usize,
    /// `None` while it lasts.
    end: watch::Sender<Option<LinkEnd>>,
}

/// What stands under the lock.
pub(super) struct Inner {
    pub(super) session: Session,
    asks: Asks,
    lines: Lines,
    claims: Claims,
    /// Targets that there is room to, in the batch that is being heeded; `None` for all.
    granted: Vec<Option<TargetId>>,
    look_ups: HashMap<LookUpId, oneshot::Sender<Found>>,
    watches: HashMap<MonitorId, oneshot::Sender<RemoteEnd>>,
    book: Book,
    driver: Option<Waker>,
    /// Whether the driver sleeps, and would write what there is to write.
    is_idle: bool,
    /// Whether it sleeps, and has not been woken to write: nobody looks at the clock for others.
    is_asleep: bool,
    /// Whether it went to sleep with asks that will be overdue.
    has_due: bool,
    /// Whether the session has a connection.
    is_up: bool,
    /// Connections that were given to the session. The driver drops one of an older number.
    pub(super) epoch: u64,
    pub(super) offer: Option<Offer>,
    pub(super) is_leaving: bool,
    has_ended: bool,
    pub(super) tally: Tally,
    me: Weak<Shared>,
}

/// A connection for the session.
pub(super) struct Offer {
    pub(super) stream: Box<dyn Stream>,
    /// How many records the peer says that it has received.
    pub(super) received: u64,
}

/// The answer to a look-up, still encoded.
pub(super) type Found = (Option<Claim>, Bytes);

impl Shared {
    /// Of a session that waits for its first connection.
    pub(super) fn new(session: Session, peer: Peer, payload_bytes: u64) -> Arc<Self> {
        let inner = |me: &Weak<Self>| Inner {
            session,
            asks: Asks::new(),
            lines: Lines::default(),
            claims: Claims::default(),
            granted: Vec::new(),
            look_ups: HashMap::new(),
            watches: HashMap::new(),
            book: Book::default(),
            driver: None,
            is_idle: false,
            is_asleep: true,
            has_due: false,
            is_up: false,
            epoch: 0,
            offer: None,
            is_leaving: false,
            has_ended: false,
            tally: Tally::default(),
            me: me.clone(),
        };
        Arc::new_cyclic(|me| Self {
            inner: Mutex::new(inner(me)),
            peer,
            payload_bytes: usize::try_from(payload_bytes).unwrap_or(usize::MAX),
            end: watch::Sender::new(None),
        })
    }

    /// Does something with what stands under the lock, then wakes whom that concerns.
    pub(super) fn with<R>(&self, act: impl FnOnce(&mut Inner, &mut Wakes) -> R) -> R {
        let mut wakes = Wakes::default();
        let mut inner = self.inner.lock();
        let result = act(&mut inner, &mut wakes);
        inner.forget_taken_back(&mut wakes);
        drop(inner);
        wakes.run();
        result
    }

    /// As [`Shared::with`], and has the driver woken if there is something to write.
    pub(super) fn act<R>(&self, act: impl FnOnce(&mut Inner, &mut Wakes) -> R) -> R {
        self.with(|inner, wakes| {
            let result = act(inner, wakes);
            inner.wake_writer(wakes);
            result
        })
    }

    /// Why it ended, if it has.
    pub(super) fn end(&self) -> Option<LinkEnd> {
        self.end.borrow().clone()
    }

    /// Waits for its end.
    pub(super) async fn ended(&self) -> LinkEnd {
        let mut end = self.end.subscribe();
        let ended = end.wait_for(Option::is_some).await;
        let end = ended.ok().and_then(|end| end.clone());
        end.unwrap_or(LinkEnd::Lost)
    }

    /// Has it end in order: what was queued is written, and the peer is told.
    pub(super) fn leave(&self) {
        self.with(|inner, wakes| {
            inner.is_leaving = true;
            wakes.waker(inner.driver.take());
        });
    }

    /// Adds its numbers.
    pub(super) fn measure(&self, metrics: &mut Metrics) {
        self.with(|inner, _| metrics.add(&inner.session.counters(), &inner.tally));
    }

    /// The last: nobody waits for it any more. Says whether it had not ended before.
    pub(super) fn finish(&self, end: LinkEnd) -> bool {
        let is_first = self.with(|inner, wakes| {
            if std::mem::replace(&mut inner.has_ended, true) {
                return false;
            }
            wakes.drop_later(inner.offer.take());
            inner.abandon(wakes);
            true
        });
        if is_first {
            self.end.send_replace(Some(end));
        }
        is_first
    }
}

impl Inner {
    /// Wakes a driver that sleeps, if there is something to write, or the first ask that may be
    /// overdue: it would wake too late for that.
    fn wake_writer(&mut self, wakes: &mut Wakes) {
        let has_first_due = !self.has_due && self.is_asleep && self.next_due().is_some();
        if has_first_due || self.is_idle && self.session.has_output() {
            self.is_idle = false;
            self.is_asleep = false;
            wakes.waker(self.driver.take());
        }
    }

    /// The driver is about to sleep; `is_idle`: it would write what there is to write. Says whether
    /// something has come since it looked.
    pub(super) fn sleep(&mut self, waker: &Waker, epoch: Option<u64>, is_idle: bool) -> bool {
        match &mut self.driver {
            Some(driver) => driver.clone_from(waker),
            None => self.driver = Some(waker.clone()),
        }
        self.is_idle = is_idle;
        self.is_asleep = true;
        self.has_due = self.next_due().is_some();
        let is_replaced = epoch.is_some_and(|epoch| epoch != self.epoch);
        self.offer.is_some() || is_replaced || (is_idle && self.session.has_output())
    }

    /// For the driver: a connection is there, and the peer has said how far it got.
    pub(super) fn offer(&mut self, offer: Offer, wakes: &mut Wakes) {
        wakes.drop_later(self.offer.replace(offer));
        wakes.waker(self.driver.take());
    }

    /// The driver has taken the connection.
    pub(super) fn connect(&mut self, received: u64) -> Result<(), Violation> {
        let now = Instant::now().into_std();
        self.session.connected(received, now)?;
        self.is_up = true;
        Ok(())
    }

    /// No connection is there any more. A driver that still has one drops it.
    pub(super) fn hang_up(&mut self, wakes: &mut Wakes) {
        self.epoch += 1;
        wakes.drop_later(self.offer.take());
        if std::mem::replace(&mut self.is_up, false) {
            self.session.disconnected();
        }
        wakes.waker(self.driver.take());
    }

    /// What is sent and what comes from now on is sent and comes now, until the driver sleeps.
    pub(super) fn look_at_clock(&mut self) -> Instant {
        self.is_asleep = false;
        self.asks.now = Instant::now();
        self.session.pass(self.asks.now.into_std());
        self.asks.now
    }

    pub(super) fn is_over(&self) -> bool {
        self.has_ended || self.is_leaving
    }

    /// Sends, or parks what there is no room for. `Err` is a refusal that does not pass.
    /// `asker` is taken where it waits, for room or for the answer.
    pub(super) fn send(
        &mut self,
        target: TargetId,
        order: Order,
        asker: &mut Option<Waker>,
    ) -> Sent {
        if self.is_over() {
            return Sent::Refused(Crossing::LinkEnded);
        }
        if self.is_asleep {
            self.asks.now = Instant::now();
        }
        let (session, asks) = (&mut self.session, &mut self.asks);
        let sent = self.lines.send(session, asks, target, order, asker);
        if matches!(sent, Sent::Parked(_)) {
            self.tally.waits += 1;
        }
        sent
    }

    /// What became of what was parked; keeps the waker while it is not known.
    pub(super) fn look(
        &mut self,
        target: TargetId,
        turn: u64,
        asker: &mut Asker<'_>,
    ) -> Option<Sent> {
        self.lines.look(target, turn, asker)
    }

    /// Takes back what was parked, unless it was sent.
    pub(super) fn withdraw(
        &mut self,
        target: TargetId,
        turn: u64,
        wakes: &mut Wakes,
    ) -> Option<Sent> {
        let sent = self.lines.withdraw(&mut self.session, target, turn, wakes);
        if sent.is_none() && !self.has_ended {
            self.advance(Some(target), wakes); // there may be room for who was behind it
        }
        sent
    }

    /// What came for an ask; keeps the waker while nothing has. The ask is over with it.
    pub(super) fn reply(&mut self, key: Key, asker: &mut Asker<'_>) -> Option<Arrived> {
        self.asks.poll(key, asker)
    }

    /// Nobody waits for the answer of that ask of the target any more.
    pub(super) fn forget(&mut self, target: TargetId, key: Key, wakes: &mut Wakes) {
        let Some(ask) = self.asks.forget(key, wakes).filter(|_| !self.has_ended) else {
            return;
        };
        let now = Instant::now().into_std();
        if self.session.cancel(ask, now) {
            self.advance(Some(target), wakes); // it was never sent, and leaves its room
        }
        if self.session.next_timeout().is_some_and(|next| next <= now) {
            wakes.waker(self.driver.take()); // others got that room, which the driver tells them
        }
    }

    pub(super) fn look_up(&mut self, name: &str) -> Option<oneshot::Receiver<Found>> {
        if self.is_over() {
            return None;
        }
        let (tell, told) = oneshot::channel();
        let id = self.session.look_up(name.as_bytes().into())?;
        self.look_ups.insert(id, tell);
        Some(told)
    }

    /// Hears of the target's end; of none, where no more can be watched.
    pub(super) fn watch(&mut self, target: TargetId) -> Option<Watching> {
        if self.is_over() {
            return None;
        }
        let (tell, told) = oneshot::channel();
        let monitor = self.session.monitor(target)?;
        self.watches.insert(monitor, tell);
        let shared = self.me.clone();
        Some(Watching {
            told,
            monitor,
            shared,
        })
    }

    /// Nobody waits for it any more, or it was told.
    fn unwatch(&mut self, monitor: MonitorId, wakes: &mut Wakes) {
        if let Some(tell) = self.watches.remove(&monitor) {
            wakes.drop_later(tell);
            self.session.unmonitor(monitor);
        }
    }

    fn claim(&mut self, target: TargetId) -> Claim {
        self.claims.add(target);
        Claim {
            shared: self.me.clone(),
            target,
        }
    }

    fn unclaim(&mut self, target: TargetId) {
        if self.claims.remove(target) && !self.has_ended {
            self.session.release(target);
        }
    }
}
