//! The side of a session that is asked.
//!
//! What came is given to its target in the order in which it came, and polled once at once: so it
//! is handled, or stands in the target's line. What waits is kept, and gets no task.

mod lines;
mod requests;
mod work;

use std::collections::HashMap;
use std::sync::Arc;
use std::task::Context;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use super::catalog::{self, Unfound};
use super::crowd::{Crowd, Seated};
use super::exports::{Export, Exports};
use super::failure::{End, Failure, Why};
use super::frame::{LookUpId, MonitorId, TargetId};
use super::handler::Answer;
use super::peer::Peer;
use super::remote_end::RemoteEnd;
use super::session::{Event, Session};
use super::share::Shared;
use super::target::Target;
use crate::contain::{catch, discard};
use lines::Lines;
use work::{Done, Job, Request, What, Work};

/// What a session's peer was given, and what it waits for.
pub(super) struct Server {
    shared: Arc<Shared>,
    exports: Arc<Exports>,
    /// The longest reply that the peer takes.
    reply_bytes: usize,
    given: HashMap<TargetId, Given>,
    named: HashMap<Arc<str>, TargetId>,
    /// The target that was found last in this turn.
    near: Option<(TargetId, Arc<dyn Target>)>,
    crowd: Crowd<Job, Work>,
    lines: Lines,
    /// By the numbers of asks, where each was put.
    places: Vec<Place>,
    watches: HashMap<MonitorId, usize>,
    done: Vec<(Job, Option<Done>)>,
    taken: Taken,
}

/// Tells, and asks that wait for their reply, that were taken: of which target, how many, and bytes
/// of theirs.
type Taken = Vec<(TargetId, u32, u64)>;

struct Given {
    name: Arc<str>,
    export: Arc<Export>,
}

/// Where an ask is, if it is not over.
#[derive(Clone, Copy)]
enum Place {
    Seat(usize),
    InLine,
    /// In line, and nobody waits for it.
    Cancelled,
}

const STALE: Failure = Failure::NotHandled(Why::Stale);
const PANICKED: Failure = Failure::Interrupted(End::Failed);

impl Server {
    pub(super) fn new(shared: Arc<Shared>, exports: Arc<Exports>) -> Self {
        let reply_bytes = shared.payload_bytes;
        Self {
            shared,
            exports,
            reply_bytes,
            given: HashMap::new(),
            named: HashMap::new(),
            near: None,
            crowd: Crowd::new(),
            lines: Lines::default(),
            places: Vec::new(),
            watches: HashMap::new(),
            done: Vec::new(),
            taken: Vec::new(),
        }
    }

    /// Gives what came to whom it is for, in order. What is done at once is in `done` then.
    pub(super) fn take(&mut self, shared: &Shared, event: Event) {
        match event {
            Event::Ask {
                ask,
                target,
                kind,
                deadline_ms,
                payload,
            } => {
                let deadline =
                    deadline_ms.map(|left| Instant::now() + Duration::from_millis(left.into()));
                let what = What::Ask(ask);
                self.request(
                    target,
                    Request {
                        what,
                        kind,
                        deadline,
                        payload,
                    },
                );
            }
            Event::Tell {
                target,
                kind,
                payload,
            } => self.request(
                target,
                Request {
                    what: What::Tell,
                    kind,
                    deadline: None,
                    payload,
                },
            ),
            Event::Cancelled { ask } => self.cancel(shared, ask),
            Event::LookUp { look_up, payload } => self.look_up(shared, look_up, &payload),
            Event::Monitor { monitor, target } => self.watch(monitor, target),
            Event::Unmonitor { monitor } => self.unwatch(monitor),
            Event::Released { target } => {
                self.release(target);
                shared.with(|inner, _| inner.session.released(target));
            }
            // What concerns those who ask was heeded before.
            _ => {}
        }
    }

    fn target(&mut self, target: TargetId) -> Option<Arc<dyn Target>> {
        match &self.near {
            Some((near, to)) if *near == target => Some(to.clone()),
            _ => {
                let found = match self.given.get(&target) {
                    Some(given) => given.export.target()?,
                    None => self.shared.lent(target)?,
                };
                self.near = Some((target, found.clone()));
                Some(found)
            }
        }
    }

    fn look_up(&mut self, shared: &Shared, look_up: LookUpId, name: &[u8]) {
        let found = std::str::from_utf8(name)
            .ok()
            .and_then(|name| Some((name, self.exports.find(name, &shared.peer)?)));
        let Some((name, export, target)) =
            found.and_then(|(name, export)| Some((name, export.clone(), export.target()?)))
        else {
            let payload = Unfound::Unknown.encode();
            shared.with(|inner, _| inner.session.found(look_up, None, payload.into()));
            return;
        };
        let payload = catalog::encode(target.messages());
        let known = self.named.get(name).copied();
        let known = known.filter(|known| {
            let given = self.given.get(known);
            given.is_some_and(|given| Arc::ptr_eq(&given.export, &export))
        });
        let given = shared.with(|inner, _| {
            let session = &mut inner.session;
            let again = known.filter(|known| session.export_again(*known));
            let given = again.or_else(|| session.export(u32::MAX));
            let payload = match given {
                Some(_) => payload,
                None => Unfound::TooMany.encode(),
            };
            session.found(look_up, given, payload.into());
            given
        });
        if let Some(id) = given {
            let name: Arc<str> = name.into();
            self.named.insert(name.clone(), id);
            self.given.insert(id, Given { name, export });
        }
    }

