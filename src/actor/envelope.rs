//! A message on its way: what a mailbox slot holds.
//!
//! # Invariants
//!
//! - **E1.** The bytes in a slot are an `Envelope<C>`, and its `entry` is the one of the actor and
//!   the carrier `C` that it was sealed for. Slots of an actor's mailbox hold only envelopes
//!   sealed for that actor.
//! - **E2.** The way back of a message `M` to `A` leads to a slot, or a place, for an
//!   `Outcome<OkOf<A, M>, ErrOf<A, M>>`.
//! - **E3.** `WayBack::Here` points to a [`Landing`] for that on the stack of the call that runs
//!   the handler inline; that call outlives it: before it returns the reply has gone there, or the
//!   way leads elsewhere.
//!
//! [`Landing`]: super::landing::Landing

mod admission;
mod answer;
mod carrier;
mod forwarded;
#[cfg(feature = "test-util")]
mod lifted;
mod notice;
mod parcel;
mod returned;
mod visit;

use std::any::type_name;
use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

use admission::admit;
pub(super) use answer::{OutcomeOf, give};
use answer::{answer, send};
use carrier::{Bare, Carrier};
pub(super) use forwarded::refuse;
#[cfg(feature = "test-util")]
pub(super) use lifted::Lifted;
pub(crate) use notice::Source;
pub(super) use parcel::Parcel;
pub(super) use returned::{Stashed, put_aside};
pub(crate) use visit::{Due, Visit};

use super::cell::Head;
use super::dead_letters::HandedBack;
use super::exit::ExitReason;
use super::identity::Identity;
use super::landing::handle_ahead;
use super::outcome::{Outcome, Setback};
use super::policy;
use super::running::{Running, Step};
use super::sizes::Slot;
use super::traits::Handler;
use super::undelivered::UndeliveredReason;
use crate::mailbox::{Accepted, Overflow, Tag};
use crate::reply::ReplyEnd;

/// A message with its way back, as its handler's entry finds it.
#[repr(C)]
pub(super) struct Envelope<C> {
    entry: &'static Entry,
    reply: Option<ReplyEnd>,
    carried: C,
}

/// What can be done with an envelope whose type is no longer known.
pub(super) struct Entry {
    size: usize,
    /// Whether the mailbox's plain way in takes it.
    is_plain: bool,
    /// Whether its asker has asked another actor.
    is_forwarded: bool,
    /// Whether its handler runs beside others of the kind.
    pub(super) is_reentrant: bool,
    /// Whether it runs although its asker has gone.
    is_detached: bool,
    /// What it asks of the mailbox. `# Safety`: the place holds an envelope of this entry.
    tag: unsafe fn(NonNull<u8>) -> Tag,
    /// The message's type, for reports.
    pub(super) message: fn() -> &'static str,
    /// `# Safety`: [`Entry::start`].
    start: unsafe fn(Running, NonNull<u8>) -> Step,
    /// `# Safety`: [`Entry::discard`].
    discard: unsafe fn(NonNull<u8>, &Head, &UndeliveredReason),
    /// `# Safety`: [`Entry::interrupt`].
    interrupt: unsafe fn(WayBack, ExitReason, Option<Identity>),
    /// `# Safety`: [`Entry::lift`].
    #[cfg(feature = "test-util")]
    lift: Option<lifted::Lift>,
}

/// Where a reply goes.
pub(super) enum WayBack {
    /// Nobody asked.
    None,
    /// To who waits for it.
    Slot(ReplyEnd),
    /// To the caller's stack (E3).
    Here(NonNull<()>),
}

impl From<Option<ReplyEnd>> for WayBack {
    fn from(reply: Option<ReplyEnd>) -> Self {
        reply.map_or(Self::None, Self::Slot)
    }
}

impl Entry {
    /// The entry of messages `M` to `A` that are handled without an envelope.
    pub(super) fn bare<A: Handler<M>, M: Send + 'static>() -> &'static Self {
        &EntryFor::<A, M, Bare<M>>::ENTRY
    }

    /// The entry of the envelope in a slot.
    ///
    /// # Safety
    ///
    /// - The slot holds an envelope (E1).
    pub(super) unsafe fn of(slot: NonNull<u8>) -> &'static Self {
        // SAFETY: an envelope starts with its entry (`repr(C)`).
        unsafe { slot.cast::<&'static Self>().read() }
    }

