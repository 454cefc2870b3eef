//! Rights to send without waiting.

use std::fmt;
use std::iter::FusedIterator;
use std::marker::PhantomData;
use std::pin::pin;

use super::enqueue::{Enqueued, Reply};
use super::envelope::Parcel;
use super::error::TellError;
use super::identity::Identity;
use super::local::{Parts, Step};
use super::origin::Origin;
use super::sending::Sending;
use super::slots::Slots;
use super::traits::Handler;
use super::waits::Watch;
use crate::reply::Receiver;

/// One slot of an actor's mailbox, held for a message that is yet to come.
///
/// Made by [`Handle::reserve`](crate::Handle::reserve). Dropping it gives the slot back. As long as
/// it is held, nobody else can use the slot, so hold it briefly: what is reserved shows in
/// [`MailboxMetrics::reserved`](crate::MailboxMetrics::reserved).
///
/// Its message goes past those who wait for a slot: it took its turn when the slot was reserved.
///
/// An actor that is stopped does not wait for its permits: they fail, with the message handed back.
pub struct Permit<'h, A: 'static> {
    slot: Slots<'h>,
    _actor: PhantomData<fn() -> A>,
}

impl<'h, A: 'static> Permit<'h, A> {
    pub(super) fn new(slot: Slots<'h>) -> Self {
        let _actor = PhantomData;
        Self { slot, _actor }
    }

    /// Tells, without waiting. From anywhere: it needs no runtime.
    ///
    /// # Errors
    ///
    /// When the actor takes no more, or the mailbox has a bound of bytes that leaves no room for
    /// this message; it is handed back, and the slot is given back.
    pub fn tell<M: Send + 'static>(mut self, message: M) -> Result<(), TellError<M>>
    where
        A: Handler<M>,
    {
        self.slot.fill(Parcel::seal::<A>(message, None))
    }

    /// Asks in two steps, of which the first is done: the message is queued, without waiting, and
    /// what is given is its reply.
    ///
    /// ```
    /// # use greenroom::{actor};
    /// # #[actor] struct Counter { count: u64 }
    /// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
    /// # #[tokio::main] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let counter = Counter { count: 0 }.spawn();
    /// let permit = counter.reserve().await?;
    /// let reply = permit.enqueue(CounterAdd { n: 2 })?;
    /// assert_eq!(reply.await?, 2);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Permit::tell`]; and in a handler whose deadline has passed.
    pub fn enqueue<M: Send + 'static>(mut self, message: M) -> Enqueued<A, M>
    where
        A: Handler<M>,
    {
        let mut sending = pin!(Sending::new(message));
        let (mut receiver, mut accepted) = (Receiver::none(), false);
        let target = &self.slot.target().0;
        let mut parts = Parts {
            receiver: &mut receiver,
            accepted: &mut accepted,
            watch: Watch::Fail,
            sending: sending.as_mut(),
            target,
        };
        if let Err((refusal, message)) = parts.begin_limited::<A>(None, Step::Enqueue) {
            let actor = target.head().identity();
            return Err(TellError::new(actor, refusal, message));
        }
        let origin = Origin::new((*target.unit()).clone(), std::any::type_name::<M>);
        self.slot.fill(sending.take_sealed())?;
        // SAFETY: E2: `begin_limited` made the slot for this reply, as that of a limited ask.
        Ok(unsafe { Reply::new(receiver, origin, A::DETACHED, Watch::Fail) })
    }

    pub(super) fn into_slot(self) -> Slots<'h> {
        self.slot
    }

    /// Name and id of the actor.
    #[must_use]
    pub fn actor(&self) -> Identity {
        self.slot.target().0.head().identity()
    }

    /// A permit that owns its handle, and so keeps the actor running.
    #[must_use]
    pub fn into_owned(self) -> Permit<'static, A> {
        Permit::new(self.slot.into_owned())
    }
}

impl<A: 'static> fmt::Debug for Permit<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Permit").field(&self.actor()).finish()
    }
}

/// Several slots, as an iterator of [`Permit`]s. Dropping it gives back those that are left.
///
/// Made by [`Handle::reserve_many`](crate::Handle::reserve_many).
#[must_use = "the slots are given back when it is dropped"]
pub struct Permits<'h, A: 'static> {
    slots: Slots<'h>,
    _actor: PhantomData<fn() -> A>,
}

impl<'h, A: 'static> Permits<'h, A> {
    pub(super) fn new(slots: Slots<'h>) -> Self {
        let _actor = PhantomData;
        Self { slots, _actor }
    }

    /// Permits that own their handle, and so keep the actor running.
    pub fn into_owned(self) -> Permits<'static, A> {
        Permits::new(self.slots.into_owned())
    }
}

impl<'h, A: 'static> Iterator for Permits<'h, A> {
    type Item = Permit<'h, A>;

    fn next(&mut self) -> Option<Permit<'h, A>> {
        self.slots.take_one().map(Permit::new)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.slots.count(), Some(self.slots.count()))
    }
}

impl<A: 'static> ExactSizeIterator for Permits<'_, A> {}
impl<A: 'static> FusedIterator for Permits<'_, A> {}

impl<A: 'static> fmt::Debug for Permits<'_, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let actor = self.slots.target().0.head().identity();
        let mut tuple = f.debug_tuple("Permits");
        tuple.field(&actor).field(&self.slots.count()).finish()
    }
}
