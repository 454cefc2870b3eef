//! The side of a session that is asked.
//!
//! What came is given to its target in the order in which it came, and polled once at once: so it
//! is handled, or stands in the target's line. What waits is kept, and gets no task.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use super::catalog::{self, Unfound};
use super::crowd::Crowd;
use super::exports::{Export, Exports};
use super::failure::{End, Failure, Why};
use super::frame::{AskKey, KindId, LookUpId, MonitorId, TargetId};
use super::handler::{Answer, BoxFuture};
use super::peer::Peer;
use super::remote_end::RemoteEnd;
use super::session::{Event, Session};
use super::share::Shared;
use super::target::Target;
use crate::actor::ExitReason;
use crate::contain::{catch, discard};

/// What a session's peer was given, and what it waits for.
pub(super) struct Server {
    exports: Arc<Exports>,
    /// The longest reply that the peer takes.
    reply_bytes: usize,
    given: HashMap<TargetId, Given>,
    named: HashMap<Arc<str>, TargetId>,
    crowd: Crowd<Job, Work>,
    /// What the futures in the crowd hold of their targets' credit.
    held: HashMap<Job, Held>,
    tells: u64,
    done: Vec<(Job, Option<Done>)>,
}

struct Given {
    name: Arc<str>,
    export: Arc<Export>,
}

/// A record that a target has not taken yet, or not answered.
#[derive(Clone, Copy)]
struct Held {
    target: TargetId,
    bytes: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Job {
    Ask(AskKey),
    Tell(u64),
    Watch(MonitorId),
}

/// What waits.
enum Work {
    Ask(BoxFuture<Answer>),
    Tell(BoxFuture<Option<Failure>>),
    Watch(BoxFuture<ExitReason>),
}

/// What it comes to.
enum Done {
    Ask(Answer),
    Tell,
    Watch(RemoteEnd),
}

impl Future for Work {
    type Output = Done;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Done> {
        match &mut *self {
            Self::Ask(ask) => ask.as_mut().poll(cx).map(Done::Ask),
            Self::Tell(tell) => tell.as_mut().poll(cx).map(|_| Done::Tell),
            Self::Watch(end) => end
                .as_mut()
                .poll(cx)
                .map(|reason| Done::Watch(RemoteEnd::of(&reason))),
        }
    }
}

const STALE: Failure = Failure::NotHandled(Why::Stale);
const PANICKED: Failure = Failure::Interrupted(End::Failed);

impl Server {
    pub(super) fn new(exports: Arc<Exports>, reply_bytes: usize) -> Self {
        Self {
            exports,
            reply_bytes,
            given: HashMap::new(),
            named: HashMap::new(),
            crowd: Crowd::new(),
            held: HashMap::new(),
            tells: 0,
            done: Vec::new(),
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
            } => self.ask(ask, target, kind, deadline_ms, payload),
            Event::Tell {
                target,
                kind,
                payload,
            } => self.tell(target, kind, payload),
            Event::Cancelled { ask } => {
                // One that has been answered is over already.
                let was_open = self.crowd.dismiss(Job::Ask(ask));
                if was_open {
                    self.settle(shared, Job::Ask(ask), |session| session.ended(ask));
                }
            }
            Event::LookUp { look_up, payload } => self.look_up(shared, look_up, &payload),
            Event::Monitor { monitor, target } => self.watch(monitor, target),
            Event::Unmonitor { monitor } => {
                let job = Job::Watch(monitor);
                let was_open = self.crowd.dismiss(job);
                if was_open {
                    let done = Done::Watch(RemoteEnd::Unknown);
                    self.done.push((job, Some(done)));
                }
            }
            Event::Released { target } => self.release(target),
            // What concerns those who ask was heeded before.
            _ => {}
        }
    }

    fn target(&self, target: TargetId) -> Option<Arc<dyn Target>> {
        self.given.get(&target)?.export.target()
    }

    fn ask(
        &mut self,
        ask: AskKey,
        target: TargetId,
        kind: KindId,
        deadline_ms: Option<u32>,
        payload: Bytes,
    ) {
        let job = Job::Ask(ask);
        self.hold(job, target, &payload);
        let deadline =
            deadline_ms.map(|left| Instant::now() + Duration::from_millis(u64::from(left)));
        let begun = match self.target(target) {
            Some(target) => {
                guard(|| target.ask(kind.index(), &payload, deadline, self.reply_bytes))
            }
            None => Err(STALE),
        };
        match begun {
            Ok(future) => self.admit(job, Work::Ask(future)),
            Err(failure) => {
                let done = Done::Ask(Answer::Failed(failure));
                self.done.push((job, Some(done)));
            }
        }
    }

