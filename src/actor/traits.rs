//! What makes a type an actor. `#[actor]` implements these; [`Handler`] is open to anyone.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use super::context::Context;
use super::error::AskError;
use super::exit::{Crash, ExitReason};
use super::panics::OnPanic;
use super::route::Route;
use super::shape::Shape;
use super::sizes::{Room, Slot};
use super::undelivered::Undelivered;
use crate::error::BoxError;
use crate::limits::{MAILBOX_DEFAULT, MAILBOX_MAX};
use crate::mailbox::{Lane, Overflow};

/// What `#[actor]` on a type declares: its options and its handle.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not declared as an actor",
    label = "no `#[actor]` on its type",
    note = "write `#[actor]` on the struct or enum"
)]
pub trait Declared: Sized + Send + 'static {
    /// The handle's type, for each way to send.
    #[doc(hidden)]
    type Handle<R: Route>: Deref<Target = R::Handle<Self>>
        + Clone
        + Eq
        + Hash
        + fmt::Debug
        + Send
        + Sync;

    /// The options of the attribute.
    #[doc(hidden)]
    const OPTIONS: Options;

    /// Puts the handle's type round a route's own.
    #[doc(hidden)]
    fn wrap<R: Route>(raw: R::Handle<Self>) -> Self::Handle<R>;
}

/// The options of `#[actor]` on a type.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub(super) name: &'static str,
    pub(super) mailbox: usize,
    pub(super) inline: Inline,
    pub(super) overflow: Overflow,
    pub(super) mailbox_bytes: Option<usize>,
    pub(super) is_blocking: bool,
}

/// Whether an ask may run its handler on the asker's stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inline {
    /// As for all messages of the actor, or of any actor: while its handlers turn out short.
    Auto,
    /// However long they take.
    Always,
    /// All are queued.
    Never,
}

impl Options {
    /// The defaults, for a type of this name.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            mailbox: MAILBOX_DEFAULT,
            inline: Inline::Auto,
            overflow: Overflow::Wait,
            mailbox_bytes: None,
            is_blocking: false,
        }
    }

    /// It has a thread of its own, on which it may block.
    #[must_use]
    pub const fn blocking(self) -> Self {
        Self {
            is_blocking: true,
            ..self
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// Asks never run inline, unless their message says so.
    #[must_use]
    pub const fn inline(self, inline: Inline) -> Self {
        Self { inline, ..self }
    }

    /// What becomes of messages that do not fit, unless they say so themselves.
    #[must_use]
    pub const fn overflow(self, overflow: Overflow) -> Self {
        Self { overflow, ..self }
    }

    /// The bytes that queued messages may count together.
    ///
    /// # Panics
    ///
    /// When there are none; at compile time in a const.
    #[must_use]
    pub const fn mailbox_bytes(self, bytes: usize) -> Self {
        assert!(bytes > 0, "a mailbox needs room for at least one byte");
        Self {
            mailbox_bytes: Some(bytes),
            ..self
        }
    }

    /// The mailbox's slots.
    ///
    /// # Panics
    ///
    /// When there are none, or more than [`MAILBOX_MAX`]; at compile time in a const.
    #[must_use]
    pub const fn mailbox(self, slots: usize) -> Self {
        assert!(slots > 0, "a mailbox needs at least one slot");
        assert!(
            slots <= MAILBOX_MAX,
            "a mailbox has at most `limits::MAILBOX_MAX` slots"
        );
        Self {
            mailbox: slots,
            ..self
        }
    }
}

/// An actor: state that handles one message at a time.
///
/// Written by `#[actor]` on the type's main impl block.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no `#[actor] impl` block",
    label = "this actor understands nothing yet",
    note = "write `#[actor]` on its main impl block, which may be empty"
)]
pub trait Actor: Declared {
    /// Bytes to keep for a suspended handler. A hint: a wrong one costs an allocation.
    #[doc(hidden)]
    const ROOM: Room = Room::NONE;

    /// Bytes of a mailbox slot. A hint: a wrong one costs an allocation.
    #[doc(hidden)]
    const SLOT: Slot = Slot::NONE;

    /// Whether [`Actor::on_start`] does anything: if not, a spawn schedules nothing.
    #[doc(hidden)]
    const STARTS: bool = true;

    /// Whether [`Actor::on_stop`] does anything.
    #[doc(hidden)]
    const STOPS: bool = true;

    /// Whether [`Actor::on_panic`] does anything.
    #[doc(hidden)]
    const PANICS: bool = true;

    /// Whether its state may leave the thread that it ends on.
    #[doc(hidden)]
    const LEAVES: bool = true;

    /// Takes messages that are not delivered.
    #[doc(hidden)]
    const UNDELIVERED: Option<fn(Undelivered)> = None;

    /// Runs before the first message. An error ends the actor.
    fn on_start(
        &mut self,
        ctx: &mut Context<Self>,
    ) -> impl Future<Output = Result<(), BoxError>> + Send {
        let _ = ctx;
        async { Ok(()) }
    }

    /// Runs after the last message of an actor that ends by itself, before its state is dropped.
    fn on_stop(
        &mut self,
        ctx: &mut Context<Self>,
        reason: ExitReason,
    ) -> impl Future<Output = ()> + Send {
        let _ = (ctx, reason);
        async {}
    }

    /// Runs after a panic in a handler or the start hook; says what comes next.
    fn on_panic(&mut self, ctx: &mut Context<Self>, crash: &Crash) -> OnPanic<Self> {
        let _ = (ctx, crash);
        OnPanic::stop()
    }
}

