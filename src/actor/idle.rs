//! Whether an actor has handled nothing for a while, as those see it who look now and then.
//!
//! A message leaves two traces that cost it nothing: the mailbox counts what is taken out of it,
//! and one that is asked inline finds that the mailbox is watched, and says so. So who looks at
//! intervals knows whether there was any since the last look, and whether one is at work.

use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::Instant;

use super::cell::Head;
use crate::limits::IDLE_LOOKS;
use crate::sync::Mutex;

/// What a watcher has seen of an actor.
pub(super) struct Idle {
    limit: Duration,
    seen: Mutex<Seen>,
}

struct Seen {
    consumed: usize,
    /// Since when no message was seen to be handled; `None` if the last may still be.
    quiet_since: Option<Instant>,
}

impl Idle {
    /// Begins to watch; with how long to wait between looks.
    pub(super) fn begin(head: &Head, limit: Duration) -> (Self, Duration) {
        head.mailbox.watch();
        let period = (limit / IDLE_LOOKS).max(Duration::from_millis(1));
        let seen = Seen {
            consumed: head.mailbox.consumed(),
            quiet_since: None,
        };
        let seen = Mutex::new(seen);
        (Self { limit, seen }, period)
    }

    /// Looks; true if nothing was handled for so long.
    pub(super) fn look(&self, head: &Head) -> bool {
        // Be it a notice that is handled: then the next look tells.
        let is_at_work = head.handling().is_some() || head.state().load().is_running();
        let now = Instant::now();
        let mut seen = self.seen.lock();
        if seen.has_passed(head) {
            seen.quiet_since = None;
        }
        if is_at_work {
            return false;
        }
        let since = *seen.quiet_since.get_or_insert(now);
        now - since >= self.limit
    }

    /// The turn of what was sent then has come: whether nothing was handled meanwhile either. The
    /// next comes after as long again.
    pub(super) fn confirm(&self, head: &Head) -> bool {
        let mut seen = self.seen.lock();
        let has_passed = seen.has_passed(head);
        seen.quiet_since = None;
        !has_passed
    }
}

impl Seen {
    /// Whether a message was handled since this was called last.
    fn has_passed(&mut self, head: &Head) -> bool {
        let consumed = head.mailbox.consumed();
        let was_consumed = std::mem::replace(&mut self.consumed, consumed) != consumed;
        // Ordering: Relaxed; pairs with nothing: a look that comes too early is followed by others.
        let touched = head.extras().map(|extras| &extras.touched);
        let was_touched = touched.is_some_and(|touched| touched.swap(false, Ordering::Relaxed));
        was_consumed || was_touched
    }
}

/// An ask is about to run inline: whether the mailbox speaks for it, though it is watched.
#[cold]
pub(super) fn touch(head: &Head) -> bool {
    if !head.mailbox.is_quiet_and_watched() {
        return false;
    }
    if let Some(extras) = head.extras() {
        // Ordering: Relaxed; as in `has_passed`.
        extras.touched.store(true, Ordering::Relaxed);
    }
    true
}