    fn tell(&mut self, target: TargetId, kind: KindId, payload: Bytes) {
        self.tells += 1;
        let job = Job::Tell(self.tells);
        self.hold(job, target, &payload);
        let begun = match self.target(target) {
            Some(target) => guard(|| target.tell(kind.index(), &payload)),
            None => Err(STALE),
        };
        match begun {
            Ok(future) => self.admit(job, Work::Tell(future)),
            Err(_) => self.done.push((job, Some(Done::Tell))),
        }
    }

    fn hold(&mut self, job: Job, target: TargetId, payload: &Bytes) {
        let bytes = payload.len() as u64;
        self.held.insert(job, Held { target, bytes });
    }

    fn admit(&mut self, job: Job, work: Work) {
        if let Poll::Ready(done) = self.crowd.admit(job, work) {
            self.done.push((job, done));
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
        let job = Job::Watch(monitor);
        let end = self
            .target(target)
            .map(|target| guard(|| Ok(target.ended())));
        match end {
            Some(Ok(end)) => self.admit(job, Work::Watch(end)),
            _ => self.done.push((job, Some(Done::Watch(RemoteEnd::Unknown)))),
        }
    }

    fn release(&mut self, target: TargetId) {
        if let Some(given) = self.given.remove(&target)
            && self.named.get(&given.name) == Some(&target)
        {
            self.named.remove(&given.name);
        }
    }

    /// The rights of the peer may have changed since they were given: those that it has no more
    /// are taken back.
    pub(super) fn check_rights(&mut self, peer: &Peer) {
        let exports = &self.exports;
        self.given
            .retain(|_, given| exports.offers(&given.name, &given.export, peer));
        let given = &self.given;
        self.named.retain(|_, target| given.contains_key(target));
    }

    /// The session is over, and nobody waits for answers any more. What was told stays until it is
    /// accepted.
    pub(super) fn end(&mut self) {
        self.crowd.retain(|job| matches!(job, Job::Tell(_)));
        self.done.clear();
        self.held.clear();
        self.given.clear();
        self.named.clear();
    }

    /// After the end: whether nothing is left.
    pub(super) fn poll_rest(&mut self, cx: &Context<'_>) -> bool {
        self.crowd.poll_woken(cx, &mut self.done);
        self.done.clear();
        self.crowd.len() == 0
    }

    /// Polls what was woken.
    pub(super) fn poll(&mut self, cx: &Context<'_>) {
        self.crowd.poll_woken(cx, &mut self.done);
    }

    pub(super) fn has_done(&self) -> bool {
        !self.done.is_empty()
    }

    /// Passes on what is done. Called under the session's lock.
    pub(super) fn report(&mut self, session: &mut Session) {
        for (job, done) in self.done.drain(..) {
            match (job, done) {
                (Job::Ask(ask), Some(Done::Ask(Answer::Reply(payload)))) => {
                    session.reply(ask, payload.into());
                }
                (Job::Ask(ask), Some(Done::Ask(Answer::Failed(failure)))) => {
                    session.fail(ask, u32::from(failure.code()), Bytes::new().into());
                }
                (Job::Ask(ask), _) => {
                    session.fail(ask, u32::from(PANICKED.code()), Bytes::new().into());
                }
                (Job::Watch(monitor), done) => {
                    let end = match done {
                        Some(Done::Watch(end)) => end,
                        _ => RemoteEnd::Unknown,
                    };
                    session.down(monitor, (&[end.code()][..]).into());
                }
                (Job::Tell(_), _) => {}
            }
            if let Some(held) = self.held.remove(&job) {
                session.consumed(held.target, 1, held.bytes);
            }
        }
    }

    /// One that was dismissed is over.
    fn settle(&mut self, shared: &Shared, job: Job, end: impl FnOnce(&mut Session)) {
        let held = self.held.remove(&job);
        shared.with(|inner, _| {
            end(&mut inner.session);
            if let Some(held) = held {
                inner.session.consumed(held.target, 1, held.bytes);
            }
        });
    }
}

/// Decoding, and what makes a message, is code of its type's.
fn guard<T>(code: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    catch(code).unwrap_or_else(|payload| {
        discard(payload);
        Err(PANICKED)
    })
}