/// An actor that understands messages of type `M`.
///
/// `#[actor]` implements it for each method. By hand, for a message of any type:
///
/// ```
/// # use greenroom::actor;
/// # #[actor] struct Counter { count: u64 }
/// # #[actor] impl Counter {}
/// use greenroom::{Context, Handler, Plain};
///
/// pub struct Tick(u64);
///
/// impl Handler<Tick> for Counter {
///     type Reply = u64;
///     type Shape = Plain; // `Fallible` where the reply is a `Result`
///
///     async fn handle(&mut self, tick: Tick, _: &mut Context<Self>) -> u64 {
///         self.count += tick.0;
///         self.count
///     }
/// }
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// # let counter = Counter { count: 0 }.spawn();
/// assert_eq!(counter.ask(Tick(3)).await?, 3);
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not understand the message `{M}`",
    label = "`{M}` is no message of `{Self}`"
)]
pub trait Handler<M: Send + 'static>: Actor {
    /// What the handler returns.
    type Reply: Send + 'static;

    /// How an ask shows the reply: [`Plain`](crate::Plain) as it is, [`Fallible`](crate::Fallible)
    /// with its error flattened.
    type Shape: Shape<Self::Reply>;

    /// Whether [`Handler::handle_now`] is written, so that no future is needed.
    #[doc(hidden)]
    const SYNC: bool = false;

    /// Whether an ask may run on the asker's stack.
    #[doc(hidden)]
    const INLINE: Inline = Inline::Auto;

    /// Whether it runs although its asker has gone.
    #[doc(hidden)]
    const DETACHED: bool = false;

    /// Whether it leaves the state as it is.
    #[doc(hidden)]
    const READS: bool = false;

    /// Its lane.
    #[doc(hidden)]
    const LANE: Lane = Lane::Normal;

    /// What becomes of it when it does not fit, if not what its actor says.
    #[doc(hidden)]
    const OVERFLOW: Option<Overflow> = None;

    /// Whether [`Handler::weigh`] is written.
    #[doc(hidden)]
    const WEIGHS: bool = false;

    /// The bytes that it counts against its mailbox's bound.
    #[doc(hidden)]
    fn weigh(message: &M) -> usize {
        let _ = message;
        0
    }

    /// Hashes by what a later message replaces it.
    #[doc(hidden)]
    fn key(message: &M, state: &mut impl Hasher) {
        let _ = (message, state);
    }

    /// Handles one message.
    fn handle(
        &mut self,
        message: M,
        ctx: &mut Context<Self>,
    ) -> impl Future<Output = Self::Reply> + Send;

    /// Handles one message at once.
    #[doc(hidden)]
    fn handle_now(&mut self, message: M, ctx: &mut Context<Self>) -> Self::Reply {
        let _ = (message, ctx);
        panic!("`SYNC` is set, but `handle_now` is not written")
    }

    /// Whether it runs beside others of the kind, by [`Handler::handle_shared`], or where
    /// [`Handler::SYNC`] is set by [`Handler::handle_shared_now`].
    #[doc(hidden)]
    const REENTRANT: bool = false;

    /// Handles one message beside others.
    #[doc(hidden)]
    fn handle_shared(
        &self,
        message: M,
        ctx: &Context<Self>,
    ) -> impl Future<Output = Self::Reply> + Send {
        let _ = (message, ctx);
        async { panic!("`REENTRANT` is set, but `handle_shared` is not written") }
    }

    /// Handles one message at once, beside others that are suspended.
    #[doc(hidden)]
    fn handle_shared_now(&self, message: M, ctx: &Context<Self>) -> Self::Reply {
        let _ = (message, ctx);
        panic!("`REENTRANT` and `SYNC` are set, but `handle_shared_now` is not written")
    }

    /// Whether [`Handler::handle_stream`] is written, so that the reply goes out first.
    #[doc(hidden)]
    const STREAMS: bool = false;

    /// Handles one message whose reply has gone out, by feeding that.
    #[doc(hidden)]
    fn handle_stream(
        &mut self,
        message: M,
        ctx: &mut Context<Self>,
        feed: <Self::Shape as Shape<Self::Reply>>::Feed,
    ) -> impl Future<Output = ()> + Send {
        let _ = (message, ctx, feed);
        async { panic!("`STREAMS` is set, but `handle_stream` is not written") }
    }
}

/// Keeps traits closed: what they need may then grow.
pub trait Sealed {}

/// What asking `A` with an `M` gives.
pub type AskResult<A, M> = Result<OkOf<A, M>, AskError<ErrOf<A, M>>>;

/// The value of such an ask.
pub(crate) type OkOf<A, M> = <<A as Handler<M>>::Shape as Shape<<A as Handler<M>>::Reply>>::Ok;

/// Its handler's own error.
pub(crate) type ErrOf<A, M> = <<A as Handler<M>>::Shape as Shape<<A as Handler<M>>::Reply>>::Err;

/// What a start hook may return.
#[diagnostic::on_unimplemented(
    message = "a start hook returns nothing or a `Result<(), E>`, not `{Self}`"
)]
pub trait StartOutcome {
    /// The outcome with its error boxed.
    ///
    /// # Errors
    ///
    /// The hook's error.
    fn into_start(self) -> Result<(), BoxError>;
}

impl StartOutcome for () {
    fn into_start(self) -> Result<(), BoxError> {
        Ok(())
    }
}

impl<E: Into<BoxError>> StartOutcome for Result<(), E> {
    fn into_start(self) -> Result<(), BoxError> {
        self.map_err(Into::into)
    }
}
