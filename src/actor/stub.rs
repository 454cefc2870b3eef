//! Handles whose messages are answered by hand.

mod desk;
mod given;
mod letter;
mod stream;

use std::fmt;
use std::future::{poll_fn, ready};
use std::sync::Arc;

use super::builder::Builder;
use super::cause::Cause;
use super::exit::ExitReason;
use super::life::Factory;
use super::route::Local;
use super::running::Stage;
use super::spawn_error::SpawnErrorKind;
use super::traits::{Actor, Handler};
use super::weak::WeakHandle;
use super::{Handle, ReplyTo};
use crate::error::BoxError;

use desk::Desk;
pub(super) use desk::Outlet;
pub use given::{ByHand, Given};
pub use letter::{Letter, Unexpected};
pub use stream::StreamFeed;

/// Spawns a stub: a handle as any other of `A`, and who answers what is sent by it. For tests, with
/// the feature `test-util`.
///
/// ```
/// # use greenroom::actor;
/// # #[actor] struct Rates;
/// # #[actor] impl Rates {
/// #     async fn rate(&mut self, from: &'static str) -> Result<f64, String> { Err(from.into()) }
/// # }
/// #[actor]
/// struct Shop {
///     rates: RatesHandle,
/// }
///
/// #[actor]
/// impl Shop {
///     async fn price(&mut self, euros: f64) -> Option<f64> {
///         Some(euros / self.rates.rate("USD").await.ok()?)
///     }
/// }
///
/// # #[greenroom::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), greenroom::Error> {
/// let (rates, mut bank) = greenroom::testing::stub::<Rates>();
/// let shop = Shop { rates }.spawn();
/// let price = shop.price(8.0).enqueue().await?;
/// let (message, reply) = bank.next::<RatesRate>().await?;
/// assert_eq!(message.from, "USD");
/// reply.send(Ok(0.5)).expect("the shop waits for it");
/// assert_eq!(price.await?, Some(16.0));
/// # Ok(()) }
/// ```
///
/// # Panics
///
/// When [`Stub::open`] gives an error.
#[must_use]
#[track_caller]
pub fn stub<A: Actor>() -> (A::Handle<Local>, Stub<A>) {
    match Stub::open() {
        Ok(opened) => opened,
        Err(error) => panic!("{error}"),
    }
}

/// Who answers what is sent by a handle that [`stub`] gave.
///
/// Behind the handle is a cell with a mailbox like any other of `A`, and no `A` in it: order,
/// bounds, limits, `stop` and `kill` are those of an actor that handles a message when
/// [`Stub::next`] takes it. It ends when it was told to stop, or its last handle was dropped, and
/// all that was accepted was taken. Dropped, it is killed.
pub struct Stub<A> {
    desk: Arc<Desk>,
    cell: WeakHandle<A>,
}

impl<A: Actor> Stub<A> {
    /// As [`stub`], if that can be done.
    ///
    /// # Errors
    ///
    /// As [`Builder::try_spawn`](crate::Builder::try_spawn).
    #[track_caller]
    pub fn open() -> Result<(A::Handle<Local>, Self), SpawnErrorKind> {
        Self::open_with(|builder| builder)
    }

    /// As [`Stub::open`], with what the type does not say: a small mailbox, or a name; what the
    /// builder returned would spawn is not.
    ///
    /// # Errors
    ///
    /// As [`Builder::try_spawn`](crate::Builder::try_spawn).
    #[track_caller]
    pub fn open_with<F>(options: F) -> Result<(A::Handle<Local>, Self), SpawnErrorKind>
    where
        F: FnOnce(Builder<A>) -> Builder<A>,
    {
        let desk = Arc::<Desk>::default();
        let never = || ready(Err(BoxError::from("a stub has no state")));
        let stage = Stage::Stub(Arc::new(Outlet::new(&desk)));
        let builder = options(Builder::vacant());
        let handle = builder.launch_vacant(Factory::new(never).once(), stage)?;
        let cell = Handle::downgrade(&handle);
        Ok((handle, Self { desk, cell }))
    }
}

impl<A> Stub<A> {
    /// Takes the next message, which is an `M`, with the right to answer it. That is of no use if
    /// nobody asked; dropped, it tells who asked that there is no reply.
    ///
    /// # Errors
    ///
    /// When the next message is of another type, which is in the error, or there will be none.
    ///
    /// # Cancel safety
    ///
    /// Dropped before it is done, it has taken no message that the next call does not give.
    pub async fn next<M>(&mut self) -> Result<(M, ReplyTo<Given<A, M>>), Unexpected<A>>
    where
        A: Handler<M>,
        A::Shape: ByHand<A::Reply>,
        M: Send + 'static,
    {
        match self.letter().await {
            Ok(letter) => letter.open().map_err(Unexpected::other::<M>),
            Err(reason) => Err(Unexpected::ended::<M>(reason)),
        }
    }

    /// Takes the next message, of whatever type.
    ///
    /// # Errors
    ///
    /// The reason of the end, when there will be no other.
    ///
    /// # Cancel safety
    ///
    /// As [`Stub::next`].
    pub async fn letter(&mut self) -> Result<Letter<A>, ExitReason> {
        let (desk, cell) = (&self.desk, &self.cell);
        let lifted = poll_fn(|cx| desk.poll(cx, || cell.unit().notify())).await;
        match lifted {
            Some(lifted) => Ok(Letter::new(lifted, cell.clone())),
            None => Err(cell.join().await),
        }
    }
}

impl<A> Drop for Stub<A> {
    fn drop(&mut self) {
        self.cell.close(Cause::Killed);
    }
}

impl<A> fmt::Debug for Stub<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stub").field(&self.cell.identity()).finish()
    }
}
