//! Who waits for whom: a table of edges, each from who waits to whom it waits for.
//!
//! It knows neither actors nor messages: nodes are numbers, and edges carry a label for whoever
//! is told of a circle. An actor has a node for each of its handlers that run at a time ([`node`]):
//! number 0 is that of a handler which runs alone, and of messages that no handler has taken.
//!
//! An edge is of a request, or of a *gate*: while an actor keeps a message back until its handlers
//! have ended, its node 0 waits for the node of each. Such edges stand with no request, so none of
//! them fails: of a circle, the newest request does.
//!
//! # Invariants
//!
//! - **D1.** An edge stands in the table only while its request keeps what the edge's probe reads:
//!   the receiver's end of a reply slot, or its place in a line; of a gate, the sender's end of the
//!   slot of the message that is kept back. Before that is given up, the edge is taken out, or
//!   somebody else has done so ([`Edges::forget`]).
//! - **D2.** A probe is read under the lock of the shard in which its edge stands.
//!
//! # Why nobody is accused who does not wait
//!
//! An edge is *open* while the truth that its probe reads says so: the answer is not in its slot,
//! the message not in its mailbox. Nothing has to be taken out of the table for an answer to count,
//! so there is no moment at which an answered request looks as if it still waited: whoever
//! answers, and asks something then, has stored the answer before its own edge is in the table, and
//! who reads that edge reads the answer too (the lock of that edge's shard orders them).
//!
//! A circle is found edge by edge, and each may have closed before the next is read. So it is read
//! twice. A serial number is one wait: once closed it is never open again, but by a forward, which
//! counts. Between two forwards, whom it leads to changes once at most, when a handler that runs
//! beside others takes the message. An edge that is open at the second reading, was forwarded as
//! often, and leads where it led, was so at the first and all the time between, hence all edges of
//! the circle were open at once, between the two readings. Then each handler in it waits for
//! another that waits: nothing that they do can end it.
//!
//! What can meet:
//!
//! - *Two edges go in that close a circle together.* Each looks for it once its own is in. Locks
//!   order the two, and the later look sees both; if its edge is not the newer one, it leaves the
//!   circle to who sweeps. So one of them fails, and not both.
//! - *An answer comes while its edge goes in.* The edge is closed as it stands there. Whoever waits
//!   finds the answer at its next poll, for which it was woken.
//! - *A request is dropped while a circle through it is judged.* Its edge is taken out before, and
//!   the second reading misses it; or after, and there was a circle.
//! - *A request is forwarded while a circle is judged.* It counts as often as at the first reading,
//!   and there was a circle; or once more, and the second reading misses it. Of the circle that it
//!   closes by that nobody is told at once: who sweeps finds it.
//! - *A message is granted its slot while a circle is judged.* As an answer: its phase in the line
//!   is the truth, which is read under the mailbox's lock. No mailbox's lock is held where a
//!   shard's is taken.
//! - *Whom it waits for ends.* First its own edges are forgotten; then it answers those who wait.
//! - *Another polls the request.* The edge goes out, and one of the other's goes in.
//! - *A request is told to fail, and the circle dissolves before it is polled.* It is read once
//!   more then, and the verdict is forgotten.

mod judge;
pub(crate) mod rest;
mod search;
mod shard;

#[cfg(all(test, greenroom_loom))]
mod loom;
#[cfg(all(test, not(greenroom_loom)))]
mod tests;

use std::sync::Arc;
use std::task::Waker;

use crate::contain::contain;
use crate::limits::WAIT_SHARDS;
use crate::sync::atomic::{AtomicU64, Ordering};
use crate::{mailbox, reply};
pub(crate) use judge::{Found, circles};
pub(crate) use search::Closed;
use search::Which;
use shard::Shard;

/// The node of one of an actor's handlers, or, with 0, of the actor.
pub(crate) fn node(actor: u64, run: usize) -> u64 {
    // Ids are counted up from one: they do not come near.
    actor | (run as u64) << 48
}

/// How an edge tells whether it is open.
#[derive(Clone, Copy)]
pub(crate) enum Probe {
    /// No answer is in the reply slot.
    Reply(reply::Probe),
    /// The message is not in its mailbox.
    Line(mailbox::Probe),
    /// A gate's: who asked with the message that is kept back waits for it, or nobody asked.
    Held(Option<reply::Left>),
}

impl Probe {
    /// Where an edge to `target` leads, if it is open, and how often that was another actor before.
    ///
    /// # Safety
    ///
    /// - D1 holds for the edge that the probe is of, which stands in its shard, whose lock is held.
    unsafe fn leads(&self, target: u64) -> Option<(u64, usize)> {
        // SAFETY: the caller: D1 is what all ask for.
        unsafe {
            let is_open = match self {
                Self::Reply(probe) => {
                    let hand = probe.hand()?;
                    let actor = hand.holder.unwrap_or(target);
                    return Some((node(actor, hand.run), hand.forwards));
                }
                Self::Line(probe) => probe.is_open(),
                Self::Held(None) => true,
                Self::Held(Some(left)) => !left.is_left(),
            };
            is_open.then_some((target, 0))
        }
    }
}

/// One wait, for the table.
pub(crate) struct Edge<L> {
    /// Whom it waits for.
    pub(crate) target: u64,
    pub(crate) label: L,
    pub(crate) probe: Probe,
    /// Polls the request again.
    pub(crate) waker: Waker,
    /// It ends by itself: a circle through it is told of, and left.
    pub(crate) is_limited: bool,
}

/// Which edge: who waits, and its serial number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) waiter: u64,
    pub(crate) serial: u64,
}

