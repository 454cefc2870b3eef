//! Messages that were accepted and will not be handled.

use std::any::{Any, type_name};
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

use super::cell::Head;
use super::dead_letters::{DeadLetters, abort_if_told, quietly};
use super::error::{AnyMessage, Refusal};
use super::exit::ExitReason;
use super::identity::Identity;
use crate::contain::contain;
use crate::exec::runtime;
use crate::limits::UNDELIVERED_DEPTH;
use crate::task::Loss;
use crate::trace;

/// Why an accepted message was not handled.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum UndeliveredReason {
    /// Its actor ended before.
    Ended(ExitReason),
    /// It was dropped from a full mailbox, or replaced by a later one, as its overflow policy says;
    /// or its actor had too many timers to set one for it.
    Overflow,
    /// Whoever asked did not wait for it any more when its turn came.
    AskerGone,
    /// Its deadline had passed when its turn came.
    Expired,
}

impl UndeliveredReason {
    /// The same, as whoever asked is told.
    pub(super) fn refusal(&self) -> Refusal {
        match self {
            Self::Ended(reason) => Refusal::Ended(reason.clone()),
            Self::Overflow => Refusal::Overflow,
            // The one who would be told by the first has gone.
            Self::AskerGone | Self::Expired => Refusal::Expired,
        }
    }

    pub(super) fn loss(&self) -> Loss {
        match self {
            Self::Ended(_) => Loss::Ended,
            Self::Overflow => Loss::Overflow,
            Self::AskerGone => Loss::AskerGone,
            Self::Expired => Loss::Expired,
        }
    }
}

impl fmt::Display for UndeliveredReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended(reason) => reason.fmt(f),
            Self::Overflow => f.write_str("there was no room for it"),
            Self::AskerGone => f.write_str("its asker had gone"),
            Self::Expired => f.write_str("its deadline had passed"),
        }
    }
}

/// A message that was accepted, not handled, and had no asker to be handed back to, or one who left
/// without a look at it.
///
/// It goes first to the runtime's observer, which is set by
/// [`on_undelivered`](runtime::Builder::on_undelivered) of the runtime's builder, then to the
/// actor's own hook, which is `#[on(undelivered)]` or that of
/// [`Builder::on_undelivered`](crate::Builder::on_undelivered). It is counted in the runtime's
/// [metrics](runtime::Metrics::undelivered), and where there is no hook it is dropped. What a hook
/// sends may get lost as well, and be told of inside it: from the
/// [fourth](crate::limits::UNDELIVERED_DEPTH) on it is counted alone.
///
/// ```
/// # use greenroom::{Undelivered, actor};
/// # use std::sync::mpsc::{Sender, channel};
/// #[actor]
/// struct Printer {
///     jobs: u32,
/// }
///
/// #[actor]
/// impl Printer {
///     fn print(&mut self, text: String) {
///         self.jobs += 1;
///     }
///
///     #[on(undelivered)]
///     fn lost(letter: Undelivered) {
///         eprintln!("{letter}");
///         if let Ok(PrinterPrint { text }) = letter.downcast::<PrinterPrint>() {
///             eprintln!("not printed: {text}");
///         }
///     }
/// }
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// let printer = Printer { jobs: 0 }.spawn();
/// printer.print("a page".into()).tell().await?;
/// printer.kill(); // `lost` gets what was not printed
/// # printer.join().await;
/// # Ok(()) }
/// ```
pub struct Undelivered {
    actor: Identity,
    reason: UndeliveredReason,
    message_type: &'static str,
    message: AnyMessage,
}

impl Undelivered {
    pub(super) fn new(
        actor: Identity,
        reason: UndeliveredReason,
        message_type: &'static str,
        message: AnyMessage,
    ) -> Self {
        Self {
            actor,
            reason,
            message_type,
            message,
        }
    }

    /// Whom the message was for.
    #[must_use]
    pub fn actor(&self) -> &Identity {
        &self.actor
    }

    /// Why it was not handled.
    #[must_use]
    pub fn reason(&self) -> &UndeliveredReason {
        &self.reason
    }