    /// The way back of an asker whose going ends the wait of the message in `slot`.
    ///
    /// # Safety
    ///
    /// - This is the entry of the envelope in `slot` (E1), which nobody else reaches.
    pub(super) unsafe fn asker<'a>(&self, slot: NonNull<u8>) -> Option<&'a mut ReplyEnd> {
        // SAFETY: the caller; entry and way lie first, whatever is carried (`repr(C)`).
        let reply = unsafe { &mut (*slot.cast::<Envelope<()>>().as_ptr()).reply };
        reply.as_mut().filter(|_| !self.is_detached)
    }

    /// Moves the envelope out of its slot and begins to handle it.
    ///
    /// # Safety
    ///
    /// - This is the entry of the envelope in `slot` (E1), which lies in the mailbox of the actor
    ///   that `running` runs; the slot is not read again; no handler is suspended, or only such as
    ///   run beside others, as this one does, or it is one whose asker has gone.
    pub(super) unsafe fn start(&'static self, running: Running, slot: NonNull<u8>) -> Step {
        // SAFETY: the caller.
        unsafe { (self.start)(running, slot) }
    }

    /// Moves the envelope out and hands it back to its asker, or gives it up. Never unwinds.
    ///
    /// # Safety
    ///
    /// - This is the entry of the envelope in `slot` (E1), which lay in the mailbox of `head` and
    ///   is not read again.
    pub(super) unsafe fn discard(
        &self,
        slot: NonNull<u8>,
        head: &Head,
        reason: &UndeliveredReason,
    ) {
        // SAFETY: the caller.
        unsafe { (self.discard)(slot, head, reason) }
    }

    /// Tells an asker that its handler was cut short by the end of the actor of `head`.
    ///
    /// # Safety
    ///
    /// - The way is that of a message of this entry.
    pub(super) unsafe fn interrupt(&self, way: WayBack, reason: ExitReason, head: &Head) {
        let other = self.is_forwarded.then(|| head.identity());
        // SAFETY: the caller, by E2.
        unsafe { (self.interrupt)(way, reason, other) }
    }
}

/// Sends what holds no slot, and that nobody asks for. An error hands back what is carried.
///
/// # Safety
///
/// - The entry is that of envelopes of `C` to the actor of `head` (E1).
unsafe fn push_notice<C>(head: &Head, entry: &'static Entry, carried: C) -> Result<Accepted, C> {
    const { assert!(size_of::<Envelope<C>>() <= Slot::NONE.stride().bytes()) };
    let mut envelope = ManuallyDrop::new(Envelope {
        entry,
        reply: None,
        carried,
    });
    let bytes = entry.bytes(NonNull::from(&mut *envelope).cast());
    // SAFETY: the caller; the envelope fits any slot.
    let pushed = unsafe { head.mailbox.push_notice(bytes) };
    // On an error it was not moved.
    pushed.map_err(|_| ManuallyDrop::into_inner(envelope).carried)
}

/// The [tag](Entry::tag) of what has a way in of its own, which does not ask for it.
fn untagged(_: NonNull<u8>) -> Tag {
    Tag::plain(Overflow::Wait)
}

/// The entry for messages `M` to `A`, carried by `C`.
struct EntryFor<A, M, C>(PhantomData<fn(A, M, C)>);

