//! What a session's peer has asked for, and what it comes to.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use tokio::time::Instant;

use super::super::failure::Failure;
use super::super::frame::{AskKey, KindId, MonitorId, TargetId};
use super::super::handler::{Answer, BoxAsked, BoxFuture};
use super::super::remote_end::RemoteEnd;
use crate::actor::ExitReason;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    Ask(AskKey),
    Tell,
    Watch(MonitorId),
}

/// Something that is done for the peer, and what it holds of the target's credit.
#[derive(Clone, Copy)]
pub(super) struct Job {
    pub(super) what: What,
    pub(super) target: TargetId,
    pub(super) bytes: u64,
    /// An ask that its target has taken: it holds no credit any more.
    pub(super) is_taken: bool,
}

/// An ask or a tell that was not given to its target yet.
pub(super) struct Request {
    pub(super) what: What,
    pub(super) kind: KindId,
    pub(super) deadline: Option<Instant>,
    pub(super) payload: Bytes,
}

/// What waits.
pub(super) enum Work {
    Ask(BoxAsked),
    Tell(BoxFuture<Option<Failure>>),
    Watch(BoxFuture<ExitReason>),
}

/// What it comes to.
pub(super) enum Done {
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
