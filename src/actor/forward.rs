//! Handing an asker on to another actor.

use std::any::type_name;

use super::cell::Head;
use super::context::Context;
use super::dead_letters::HandedBack;
use super::delegated::Delegated;
use super::envelope::{Parcel, refuse};
use super::error::Refusal;
use super::handle::Handle;
use super::heir::{Asker, Heir};
use super::permit::Permit;
use super::reserve::ReserveError;
use super::slots::Slots;
use super::traits::Handler;
use super::undelivered::UndeliveredReason;
use crate::limits::FORWARDS_MAX;
use crate::task::Unit;

/// A reply that is, or comes to be, a `T`.
#[diagnostic::on_unimplemented(
    message = "the other actor replies with `{Self}`, and not with `{T}`",
    note = "a message is forwarded to a method that returns what this one's `Delegated` stands for"
)]
pub trait Gives<T> {}

impl<T> Gives<T> for T {}
impl<T> Gives<T> for Delegated<T> {}

/// # Forwarding
///
/// A handler may leave the answer to another actor. It hands on who asked, and the actor goes on
/// with its next message: the other's reply goes straight to the asker, with the other's errors,
/// which name that. The asker's limit travels along. What was told is told on.
///
/// ```
/// use greenroom::{Context, Delegated, actor};
///
/// #[actor]
/// struct Shard {
///     rows: Vec<String>,
/// }
///
/// #[actor]
/// impl Shard {
///     fn row(&self, n: usize) -> Option<String> {
///         self.rows.get(n).cloned()
///     }
/// }
///
/// #[actor]
/// struct Store {
///     shards: Vec<ShardHandle>,
/// }
///
/// #[actor]
/// impl Store {
///     async fn row(&mut self, n: usize, ctx: &Context<Self>) -> Delegated<Option<String>> {
///         let shard = &self.shards[n % self.shards.len()];
///         ctx.forward(shard, ShardRow { n: n / 2 }).await
///     }
/// }
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// let [even, odd] = ["zero", "one"].map(|row| Shard { rows: vec![row.into()] }.spawn());
/// let store = Store { shards: vec![even, odd] }.spawn();
/// assert_eq!(store.row(1).await?.as_deref(), Some("one"));
/// # Ok(()) }
/// ```
///
/// An ask is forwarded [`FORWARDS_MAX`](crate::limits::FORWARDS_MAX) times at most: one that goes
/// in a circle ends with an error. For the search for [deadlocks](crate::Deadlock) the asker waits
/// for the other from then on.
///
/// A message that the other does not take goes back to who asked, as that actor's refusal; one that
/// was told is [`Undelivered`](crate::Undelivered).
impl<A> Context<A> {
    /// Leaves the answer to another actor, which is sent a message for it. Waits for a slot there.
    /// The handler returns the result: then the message goes.
    ///
    /// A method that is `#[message(plain)]` forwards only to such, and others only to others;
    /// otherwise the asker is told that there is no reply.
    ///
    /// # Cancel safety
    ///
    /// Dropped before it is done, it has sent nothing.
    pub async fn forward<B, M, T>(&self, other: &Handle<B>, message: M) -> Delegated<T>
    where
        B: Handler<M>,
        B::Reply: Gives<T>,
        M: Send + 'static,
        T: Send + 'static,
    {
        let permit = other.reserve().await;
        self.hand_on(permit, message)
    }

    /// As [`Context::forward`], without waiting: a full mailbox refuses the message.
    pub fn try_forward<B, M, T>(&self, other: &Handle<B>, message: M) -> Delegated<T>
    where
        B: Handler<M>,
        B::Reply: Gives<T>,
        M: Send + 'static,
        T: Send + 'static,
    {
        self.hand_on(other.try_reserve(), message)
    }

    fn hand_on<B, M, T>(
        &self,
        permit: Result<Permit<'_, B>, ReserveError>,
        message: M,
    ) -> Delegated<T>
    where
        B: Handler<M>,
        M: Send + 'static,
        T: Send + 'static,
    {
        let slot = permit.map(|permit| permit.into_owned().into_slot());
        Delegated::handed(Box::new(Forward::<B, M> {
            slot,
            message,
            from: self.unit(),
            _other: std::marker::PhantomData,
        }))
    }
}

/// A message to be sent to a `B` when the handler of `from` has ended.
struct Forward<B, M> {
    slot: Result<Slots<'static>, ReserveError>,
    message: M,
    from: Unit,
    _other: std::marker::PhantomData<fn(B)>,
}

impl<B: Handler<M>, M: Send + 'static> Heir for Forward<B, M> {
    fn inherit(self: Box<Self>, asker: Option<Asker>) {
        let Some(asker) = asker else {
            return (*self).tell();
        };
        let Self {
            slot,
            message,
            from,
            ..
        } = *self;
        let Some(end) = asker.into_end::<B, M>() else {
            return;
        };
        let other = slot.as_ref().ok();
        let other = other.map(|slot| slot.target().0.head().id().as_u64());
        let is_circle = end.forward(other) > FORWARDS_MAX;
        let (actor, refusal, end, message) = match slot {
            Ok(slot) if is_circle => {
                let actor = slot.target().0.head().identity();
                (actor, Refusal::Forwarded, end, message)
            }
            Ok(mut slot) => {
                let parcel = Parcel::seal_forwarded::<B>(message, end);
                let Err((refusal, parcel)) = slot.fill_with(parcel) else {
                    return;
                };
                let actor = slot.target().0.head().identity();
                let Some((message, Some(end))) = parcel.open_all() else {
                    return;
                };
                (actor, refusal, end, message)
            }
            Err(error) => {
                let (actor, refusal) = error.into_parts();
                (actor, refusal, end, message)
            }
        };
        let reason = reason(&refusal);
        let (from, message) = ((head(&from), reason), Box::new(message));
        let back = HandedBack::new((actor, refusal), from, type_name::<M>(), message);
        // SAFETY: E2: `into_end` says that it is the way back of an `M` to a `B`.
        unsafe { refuse::<B, M>(end, back) };
    }
}

impl<B: Handler<M>, M: Send + 'static> Forward<B, M> {
    /// Nobody asked.
    fn tell(self) {
        let Self {
            slot,
            message,
            from,
            ..
        } = self;
        let (refusal, message) = match slot {
            Ok(mut slot) => {
                let parcel = Parcel::seal::<B>(message, None);
                let Err((refusal, parcel)) = slot.fill_with(parcel) else {
                    return;
                };
                let Some(message) = parcel.open() else { return };
                (refusal, message)
            }
            Err(error) => (error.into_parts().1, message),
        };
        head(&from).lose(&reason(&refusal), message);
    }
}

/// Why it is undelivered, if nobody asked.
fn reason(refusal: &Refusal) -> UndeliveredReason {
    match refusal {
        Refusal::Ended(reason) => UndeliveredReason::Ended(reason.clone()),
        _ => UndeliveredReason::Overflow,
    }
}

/// The cell of an actor that forwards.
fn head(from: &Unit) -> &Head {
    // SAFETY: the unit is that of a context, and a count of its cell.
    unsafe { from.as_raw().cast::<Head>().as_ref() }
}
