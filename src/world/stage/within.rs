//! The way to actors that live in worlds.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use super::ask::WithinAsk;
use super::fork_actor::ForkActor;
use super::part::Part;
use crate::actor::{AskResult, Carries, Enqueued, Handler, Limit, Route, Sealed, TellError, Watch};

/// The way to an actor in a world: that of handles which [`ForkActor::spawn_in`] gives.
#[derive(Debug)]
pub enum Within {}

impl Sealed for Within {}

impl Route for Within {
    type Handle<A> = Part<A>;
    type Ask<'h, A: 'static, M: Send + 'static> = WithinAsk<'h, A, M>;

    fn begin<'h, A: 'static, M: Send + 'static>(
        part: &'h Part<A>,
        message: M,
    ) -> WithinAsk<'h, A, M> {
        WithinAsk::new(part, message)
    }

    fn watch<A: 'static, M: Send + 'static>(ask: &mut WithinAsk<'_, A, M>, watch: Watch) {
        ask.watch(watch);
    }

    fn into_owned<A: 'static, M: Send + 'static>(
        ask: WithinAsk<'_, A, M>,
    ) -> WithinAsk<'static, A, M> {
        ask.into_owned()
    }

    fn into_message<A: 'static, M: Send + 'static>(ask: WithinAsk<'_, A, M>) -> M {
        ask.into_message()
    }
}

impl<A: ForkActor + Handler<M>, M: Send + 'static> Carries<A, M> for Within {
    fn poll_ask(ask: Pin<&mut WithinAsk<'_, A, M>>, cx: &mut Context<'_>) -> Poll<AskResult<A, M>> {
        ask.poll_ask(cx, false)
    }

    fn begin_limited(
        ask: Pin<&mut WithinAsk<'_, A, M>>,
        due: Limit,
        is_queued: bool,
    ) -> Option<AskResult<A, M>> {
        ask.limit(due, is_queued);
        None
    }

    fn poll_queued(
        ask: Pin<&mut WithinAsk<'_, A, M>>,
        cx: &mut Context<'_>,
    ) -> Poll<AskResult<A, M>> {
        ask.poll_ask(cx, true)
    }

    fn poll_enqueue(
        ask: Pin<&mut WithinAsk<'_, A, M>>,
        cx: &mut Context<'_>,
    ) -> Poll<Enqueued<A, M>> {
        ask.poll_enqueue(cx)
    }

    fn expire_enqueue(ask: Pin<&mut WithinAsk<'_, A, M>>, limit: Duration) -> Enqueued<A, M> {
        ask.expire_enqueue(limit)
    }

    fn expire_ask(ask: Pin<&mut WithinAsk<'_, A, M>>, limit: Duration) -> AskResult<A, M> {
        ask.expire_ask(limit)
    }

    fn poll_tell(
        ask: Pin<&mut WithinAsk<'_, A, M>>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), TellError<M>>> {
        ask.poll_tell(cx)
    }

    fn try_tell(ask: WithinAsk<'_, A, M>) -> Result<(), TellError<M>> {
        ask.try_tell()
    }

    fn cancel(ask: Pin<&mut WithinAsk<'_, A, M>>) -> Option<M> {
        ask.cancel()
    }

    fn expire_tell(
        ask: Pin<&mut WithinAsk<'_, A, M>>,
        limit: Duration,
    ) -> Result<(), TellError<M>> {
        ask.expire_tell(limit)
    }
}
