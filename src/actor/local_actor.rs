//! Actors that need not be `Send`. `#[actor(local)]` implements the traits here, which are those of
//! any actor but for `Send`; by them a [`OneThread`] is an actor as others are.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use super::context::Context;
use super::exit::{Crash, ExitReason};
use super::one_thread::{Kept, OneThread};
use super::panics::{OnPanic, ResumeAfterPanic};
use super::route::Route;
use super::shape::Shape;
use super::sizes::{Room, Slot};
use super::traits::{Actor, Declared, Handler, Inline, Options};
use super::undelivered::Undelivered;
use crate::error::BoxError;
use crate::mailbox::{Lane, Overflow};

/// The context of a handler or hook of a local actor.
pub type LocalContext<A> = Context<OneThread<A>>;

/// What `#[actor(local)]` on a type declares.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not declared as a local actor",
    label = "no `#[actor(local)]` on its type",
    note = "write `#[actor(local)]` on the struct or enum, too, or leave `local` out here"
)]
pub trait LocalDeclared: Sized + 'static {
    #[doc(hidden)]
    type Handle<R: Route>: Deref<Target = R::Handle<OneThread<Self>>>
        + Clone
        + Eq
        + Hash
        + fmt::Debug
        + Send
        + Sync;

    #[doc(hidden)]
    const OPTIONS: Options;

    #[doc(hidden)]
    fn wrap<R: Route>(raw: R::Handle<OneThread<Self>>) -> Self::Handle<R>;
}

/// As [`Actor`], of one thread. Written by `#[actor(local)]` on the type's main impl block.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no `#[actor(local)] impl` block",
    label = "this actor understands nothing yet",
    note = "write `#[actor(local)]` on its main impl block, which may be empty"
)]
pub trait LocalActor: LocalDeclared {
    #[doc(hidden)]
    const SLOT: Slot = Slot::NONE;

    #[doc(hidden)]
    const STARTS: bool = true;

    #[doc(hidden)]
    const STOPS: bool = true;

    #[doc(hidden)]
    const PANICS: bool = true;

    #[doc(hidden)]
    const UNDELIVERED: Option<fn(Undelivered)> = None;

    /// As [`Actor::on_start`].
    fn on_start(
        &mut self,
        ctx: &mut LocalContext<Self>,
    ) -> impl Future<Output = Result<(), BoxError>> {
        let _ = ctx;
        async { Ok(()) }
    }

    /// As [`Actor::on_stop`].
    fn on_stop(
        &mut self,
        ctx: &mut LocalContext<Self>,
        reason: ExitReason,
    ) -> impl Future<Output = ()> {
        let _ = (ctx, reason);
        async {}
    }

    /// As [`Actor::on_panic`].
    fn on_panic(&mut self, ctx: &mut LocalContext<Self>, crash: &Crash) -> OnPanic<Self> {
        let _ = (ctx, crash);
        OnPanic::stop()
    }
}

/// As [`Handler`], of one thread. By hand it is implemented likewise.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not understand the message `{M}`",
    label = "`{M}` is no message of `{Self}`"
)]
pub trait LocalHandler<M: Send + 'static>: LocalActor {
    /// What the handler returns. It goes to other threads.
    type Reply: Send + 'static;

    /// As [`Handler::Shape`].
    type Shape: Shape<Self::Reply>;

    #[doc(hidden)]
    const SYNC: bool = false;

    #[doc(hidden)]
    const INLINE: Inline = Inline::Never;

    #[doc(hidden)]
    const DETACHED: bool = false;

    #[doc(hidden)]
    const READS: bool = false;

    #[doc(hidden)]
    const LANE: Lane = Lane::Normal;

    #[doc(hidden)]
    const OVERFLOW: Option<Overflow> = None;

    #[doc(hidden)]
    const WEIGHS: bool = false;

    #[doc(hidden)]
    const REENTRANT: bool = false;

    #[doc(hidden)]
    const STREAMS: bool = false;

    #[doc(hidden)]
    fn weigh(message: &M) -> usize {
        let _ = message;
        0
    }

    #[doc(hidden)]
    fn key(message: &M, state: &mut impl Hasher) {
        let _ = (message, state);
    }

    /// Handles one message.
    fn handle(
        &mut self,
        message: M,
        ctx: &mut LocalContext<Self>,
    ) -> impl Future<Output = Self::Reply>;

    #[doc(hidden)]
    fn handle_now(&mut self, message: M, ctx: &mut LocalContext<Self>) -> Self::Reply {
        let _ = (message, ctx);
        panic!("`SYNC` is set, but `handle_now` is not written")
    }

    #[doc(hidden)]
    fn handle_shared(
        &self,
        message: M,
        ctx: &LocalContext<Self>,
    ) -> impl Future<Output = Self::Reply> {
        let _ = (message, ctx);
        async { panic!("`REENTRANT` is set, but `handle_shared` is not written") }
    }

    #[doc(hidden)]
    fn handle_shared_now(&self, message: M, ctx: &LocalContext<Self>) -> Self::Reply {
        let _ = (message, ctx);
        panic!("`REENTRANT` and `SYNC` are set, but `handle_shared_now` is not written")
    }

    #[doc(hidden)]
    fn handle_stream(
        &mut self,
        message: M,
        ctx: &mut LocalContext<Self>,
        feed: <Self::Shape as Shape<Self::Reply>>::Feed,
    ) -> impl Future<Output = ()> {
        let _ = (message, ctx, feed);
        async { panic!("`STREAMS` is set, but `handle_stream` is not written") }
    }
}

