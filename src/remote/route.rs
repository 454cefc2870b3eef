//! The way to another process.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use super::ask::RemoteAsk;
use super::handle::Handle;
use super::handler::RemoteHandler;
use crate::actor::{
    AskResult, Carries, Enqueued, Expiry, Handler, Route, Sealed, TellError, Watch,
};

/// To another process, over a link.
#[derive(Debug)]
pub enum Remote {}

impl Sealed for Remote {}

impl Route for Remote {
    type Handle<A> = Handle<A>;
    type Ask<'h, A: 'static, M: Send + 'static> = RemoteAsk<'h, A, M>;

    fn begin<'h, A: 'static, M: Send + 'static>(
        handle: &'h Handle<A>,
        message: M,
    ) -> RemoteAsk<'h, A, M> {
        RemoteAsk::new(handle.port(), message)
    }

    /// What another process waits for is not seen here.
    fn watch<A: 'static, M: Send + 'static>(_: &mut RemoteAsk<'_, A, M>, _: Watch) {}

    fn into_owned<A: 'static, M: Send + 'static>(
        ask: RemoteAsk<'_, A, M>,
    ) -> RemoteAsk<'static, A, M> {
        ask.into_owned()
    }

    fn into_message<A: 'static, M: Send + 'static>(ask: RemoteAsk<'_, A, M>) -> M {
        ask.into_message()
    }
}

impl<A: RemoteHandler<M>, M: Send + 'static> Carries<A, M> for Remote
where
    A: Handler<M>,
{
    fn poll_ask(ask: Pin<&mut RemoteAsk<'_, A, M>>, cx: &mut Context<'_>) -> Poll<AskResult<A, M>> {
        ask.get_mut().poll_ask(cx)
    }

    fn begin_limited(
        ask: Pin<&mut RemoteAsk<'_, A, M>>,
        due: Expiry,
        _: bool,
    ) -> Option<AskResult<A, M>> {
        ask.get_mut().begin_limited(due)
    }

    fn poll_queued(
        ask: Pin<&mut RemoteAsk<'_, A, M>>,
        cx: &mut Context<'_>,
    ) -> Poll<AskResult<A, M>> {
        ask.get_mut().poll_ask(cx)
    }

    fn poll_enqueue(
        ask: Pin<&mut RemoteAsk<'_, A, M>>,
        cx: &mut Context<'_>,
    ) -> Poll<Enqueued<A, M>> {
        ask.get_mut().poll_enqueue(cx)
    }

    fn expire_enqueue(ask: Pin<&mut RemoteAsk<'_, A, M>>, limit: Duration) -> Enqueued<A, M> {
        ask.get_mut().expire_enqueue(limit)
    }

    fn expire_ask(ask: Pin<&mut RemoteAsk<'_, A, M>>, limit: Duration) -> AskResult<A, M> {
        ask.get_mut().expire(limit)
    }

    fn poll_tell(
        ask: Pin<&mut RemoteAsk<'_, A, M>>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), TellError<M>>> {
        ask.get_mut().poll_tell(cx)
    }

    fn try_tell(mut ask: RemoteAsk<'_, A, M>) -> Result<(), TellError<M>> {
        ask.try_tell()
    }

    fn cancel(ask: Pin<&mut RemoteAsk<'_, A, M>>) -> Option<M> {
        ask.get_mut().cancel()
    }

    fn expire_tell(
        ask: Pin<&mut RemoteAsk<'_, A, M>>,
        limit: Duration,
    ) -> Result<(), TellError<M>> {
        ask.get_mut().expire_tell(limit)
    }
}