    /// The name of the message's type.
    #[must_use]
    pub fn message_type(&self) -> &'static str {
        self.message_type
    }

    /// Whether the message is an `M`.
    #[must_use]
    pub fn is<M: 'static>(&self) -> bool {
        self.message.is::<M>()
    }

    /// The message, if it is an `M`.
    #[must_use]
    pub fn downcast_ref<M: 'static>(&self) -> Option<&M> {
        self.message.downcast_ref()
    }

    /// The message, if it is an `M`.
    ///
    /// # Errors
    ///
    /// Gives the letter back when the message is of another type.
    pub fn downcast<M: 'static>(self) -> Result<M, Self> {
        match self.message.downcast() {
            Ok(message) => Ok(*message),
            Err(message) => Err(Self { message, ..self }),
        }
    }
}

impl fmt::Display for Undelivered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            actor,
            reason,
            message_type,
            ..
        } = self;
        write!(f, "{actor} did not handle a {message_type}: {reason}")
    }
}

impl fmt::Debug for Undelivered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Undelivered")
            .field("actor", &self.actor)
            .field("reason", &self.reason)
            .field("message_type", &self.message_type)
            .finish_non_exhaustive()
    }
}

thread_local! {
    static TOLD: Cell<u32> = const { Cell::new(0) };
}

/// Observers and hooks are told of a message on this thread, until it is dropped.
pub(super) struct Telling;

impl Telling {
    /// `None` where what they would be told of was sent by such, and so on.
    pub(super) fn begin() -> Option<Self> {
        let depth = TOLD.with(Cell::get);
        (depth < UNDELIVERED_DEPTH).then(|| {
            TOLD.with(|told| told.set(depth + 1));
            Self
        })
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        TOLD.with(|told| told.set(told.get() - 1));
    }
}

/// An actor's own hook, given at spawn.
pub(super) type Hook = Arc<dyn Fn(Undelivered) + Send + Sync>;

/// # Messages that are not delivered
///
/// For runtimes that are built and for attaching.
impl runtime::Builder {
    /// Runs for each message to an actor of the runtime that was accepted, not handled, and had no
    /// asker to be handed back to; before the actor's own hook.
    ///
    /// It runs on the thread that found the message: a worker, or a sender whose message made
    /// another one go. A panic in it is reported as a `tracing` event.
    ///
    /// ```
    /// # use greenroom::{Runtime, actor};
    /// # #[actor] struct Counter { count: u64 }
    /// # #[actor] impl Counter { fn add(&mut self, n: u64) { self.count += n } }
    /// # fn main() -> Result<(), greenroom::Error> {
    /// let runtime = Runtime::builder()
    ///     .on_undelivered(|letter| eprintln!("{letter}"))
    ///     .build()?;
    /// runtime.block_on(async {
    ///     let counter = Counter { count: 0 }.spawn();
    ///     counter.add(1).tell().await?;
    ///     counter.kill();
    ///     counter.join().await;
    ///     Ok(())
    /// })
    /// # }
    /// ```
    pub fn on_undelivered<F>(self, observer: F) -> Self
    where
        F: Fn(&Undelivered) + Send + Sync + 'static,
    {
        self.observe(Arc::new(move |letter: &dyn Any| {
            if let Some(letter) = letter.downcast_ref() {
                observer(letter);
            }
        }))
    }
}

impl Head {
    /// Whether anybody wants to have what is not delivered.
    fn is_heard(&self) -> bool {
        self.kind.undelivered.is_some()
            || self.hook().is_some()
            || self.header().scheduler().observer().is_some()
    }

    /// The hook that was given at spawn.
    pub(super) fn hook(&self) -> Option<&Hook> {
        self.extras()?.undelivered.as_ref()
    }

    /// A reply to this type of message came when its asker had gone.
    #[cold]
    pub(super) fn note_late_reply(&self, message: fn() -> &'static str) {
        self.header().scheduler().count_loss(Loss::Reply);
        contain(|| trace::late_reply(&self.identity(), message()));
    }

    /// Gives up a message that no asker can take back. Never unwinds.
    pub(super) fn lose<M: Send + 'static>(&self, reason: &UndeliveredReason, message: M) {
        if self.is_heard() {
            let message = Box::new(message);
            return DeadLetters::of(self).take(reason.clone(), type_name::<M>(), message);
        }
        self.header().scheduler().count_loss(reason.loss());
        self.quietly("the drop of a message", || drop(message));
    }

    /// A panic has reached the actor's boundary, and was reported.
    pub(super) fn abort_if_told(&self) {
        abort_if_told(&**self.header().scheduler());
    }

    /// Runs user code whose panic can change nothing any more.
    pub(super) fn quietly(&self, place: &str, f: impl FnOnce()) {
        quietly(&**self.header().scheduler(), || self.identity(), place, f);
    }
}