impl<T: LocalDeclared> Declared for OneThread<T> {
    type Handle<R: Route> = T::Handle<R>;
    const OPTIONS: Options = T::OPTIONS.blocking();

    fn wrap<R: Route>(raw: R::Handle<Self>) -> T::Handle<R> {
        T::wrap::<R>(raw)
    }
}

impl<T: LocalActor> Actor for OneThread<T> {
    const ROOM: Room = Room::of::<Kept<()>>();
    const SLOT: Slot = T::SLOT;
    const STARTS: bool = T::STARTS;
    const STOPS: bool = T::STOPS;
    const PANICS: bool = T::PANICS;
    const LEAVES: bool = false;
    const UNDELIVERED: Option<fn(Undelivered)> = T::UNDELIVERED;

    fn on_start(
        &mut self,
        ctx: &mut Context<Self>,
    ) -> impl Future<Output = Result<(), BoxError>> + Send {
        Kept::new(self.get_mut().on_start(ctx))
    }

    fn on_stop(
        &mut self,
        ctx: &mut Context<Self>,
        reason: ExitReason,
    ) -> impl Future<Output = ()> + Send {
        Kept::new(self.get_mut().on_stop(ctx, reason))
    }

    fn on_panic(&mut self, ctx: &mut Context<Self>, crash: &Crash) -> OnPanic<Self> {
        self.get_mut().on_panic(ctx, crash).of()
    }
}

impl<T: LocalActor + ResumeAfterPanic> ResumeAfterPanic for OneThread<T> {}

impl<T: LocalHandler<M>, M: Send + 'static> Handler<M> for OneThread<T> {
    type Reply = T::Reply;
    type Shape = T::Shape;
    const SYNC: bool = T::SYNC;
    const INLINE: Inline = T::INLINE;
    const DETACHED: bool = T::DETACHED;
    const READS: bool = T::READS;
    const LANE: Lane = T::LANE;
    const OVERFLOW: Option<Overflow> = T::OVERFLOW;
    const WEIGHS: bool = T::WEIGHS;
    const REENTRANT: bool = T::REENTRANT;
    const STREAMS: bool = T::STREAMS;

    fn weigh(message: &M) -> usize {
        T::weigh(message)
    }

    fn key(message: &M, state: &mut impl Hasher) {
        T::key(message, state);
    }

    fn handle(
        &mut self,
        message: M,
        ctx: &mut Context<Self>,
    ) -> impl Future<Output = T::Reply> + Send {
        Kept::new(self.get_mut().handle(message, ctx))
    }

    fn handle_now(&mut self, message: M, ctx: &mut Context<Self>) -> T::Reply {
        self.get_mut().handle_now(message, ctx)
    }

    fn handle_shared(
        &self,
        message: M,
        ctx: &Context<Self>,
    ) -> impl Future<Output = T::Reply> + Send {
        Kept::new(self.get().handle_shared(message, ctx))
    }

    fn handle_shared_now(&self, message: M, ctx: &Context<Self>) -> T::Reply {
        self.get().handle_shared_now(message, ctx)
    }

    fn handle_stream(
        &mut self,
        message: M,
        ctx: &mut Context<Self>,
        feed: <T::Shape as Shape<T::Reply>>::Feed,
    ) -> impl Future<Output = ()> + Send {
        Kept::new(self.get_mut().handle_stream(message, ctx, feed))
    }
}
