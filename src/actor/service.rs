//! Asks as `tower` services.
//!
//! # Readiness
//!
//! A service of `tower` is asked whether it is ready before it is called. Ours always is, and holds
//! nothing for it: a call waits for its slot in its response future. If readiness held a slot, each
//! clone that became ready and then waited for something else would keep one from the others, and
//! enough of them all. So back-pressure is that of the response: what bounds calls counts those in
//! flight (`ConcurrencyLimit`), a limit on their time (`Timeout`) covers the wait for a slot as
//! well, and an actor whose message has `overflow = reject` sheds them.

use std::task::{Context, Poll};

use tower_service::Service;

use super::ask_recipient::{AskRecipient, RecipientAsk};
use super::error::AskError;
use super::handle::Handle;
use super::request::Request;
use super::traits::{ErrOf, Handler, OkOf};

/// For each message that the actor understands. The response future owns its handle. See also
/// [`AskRecipient`], which is a service of one type of request, so that layers need not be told of
/// which.
///
/// It is always ready, and holds no slot for it: a call waits for its slot in its response. So what
/// bounds calls has to count those in flight, as `ConcurrencyLimit` does.
impl<A: Handler<M>, M: Send + 'static> Service<M> for Handle<A> {
    type Response = OkOf<A, M>;
    type Error = AskError<ErrOf<A, M>>;
    type Future = Request<'static, A, M>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, message: M) -> Self::Future {
        self.ask(message).into_owned()
    }
}

/// It is always ready, and holds no slot for it: a call waits for its slot in its response, which
/// owns its handle.
///
/// ```
/// # use std::time::Duration;
/// # use greenroom::{BoxError, actor};
/// # #[actor] struct Counter { count: u64 }
/// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
/// # #[tokio::main] async fn main() -> Result<(), BoxError> {
/// # let counter = Counter { count: 0 }.spawn();
/// use tower::{ServiceBuilder, ServiceExt};
///
/// let adder = ServiceBuilder::new()
///     .concurrency_limit(8)
///     .timeout(Duration::from_secs(5))
///     .service(counter.ask_recipient::<CounterAdd>());
/// assert_eq!(adder.oneshot(CounterAdd { n: 3 }).await?, 3);
/// # Ok(()) }
/// ```
impl<M: Send + 'static, T: 'static, E: 'static> Service<M> for AskRecipient<M, T, E> {
    type Response = T;
    type Error = AskError<E>;
    type Future = RecipientAsk<'static, M, T, E>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, message: M) -> Self::Future {
        self.ask(message).into_owned()
    }
}