    fn watch(&mut self, monitor: MonitorId, target: TargetId) {
        let job = Job {
            what: What::Watch(monitor),
            target,
            bytes: 0,
            is_taken: false,
        };
        let end = self
            .target(target)
            .map(|target| guard(|| Ok(target.ended())));
        let done = match end {
            Some(Ok(end)) => match self.admit(job, Work::Watch(end)) {
                Seated::At(seat) => {
                    self.watches.insert(monitor, seat);
                    return;
                }
                Seated::Done(done) => done,
            },
            _ => Some(Done::Watch(RemoteEnd::Unknown)),
        };
        self.done.push((job, done));
    }

    fn unwatch(&mut self, monitor: MonitorId) {
        let Some(seat) = self.watches.remove(&monitor) else {
            return;
        };
        let is_it = |job: &Job| job.what == What::Watch(monitor);
        if let Some(job) = self.crowd.dismiss(seat, is_it) {
            self.done.push((job, Some(Done::Watch(RemoteEnd::Unknown))));
        }
    }

    fn release(&mut self, target: TargetId) {
        self.near = None;
        let Some(given) = self.given.remove(&target) else {
            return self.shared.given_back(target);
        };
        if self.named.get(&given.name) == Some(&target) {
            self.named.remove(&given.name);
        }
    }

    /// The rights of the peer may have changed since they were given: those that it has no more
    /// are taken back.
    pub(super) fn check_rights(&mut self, peer: &Peer) {
        let exports = &self.exports;
        self.near = None;
        self.given
            .retain(|_, given| exports.offers(&given.name, &given.export, peer));
        let given = &self.given;
        self.named.retain(|_, target| given.contains_key(target));
    }

    /// The session is over, and nobody waits for answers any more. What was told stays until it is
    /// accepted.
    pub(super) fn end(&mut self) {
        self.crowd.retain(|job| job.what == What::Tell);
        self.lines.drop_asks();
        self.done.clear();
        self.taken.clear();
        self.given.clear();
        self.named.clear();
        self.near = None;
    }

    /// After the end: whether nothing is left.
    pub(super) fn poll_rest(&mut self, cx: &Context<'_>) -> bool {
        self.poll(cx);
        self.done.clear();
        self.taken.clear();
        self.crowd.len() == 0 && self.lines.is_empty()
    }

    /// Polls what was woken.
    pub(super) fn poll(&mut self, cx: &Context<'_>) {
        self.near = None; // an export that was withdrawn is found no more
        let known = self.done.len();
        let taken = &mut self.taken;
        let waits = |job: &mut Job, work: &Work| note_taken(taken, job, work);
        self.crowd.poll_woken(cx, &mut self.done, waits);
        for at in known..self.done.len() {
            let job = self.done[at].0;
            if job.what == What::Tell {
                self.go_on(job.target);
            }
        }
    }

    pub(super) fn has_done(&self) -> bool {
        !self.done.is_empty() || !self.taken.is_empty()
    }

    /// Passes on what is done. Called under the session's lock.
    pub(super) fn report(&mut self, session: &mut Session) {
        for (target, count, bytes) in self.taken.drain(..) {
            session.consumed(target, count, bytes);
        }
        for (job, done) in self.done.drain(..) {
            match (job.what, done) {
                (What::Ask(ask), Some(Done::Ask(Answer::Reply(payload)))) => {
                    session.reply(ask, payload.into());
                }
                (What::Ask(ask), Some(Done::Ask(Answer::Failed(failure)))) => {
                    session.fail(ask, u32::from(failure.code()), Bytes::new().into());
                }
                (What::Ask(ask), _) => {
                    session.fail(ask, u32::from(PANICKED.code()), Bytes::new().into());
                }
                (What::Watch(monitor), done) => {
                    self.watches.remove(&monitor);
                    let end = match done {
                        Some(Done::Watch(end)) => end,
                        _ => RemoteEnd::Unknown,
                    };
                    session.down(monitor, (&[end.code()][..]).into());
                    continue;
                }
                (What::Tell, _) => {}
            }
            if !job.is_taken {
                session.consumed(job.target, 1, job.bytes);
            }
        }
    }
}

/// One more was taken.
fn note(taken: &mut Taken, target: TargetId, bytes: u64) {
    match taken.last_mut() {
        Some((last, count, sum)) if *last == target => {
            *count += 1;
            *sum += bytes;
        }
        _ => taken.push((target, 1, bytes)),
    }
}

/// An ask whose reply alone is waited for leaves its room to others: perhaps the reply waits for
/// one of those.
fn note_taken(taken: &mut Taken, job: &mut Job, work: &Work) {
    if let Work::Ask(ask) = work
        && !job.is_taken
        && ask.is_taken()
    {
        job.is_taken = true;
        note(taken, job.target, job.bytes);
    }
}

/// Decoding, and what makes a message, is code of its type's.
fn guard<T>(code: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch(code).unwrap_or_else(|payload| {
        discard(payload);
        Err(PANICKED)
    })
}
