//! Strays: visits that have outlived their subscription, and find nothing.
//!
//! What is in a mailbox can't be taken back. So strays are counted, and an actor that has too many
//! to come to is not subscribed: else who subscribes, publishes and ends in a loop would fill the
//! mailbox of one that is stuck.

use std::collections::HashMap;

use crate::id::Id;
use crate::limits::TOPIC_STRAYS_MAX;
use crate::sync::Mutex;
use crate::task::Extension;

/// Those of one runtime's actors, by actor. Nothing is kept of one that has none.
#[derive(Default)]
pub(super) struct Strays(Mutex<HashMap<Id, usize>>);

impl Extension for Strays {}

impl Strays {
    pub(super) fn add(&self, actor: Id, visits: usize) {
        if visits > 0 {
            *self.0.lock().entry(actor).or_default() += visits;
        }
    }

    /// The actor has come to one, or has ended.
    pub(super) fn remove(&self, actor: Id) {
        let mut strays = self.0.lock();
        let Some(count) = strays.get_mut(&actor) else {
            return;
        };
        *count -= 1;
        if *count == 0 {
            strays.remove(&actor);
        }
    }

    /// Whether there are too many for a subscription that keeps so many messages.
    pub(super) fn are_too_many(&self, actor: Id, buffer: usize) -> bool {
        let count = self.0.lock().get(&actor).copied();
        count.is_some_and(|count| count >= buffer.max(TOPIC_STRAYS_MAX))
    }

    /// How many actors have some.
    #[cfg(all(test, feature = "macros"))]
    pub(super) fn len(&self) -> usize {
        self.0.lock().len()
    }
}
