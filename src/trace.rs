//! Spans: one for an actor's life, one for each message.
//!
//! The life's span has level INFO, the message's TRACE. A level that no subscriber wants costs a
//! load and a compare; building with tracing's `max_level_*` features removes even that.

use std::panic::resume_unwind;

use tracing::Span;
use tracing::level_filters::LevelFilter;

use crate::contain::{Payload, catch, contain, discard, text_of};

/// A span that exists only where somebody listens, so that an idle actor does not pay for it.
///
/// A subscriber that panics as it closes harms nobody, also in an unwinding.
#[derive(Default)]
pub(crate) struct MaybeSpan(Option<Box<Span>>);

impl MaybeSpan {
    fn new(span: Span) -> Self {
        Self((!span.is_disabled()).then(|| Box::new(span)))
    }

    #[inline]
    pub(crate) fn is_some(&self) -> bool {
        self.0.is_some()
    }

    #[inline]
    pub(crate) fn take(&mut self) -> Self {
        Self(self.0.take())
    }

    /// Runs `f` inside the span, if there is one. A subscriber that panics keeps `f` from nothing.
    #[inline]
    pub(crate) fn within<R>(&self, f: impl FnOnce() -> R) -> R {
        match &self.0 {
            None => f(),
            Some(span) => inside(span, f),
        }
    }
}

impl Drop for MaybeSpan {
    #[inline]
    fn drop(&mut self) {
        if let Some(span) = self.0.take() {
            close(span);
        }
    }
}

#[cold]
fn close(span: Box<Span>) {
    contain(|| drop(span));
}

#[cold]
fn inside<R>(span: &Span, f: impl FnOnce() -> R) -> R {
    let entered = catch(|| span.enter());
    let result = catch(f);
    // Not in an unwinding, where a second panic would end the process.
    contain(|| drop(entered));
    result.unwrap_or_else(|payload| resume_unwind(payload))
}

pub(crate) fn actor_span(name: &str, id: u64) -> MaybeSpan {
    if !tracing::enabled!(target: "greenroom::actor", tracing::Level::INFO) {
        return MaybeSpan::default();
    }
    // An actor outlives who spawned it: its span follows the spawner's, and does not keep it open.
    let span = tracing::info_span!(target: "greenroom::actor", parent: None, "actor", name, id);
    span.follows_from(Span::current());
    MaybeSpan::new(span)
}

/// Panics in the subscriber cost the span, not the message.
#[inline]
pub(crate) fn message_span(message: fn() -> &'static str) -> MaybeSpan {
    if LevelFilter::current() < LevelFilter::TRACE {
        return MaybeSpan::default();
    }
    make_message_span(message)
}

#[cold]
fn make_message_span(message: fn() -> &'static str) -> MaybeSpan {
    let made = catch(|| {
        if !tracing::enabled!(target: "greenroom::message", tracing::Level::TRACE) {
            return MaybeSpan::default();
        }
        let name = message();
        MaybeSpan::new(tracing::trace_span!(target: "greenroom::message", "message", name))
    });
    made.unwrap_or_else(|payload| {
        discard(payload);
        MaybeSpan::default()
    })
}

/// An actor ended by a panic.
pub(crate) fn crashed(actor: &dyn std::fmt::Display, crash: &dyn std::fmt::Display) {
    tracing::error!(target: "greenroom::actor", %actor, "{crash}");
}

/// An actor goes on with a new state.
pub(crate) fn restarted(actor: &dyn std::fmt::Display, incarnation: u64) {
    tracing::info!(target: "greenroom::actor", %actor, incarnation, "restarts");
}

/// A panic in user code was contained where nobody could be told of it.
pub(crate) fn contained(actor: &dyn std::fmt::Display, place: &str, text: &str) {
    tracing::error!(target: "greenroom::actor", %actor, "panicked in {place}: {text}");
}

/// A handler of savepoints failed after the savepoint had been answered.
#[cfg(feature = "world")]
pub(crate) fn handler_failed(text: &str) {
    tracing::error!(target: "greenroom::world", "a handler failed after it had answered: {text}");
}

/// Whether anybody reads of polls that do not return.
pub(crate) fn reports_polls() -> bool {
    tracing::enabled!(target: "greenroom::runtime", tracing::Level::WARN)
}

/// A poll has not returned for long.
pub(crate) fn stuck(unit: &str, id: u64, worker: usize, lasted: std::time::Duration) {
    let ms = u64::try_from(lasted.as_millis()).unwrap_or(u64::MAX);
    tracing::warn!(
        target: "greenroom::runtime",
        id,
        worker,
        ms,
        "{unit} has not returned from a poll for {ms} ms"
    );
}

/// A task ended by a panic.
pub(crate) fn task_panicked(id: u64, name: Option<&str>, payload: &Payload) {
    let text = text_of(payload);
    tracing::error!(target: "greenroom::task", id, name, "panicked: {text}");
}

/// A hook on threads, tasks or actors panicked.
pub(crate) fn hook_panicked(hook: &str, text: &str) {
    tracing::error!(target: "greenroom::runtime", hook, "panicked: {text}");
}

/// A handler replied to an asker that had gone.
pub(crate) fn late_reply(actor: &dyn std::fmt::Display, to: &str) {
    tracing::debug!(target: "greenroom::actor", %actor, to, "a reply found its asker gone");
}

/// The handler of a told message returned an error that nobody will read.
pub(crate) fn unread_error(actor: &dyn std::fmt::Display, of: &str) {
    tracing::warn!(target: "greenroom::actor", %actor, of, "the error of a tell was dropped");
}

/// Handlers wait for each other in a circle, which a limit of one of them will end.
pub(crate) fn circle(deadlock: &dyn std::fmt::Display) {
    tracing::warn!(target: "greenroom::actor", "{deadlock}");
}

/// An actor has as many timers as it may: one was not set.
pub(crate) fn too_many_timers(actor: &dyn std::fmt::Display, message: &str) {
    tracing::warn!(target: "greenroom::actor", %actor, message, "too many timers: one is not set");
}
