//! Ways to send. A generated handle is generic over them; [`Local`] is the first.

use std::fmt::Debug;
use std::hash::Hash;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use super::enqueue::Enqueued;
use super::error::TellError;
use super::handle::Handle;
use super::local::{LocalAsk, Step};
use super::timed::Due;
use super::traits::{AskResult, Handler, Sealed};
use super::waits::Watch;

/// A way to send messages to actors.
pub trait Route: Sealed + Sized + 'static {
    /// What the generated handles are wrapped round.
    type Handle<A>: Clone + Eq + Hash + Debug + Send + Sync;

    /// A message on this way, not yet sent or waiting for its answer.
    #[doc(hidden)]
    type Ask<'h, A: 'static, M: Send + 'static>: Send;

    #[doc(hidden)]
    fn begin<'h, A: 'static, M: Send + 'static>(
        handle: &'h Self::Handle<A>,
        message: M,
    ) -> Self::Ask<'h, A, M>;

    /// What is to be done about a circle of waits that it closes.
    #[doc(hidden)]
    fn watch<A: 'static, M: Send + 'static>(ask: &mut Self::Ask<'_, A, M>, watch: Watch);

    #[doc(hidden)]
    fn into_owned<A: 'static, M: Send + 'static>(
        ask: Self::Ask<'_, A, M>,
    ) -> Self::Ask<'static, A, M>;

    #[doc(hidden)]
    fn into_message<A: 'static, M: Send + 'static>(ask: Self::Ask<'_, A, M>) -> M;
}

/// A way that can take messages of type `M` to `A`: for [`Local`], whatever `A` handles.
///
/// Cancel safety: dropping what is polled here before it was accepted withdraws the message.
#[diagnostic::on_unimplemented(message = "this route can't carry `{M}` to `{A}`")]
pub trait Carries<A: Handler<M>, M: Send + 'static>: Route {
    #[doc(hidden)]
    fn poll_ask(ask: Pin<&mut Self::Ask<'_, A, M>>, cx: &mut Context<'_>) -> Poll<AskResult<A, M>>;

    /// Before the first poll: the ask has a deadline. `is_queued`: it never runs inline.
    #[doc(hidden)]
    fn begin_limited(
        ask: Pin<&mut Self::Ask<'_, A, M>>,
        due: Due,
        is_queued: bool,
    ) -> Option<AskResult<A, M>>;

    /// As `poll_ask`, but never inline.
    #[doc(hidden)]
    fn poll_queued(
        ask: Pin<&mut Self::Ask<'_, A, M>>,
        cx: &mut Context<'_>,
    ) -> Poll<AskResult<A, M>>;

    #[doc(hidden)]
    fn poll_enqueue(
        ask: Pin<&mut Self::Ask<'_, A, M>>,
        cx: &mut Context<'_>,
    ) -> Poll<Enqueued<A, M>>;

    /// The limit passed: withdraws what was not accepted.
    #[doc(hidden)]
    fn expire_enqueue(ask: Pin<&mut Self::Ask<'_, A, M>>, limit: Duration) -> Enqueued<A, M>;

    /// The limit passed: withdraws what was not accepted.
    #[doc(hidden)]
    fn expire_ask(ask: Pin<&mut Self::Ask<'_, A, M>>, limit: Duration) -> AskResult<A, M>;

    #[doc(hidden)]
    fn poll_tell(
        ask: Pin<&mut Self::Ask<'_, A, M>>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), TellError<M>>>;

    #[doc(hidden)]
    fn try_tell(ask: Self::Ask<'_, A, M>) -> Result<(), TellError<M>>;

    /// Takes the message back, unless it was accepted.
    #[doc(hidden)]
    fn cancel(ask: Pin<&mut Self::Ask<'_, A, M>>) -> Option<M>;

    /// The limit passed: withdraws what was not accepted.
    #[doc(hidden)]
    fn expire_tell(ask: Pin<&mut Self::Ask<'_, A, M>>, limit: Duration)
    -> Result<(), TellError<M>>;
}

/// Within the process.
#[derive(Debug)]
pub enum Local {}

impl Sealed for Local {}

impl Route for Local {
    type Handle<A> = Handle<A>;
    type Ask<'h, A: 'static, M: Send + 'static> = LocalAsk<'h, A, M>;

    fn begin<'h, A: 'static, M: Send + 'static>(
        handle: &'h Handle<A>,
        message: M,
    ) -> LocalAsk<'h, A, M> {
        LocalAsk::new(handle.target(), message)
    }

    fn watch<A: 'static, M: Send + 'static>(ask: &mut LocalAsk<'_, A, M>, watch: Watch) {
        ask.watch(watch);
    }

    fn into_owned<A: 'static, M: Send + 'static>(
        ask: LocalAsk<'_, A, M>,
    ) -> LocalAsk<'static, A, M> {
        ask.into_owned()
    }

    fn into_message<A: 'static, M: Send + 'static>(ask: LocalAsk<'_, A, M>) -> M {
        ask.into_message()
    }
}

impl<A: Handler<M>, M: Send + 'static> Carries<A, M> for Local {
    fn poll_ask(ask: Pin<&mut LocalAsk<'_, A, M>>, cx: &mut Context<'_>) -> Poll<AskResult<A, M>> {
        ask.poll_ask(cx)
    }

    fn begin_limited(
        ask: Pin<&mut LocalAsk<'_, A, M>>,
        due: Due,
        is_queued: bool,
    ) -> Option<AskResult<A, M>> {
        let step = if is_queued { Step::Queue } else { Step::Ask };
        ask.begin_limited(Some(due), step)
    }

    fn poll_queued(
        ask: Pin<&mut LocalAsk<'_, A, M>>,
        cx: &mut Context<'_>,
    ) -> Poll<AskResult<A, M>> {
        ask.poll_queued(cx)
    }

    fn poll_enqueue(
        ask: Pin<&mut LocalAsk<'_, A, M>>,
        cx: &mut Context<'_>,
    ) -> Poll<Enqueued<A, M>> {
        ask.poll_enqueue(cx)
    }

    fn expire_enqueue(ask: Pin<&mut LocalAsk<'_, A, M>>, limit: Duration) -> Enqueued<A, M> {
        ask.expire_enqueue(limit)
    }

    fn expire_ask(ask: Pin<&mut LocalAsk<'_, A, M>>, limit: Duration) -> AskResult<A, M> {
        ask.expire(limit)
    }

    fn poll_tell(
        ask: Pin<&mut LocalAsk<'_, A, M>>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), TellError<M>>> {
        ask.poll_tell(cx)
    }

    fn try_tell(ask: LocalAsk<'_, A, M>) -> Result<(), TellError<M>> {
        ask.try_tell()
    }

    fn cancel(ask: Pin<&mut LocalAsk<'_, A, M>>) -> Option<M> {
        ask.cancel()
    }

    fn expire_tell(ask: Pin<&mut LocalAsk<'_, A, M>>, limit: Duration) -> Result<(), TellError<M>> {
        ask.expire_tell(limit)
    }
}