impl<A: Handler<M>, M: Send + 'static, C: Carrier<M>> EntryFor<A, M, C> {
    const ENTRY: Entry = Entry {
        size: size_of::<Envelope<C>>(),
        is_plain: policy::is_plain::<A, M>(),
        is_forwarded: false,
        is_reentrant: A::REENTRANT,
        is_detached: A::DETACHED,
        tag: Self::tag,
        message: type_name::<M>,
        start: Self::start,
        discard: Self::discard,
        interrupt: Self::interrupt,
        #[cfg(feature = "test-util")]
        lift: Some(Self::lift),
    };

    /// The same, for messages whose asker has asked another actor.
    const FORWARDED: Entry = Entry {
        is_forwarded: true,
        ..Self::ENTRY
    };

    /// # Safety: as [`Entry::tag`].
    unsafe fn tag(place: NonNull<u8>) -> Tag {
        // SAFETY: the caller.
        let envelope = unsafe { place.cast::<Envelope<C>>().as_ref() };
        policy::tag::<A, M>(envelope.carried.peek())
    }

    /// # Safety: as [`Entry::start`].
    unsafe fn start(running: Running, slot: NonNull<u8>) -> Step {
        let envelope = slot.cast::<Envelope<C>>();
        // SAFETY: E1.
        if let Some(end) = unsafe { &(*envelope.as_ptr()).reply }
            && !end.is_plain()
        {
            // SAFETY: E1; the slot is not read again.
            return unsafe { Self::start_in_time(running, envelope.read()) };
        }
        // SAFETY: E1.
        let envelope = unsafe { envelope.read() };
        running.begin(envelope.entry, envelope.reply.into());
        // SAFETY: E1: the actor is an `A`; the caller says which handlers are suspended.
        unsafe { handle::<A, M>(running, envelope.carried.unload()) }
    }

    /// Begins to handle a message, unless its turn has come too late.
    ///
    /// # Safety
    ///
    /// - As [`Entry::start`], of an envelope of this entry.
    #[cold]
    unsafe fn start_in_time(running: Running, envelope: Envelope<C>) -> Step {
        let admitted = envelope.reply.as_ref().map_or(Ok(None), admit::<A, M>);
        let _barred = match admitted {
            Ok(barred) => barred,
            Err(reason) => {
                // SAFETY: the caller (E2).
                unsafe { Self::give_up(envelope, running.head(), &reason) };
                return Step::Done;
            }
        };
        running.begin(envelope.entry, envelope.reply.into());
        // SAFETY: the caller.
        unsafe { handle::<A, M>(running, envelope.carried.unload()) }
    }

    /// # Safety: as [`Entry::discard`].
    unsafe fn discard(slot: NonNull<u8>, head: &Head, reason: &UndeliveredReason) {
        // SAFETY: E1.
        unsafe { Self::give_up(slot.cast::<Envelope<C>>().read(), head, reason) }
    }

    /// Hands a message back to its asker, or gives it up.
    ///
    /// # Safety
    ///
    /// - The envelope is of this entry (E2).
    unsafe fn give_up(envelope: Envelope<C>, head: &Head, reason: &UndeliveredReason) {
        let message = envelope.carried.unload();
        let Some(reply) = envelope.reply.filter(|reply| !reply.is_left()) else {
            return head.lose(reason, message);
        };
        let back = HandedBack::new(
            (head.identity(), reason.refusal()),
            (head, reason.clone()),
            type_name::<M>(),
            Box::new(message),
        );
        let outcome: OutcomeOf<A, M> = Outcome(Err(Setback::NotHandled(back)));
        // SAFETY: E2.
        drop(unsafe { reply.send(outcome) });
    }

    /// # Safety: as [`Entry::interrupt`].
    unsafe fn interrupt(way: WayBack, reason: ExitReason, other: Option<Identity>) {
        let setback = match other {
            Some(actor) => Setback::elsewhere(actor, reason),
            None => Setback::Interrupted(Some(reason)),
        };
        // SAFETY: E2.
        unsafe { send::<A, M>(way, Err(setback)) };
    }
}

/// Handles a message that [`Running::begin`] was told of, as far as it goes at once.
///
/// # Safety
///
/// - The actor is an `A`, and no handler is suspended, or only such as run beside others, as this
///   one does.
#[inline]
pub(super) unsafe fn handle<A: Handler<M>, M: Send + 'static>(
    running: Running,
    message: M,
) -> Step {
    if <A as Handler<M>>::REENTRANT {
        const { assert!(!(A::REENTRANT && A::STREAMS), "a stream runs alone") };
        // SAFETY: the caller; C4: the state is there before the end.
        let (actor, ctx) = unsafe { running.share::<A>() };
        if <A as Handler<M>>::SYNC {
            let reply = actor.handle_shared_now(message, ctx);
            answer::<A, M>(running, reply);
            return Step::Done;
        }
        // SAFETY: the caller.
        return unsafe { running.place_beside(actor.handle_shared(message, ctx), answer::<A, M>) };
    }
    if <A as Handler<M>>::STREAMS {
        // SAFETY: the caller.
        return unsafe { handle_ahead::<A, M>(running, message) };
    }
    // SAFETY: the caller; C4: the state is there before the end.
    let (actor, ctx) = unsafe { running.borrow::<A>() };
    if <A as Handler<M>>::SYNC {
        let reply = actor.handle_now(message, ctx);
        answer::<A, M>(running, reply);
        Step::Done
    } else {
        // SAFETY: the caller.
        unsafe { running.place(actor.handle(message, ctx), answer::<A, M>) }
    }
}