/// The labels of a circle's edges, from the one that closed it.
pub(crate) type Circle<L> = Arc<[L]>;

/// What an edge that is open tells of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sight {
    pub(crate) key: Key,
    pub(crate) target: u64,
    /// How often its request was forwarded before it led there.
    pub(crate) forwards: usize,
    pub(crate) is_limited: bool,
    /// It is of no request.
    pub(crate) is_gate: bool,
}

/// What a look at one's own edge found.
pub(crate) enum Look<L> {
    /// It stands, and will wake the waker.
    Waits,
    /// It closes a circle, and is out of the table.
    Closes(Circle<L>),
    /// It is in the table no more.
    Gone,
}

pub(crate) struct Edges<L> {
    shards: [Shard<L>; WAIT_SHARDS],
    /// The last serial number.
    serial: AtomicU64,
}

impl<L: Clone> Edges<L> {
    pub(crate) fn new() -> Self {
        Self {
            shards: std::array::from_fn(|_| Shard::new()),
            serial: AtomicU64::new(0),
        }
    }

    fn shard(&self, node: u64) -> &Shard<L> {
        let count = WAIT_SHARDS as u64;
        &self.shards[usize::try_from(node % count).unwrap_or_default()]
    }

    /// A number that all edges which go in from now on exceed.
    pub(crate) fn mark(&self) -> u64 {
        // Ordering: Relaxed; what has a number up to this one drew it before.
        self.serial.load(Ordering::Relaxed)
    }

    /// Puts an edge in.
    ///
    /// # Safety
    ///
    /// - The request waits, and D1 will hold for it.
    pub(crate) unsafe fn insert(&self, waiter: u64, edge: Edge<L>) -> Key {
        // Ordering: Relaxed; it is unique, and drawn while the request waits.
        let serial = self.serial.fetch_add(1, Ordering::Relaxed) + 1;
        self.shard(waiter).lock().insert(waiter, serial, edge);
        Key { waiter, serial }
    }

    /// Takes an edge out, if it is in. Says whether its waiter has others.
    pub(crate) fn remove(&self, key: Key) -> bool {
        let mut shard = self.shard(key.waiter).lock();
        let edge = shard.remove(key);
        let has_others = shard.has(key.waiter);
        drop(shard);
        // Its waker is user code.
        contain(|| drop(edge));
        has_others
    }

    /// Takes all edges of a waiter out: it waits no more, whatever becomes of its requests.
    #[cold]
    pub(crate) fn forget(&self, waiter: u64) {
        let edges = self.shard(waiter).lock().forget(waiter);
        contain(|| drop(edges));
    }

    /// Whether a circle was found that the edge closes; else has it wake this waker.
    pub(crate) fn look(&self, key: Key, waker: &Waker) -> Look<L> {
        let mut fresh = None;
        let (look, old) = loop {
            let mut shard = self.shard(key.waiter).lock();
            let Some(kept) = shard.get_mut(key) else {
                break (Look::Gone, None);
            };
            if let Some(path) = kept.verdict.take() {
                drop(shard);
                // It may have dissolved since.
                if let Some(circle) = self.confirm(&path, Which::Lasting) {
                    break (
                        Look::Closes(circle),
                        self.shard(key.waiter).lock().remove(key),
                    );
                }
                continue;
            }
            if fresh.is_some() {
                std::mem::swap(&mut kept.waker, &mut fresh);
                break (Look::Waits, None);
            }
            if kept.wakes(waker) {
                break (Look::Waits, None);
            }
            drop(shard);
            // Not under the lock: it is user code.
            fresh = Some(waker.clone());
        };
        contain(|| drop((fresh, old)));
        look
    }

    /// Whether no edge is in.
    pub(crate) fn is_empty(&self) -> bool {
        self.shards.iter().all(|shard| shard.lock().is_empty())
    }
}

// For who judges all edges.
impl<L: Clone> Edges<L> {
    /// Adds what is known of all edges with numbers up to `mark`. Says whether there are any edges.
    pub(crate) fn sweep(&self, mark: u64, sights: &mut Vec<Sight>) -> bool {
        let mut any = false;
        for shard in &self.shards {
            let shard = shard.lock();
            any |= !shard.is_empty();
            shard.sweep(mark, sights);
        }
        any
    }

    /// Fails the wait that closes a circle which nothing ends, if all of its edges are open, and
    /// wakes its request.
    pub(crate) fn condemn(&self, found: &Found) {
        self.fail(found.edges());
    }

    /// As [`Edges::condemn`], of the first of some edges that make a circle.
    fn fail(&self, circle: Vec<Sight>) {
        let Some(first) = circle.first() else { return };
        if self.confirm(&circle, Which::Lasting).is_none() {
            return;
        }
        let key = first.key;
        let waker = self.shard(key.waiter).lock().get_mut(key).and_then(|kept| {
            kept.verdict = Some(circle);
            kept.waker.take()
        });
        if let Some(waker) = waker {
            contain(|| waker.wake());
        }
    }

    /// The labels of a circle, if all of its edges are open, and if it is news.
    pub(crate) fn news(&self, found: &Found) -> Option<Circle<L>> {
        let circle = self.confirm(&found.edges(), Which::All)?;
        self.tell(found.closing.key).then_some(circle)
    }

    /// Notes that a circle which the edge closes was told of. False if that is not news.
    pub(crate) fn tell(&self, key: Key) -> bool {
        let mut shard = self.shard(key.waiter).lock();
        let kept = shard.get_mut(key);
        kept.is_some_and(|kept| !std::mem::replace(&mut kept.is_told, true))
    }
}
