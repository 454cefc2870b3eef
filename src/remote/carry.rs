//! What a remote handle holds: one actor of another process, on one session.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use super::failure::Failure;
use super::frame::TargetId;
use super::handler::BoxFuture;
use super::lent::Passage;
use super::remote_end::RemoteEnd;
use super::share::Shared;
use crate::actor::{Crossing, Identity, Name, Refusal};
use crate::id::Id;

/// Takes messages to one actor, and its replies back.
pub(crate) trait Carry: Send + Sync + 'static {
    /// Waits for room on the way, then encodes the message and sends it.
    ///
    /// `encode` runs user code, at most once a call, and gives at most as many bytes as it is told.
    /// After an error nothing was sent. What it gives for a tell is used for nothing.
    fn poll_send(
        &self,
        turn: &mut Turn,
        cx: &mut Context<'_>,
        kind: usize,
        sort: Sort,
        encode: &mut Encode<'_>,
    ) -> Poll<Result<AskKey, Refusal>>;

    /// Gives up a place among those that wait for room.
    /// What was sent meanwhile is not withdrawn: then its key is given.
    fn withdraw(&self, turn: &mut Turn) -> Option<AskKey>;

    /// What came back. When it is there, the ask is over.
    fn poll_reply(&self, ask: AskKey, cx: &mut Context<'_>) -> Poll<Arrived>;

    /// Nobody waits for the reply of an ask that is not over.
    fn forget(&self, ask: AskKey);

    /// The session, for what comes back of a message of that kind, if handles may be part of it.
    fn passage(&self, _kind: usize) -> Option<Passage> {
        None
    }

    /// The number of the actor, if it is of that session.
    fn target_in(&self, _shared: &Arc<Shared>) -> Option<TargetId> {
        None
    }

    /// Waits for the actor's end. It does not hold the session.
    fn watch(&self) -> BoxFuture<RemoteEnd>;
}

/// Encodes a message into at most so many bytes.
pub(crate) type Encode<'a> = dyn FnMut(usize) -> Result<Bytes, Crossing> + 'a;

/// A place among those that wait for room; 0 for none.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Turn(pub(crate) u64);

/// An ask that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct AskKey(pub(crate) u64);

/// Whether a reply is wanted, and until when.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sort {
    Ask {
        deadline: Option<Instant>,
        /// Whether who sends waits for the answer, too: it is woken as if it had polled for it, if
        /// the ask is sent at once.
        is_awaited: bool,
    },
    Tell,
}

impl Sort {
    /// An ask that nobody has limited.
    pub(crate) fn is_endless(self) -> bool {
        matches!(self, Self::Ask { deadline: None, .. })
    }
}

/// What became of an ask.
#[derive(Debug)]
pub(crate) enum Arrived {
    Reply(Bytes),
    Failed(Failure),
    /// The session ended before. It may have been handled.
    Lost,
    /// The session ended before it left.
    NotSent,
    /// Nothing came within the limit of asks that have none of their own.
    Overdue(Duration),
}

/// What an actor of another process is called here, where it was found by this name.
pub(crate) fn identity(name: &str) -> Identity {
    Identity::new(Name::Given(name.into()), Id::next())
}

/// An actor of another process.
#[derive(Clone)]
pub(crate) struct Port {
    carry: Arc<dyn Carry>,
    identity: Identity,
}

impl Port {
    /// All ports of one actor on one session have the same identity.
    pub(crate) fn new(carry: Arc<dyn Carry>, identity: Identity) -> Self {
        Self { carry, identity }
    }

    pub(crate) fn carry(&self) -> &dyn Carry {
        &*self.carry
    }

    pub(crate) fn identity(&self) -> &Identity {
        &self.identity
    }
}

impl PartialEq for Port {
    fn eq(&self, other: &Self) -> bool {
        self.identity == other.identity
    }
}

impl Eq for Port {}

impl Hash for Port {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity.hash(state);
    }
}

impl fmt::Debug for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.identity.fmt(f)
    }
}

// As for local handles: what is behind it is locked.
impl UnwindSafe for Port {}
impl RefUnwindSafe for Port {}
