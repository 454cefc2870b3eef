//! Where an actor's undelivered messages go, and messages that are on their way back.

use std::sync::Arc;

use super::cell::Head;
use super::error::{AnyMessage, AskError, Refusal};
use super::identity::Identity;
use super::undelivered::{Hook, Telling, Undelivered, UndeliveredReason};
use crate::contain::{catch, contain, discard, text_of};
use crate::task::Schedule;
use crate::trace;

/// Who hears of an actor's undelivered messages. It keeps neither the actor nor its cell.
pub(super) struct DeadLetters {
    actor: Identity,
    scheduler: Arc<dyn Schedule>,
    /// The hook that was given at spawn.
    given: Option<Hook>,
    /// The hook of the actor's type.
    declared: Option<fn(Undelivered)>,
}

impl DeadLetters {
    pub(super) fn of(head: &Head) -> Self {
        Self {
            actor: head.identity(),
            scheduler: Arc::clone(head.header().scheduler()),
            given: head.hook().cloned(),
            declared: head.kind.undelivered,
        }
    }

    /// Gives up a message that no asker can take back. Never unwinds.
    pub(super) fn take(
        &self,
        reason: UndeliveredReason,
        message_type: &'static str,
        message: AnyMessage,
    ) {
        self.scheduler.count_loss(reason.loss());
        let Some(_telling) = Telling::begin() else {
            return self.quietly("the drop of a message", || drop(message));
        };
        let letter = Undelivered::new(self.actor.clone(), reason, message_type, message);
        if let Some(observer) = self.scheduler.observer() {
            self.quietly("the observer of undelivered messages", || observer(&letter));
        }
        self.quietly("the hook on undelivered messages", || {
            match (&self.given, self.declared) {
                (Some(hook), _) => hook(letter),
                (None, Some(hook)) => hook(letter),
                (None, None) => drop(letter),
            }
        });
    }

    fn quietly(&self, place: &str, f: impl FnOnce()) {
        quietly(&*self.scheduler, || self.actor.clone(), place, f);
    }
}

/// Runs an actor's code whose panic can change nothing any more.
pub(super) fn quietly(
    scheduler: &dyn Schedule,
    actor: impl FnOnce() -> Identity,
    place: &str,
    f: impl FnOnce(),
) {
    if let Err(payload) = catch(f) {
        contain(|| trace::contained(&actor(), place, text_of(&payload)));
        abort_if_told(scheduler);
        discard(payload);
    }
}

/// A panic has reached an actor's boundary, and was reported.
pub(super) fn abort_if_told(scheduler: &dyn Schedule) {
    if scheduler.aborts_on_panic() {
        std::process::abort();
    }
}

/// A message that was not handled, on its way back to who asked. Where that one has gone, or goes
/// without a look at it, it is undelivered.
pub(crate) struct HandedBack(Option<Box<Letter>>);

struct Letter {
    /// Who did not handle it.
    actor: Identity,
    refusal: Refusal,
    dead_letters: DeadLetters,
    reason: UndeliveredReason,
    message_type: &'static str,
    message: AnyMessage,
}

impl HandedBack {
    /// Where nobody reads it, `from` tells why.
    pub(super) fn new(
        (actor, refusal): (Identity, Refusal),
        (from, reason): (&Head, UndeliveredReason),
        message_type: &'static str,
        message: AnyMessage,
    ) -> Self {
        Self(Some(Box::new(Letter {
            actor,
            refusal,
            dead_letters: DeadLetters::of(from),
            reason,
            message_type,
            message,
        })))
    }

    pub(super) fn into_error<E>(mut self) -> AskError<E> {
        let letter = self.0.take().expect("it is read once");
        AskError::refused(letter.actor, letter.refusal, letter.message)
    }
}

impl Drop for HandedBack {
    fn drop(&mut self) {
        if let Some(letter) = self.0.take() {
            let Letter {
                dead_letters,
                reason,
                message_type,
                message,
                ..
            } = *letter;
            dead_letters.take(reason, message_type, message);
        }
    }
}
