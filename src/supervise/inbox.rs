//! What children have reported, and their supervisor has not read yet.
//!
//! Each child reports at most a start and an end before it is told to go on, so the inbox holds no
//! more than a few reports per child. A start wakes nobody who does not wait for one: it is read
//! with what comes next.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::task::{Poll, Waker};

use tokio::time::Instant;

use super::decision::Exit;
use super::roster::Place;
use crate::actor::{ExitReason, Source};
use crate::sync::Mutex;

/// A report.
pub(crate) struct Event {
    /// The incarnation of the supervisor that it is for.
    pub(crate) epoch: u64,
    pub(crate) place: Place,
    pub(crate) what: What,
}

pub(crate) enum What {
    /// An incarnation has started, at this time.
    Started(Instant),
    /// An incarnation has ended, and waits for what is decided.
    Down(Exit, ExitReason),
    /// It has ended for good.
    Gone(Exit, ExitReason),
}

/// What a supervisor is told by its inbox: to look at it.
pub(crate) struct Look;

#[derive(Default)]
pub(crate) struct Inbox(Mutex<State>);

#[derive(Default)]
struct State {
    events: VecDeque<Event>,
    /// The stop hook, which waits.
    waker: Option<Waker>,
    /// Else a message does it. It is a count of the supervisor's cell, which holds the inbox: gone
    /// with the supervisor's state.
    source: Option<Source<Look>>,
    /// Whether nobody waits for a start.
    passes_over_starts: bool,
}

impl Inbox {
    /// Has the supervisor told by messages.
    pub(crate) fn ring(&self, source: Source<Look>) {
        let old = self.0.lock().source.replace(source);
        drop(old);
    }

    /// Nobody is told any more.
    pub(crate) fn silence(&self) {
        let mut state = self.0.lock();
        let old = (state.source.take(), state.waker.take());
        drop(state);
        drop(old);
    }

    pub(crate) fn push(&self, event: Event) {
        let mut state = self.0.lock();
        let is_start = matches!(event.what, What::Started(_));
        state.events.push_back(event);
        if is_start && state.passes_over_starts {
            return;
        }
        let waker = state.waker.take();
        let source = match waker {
            None => state.source.clone(),
            Some(_) => None,
        };
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        } else if let Some(source) = source {
            // Refused when the supervisor stops: its stop hook looks by itself.
            let _ = source.send(Look);
        }
    }

    /// Fetches all reports, in exchange for the memory of those before.
    pub(crate) fn fetch(&self, into: &mut VecDeque<Event>) {
        debug_assert!(into.is_empty());
        std::mem::swap(&mut self.0.lock().events, into);
    }

    /// Whether the supervisor is to be told of each start from now on. True if there are reports
    /// that it may not have been told of.
    #[must_use = "nobody else reads those"]
    pub(crate) fn heed_starts(&self, heeds: bool) -> bool {
        let mut state = self.0.lock();
        state.passes_over_starts = !heeds;
        heeds && !state.events.is_empty()
    }

    /// Waits until there is something.
    pub(crate) async fn changed(&self) {
        poll_fn(|cx| {
            let mut state = self.0.lock();
            if !state.events.is_empty() {
                return Poll::Ready(());
            }
            let old = state.waker.replace(cx.waker().clone());
            drop(state);
            drop(old);
            Poll::Pending
        })
        .await;
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::task::{Context, Wake};
    use std::time::Duration;

    use super::super::roster::{Policy, Roster, Rules};
    use super::*;

    /// Whether it was woken.
    #[derive(Default)]
    struct Bell(AtomicBool);

    impl Wake for Bell {
        fn wake(self: Arc<Self>) {
            // Ordering: Relaxed; one thread.
            self.0.store(true, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_start_wakes_nobody_who_heeds_none_and_is_read_with_what_comes_next() {
        let mut roster = Roster::new(Rules::default(), 1);
        let place = roster.add(Policy::default(), Duration::ZERO);
        let place = place.expect("it is not closing");
        let event = |what| Event {
            epoch: 1,
            place,
            what,
        };
        let (inbox, bell) = (Inbox::default(), Arc::new(Bell::default()));
        let rang = || bell.0.swap(false, Ordering::Relaxed);
        let waker = Waker::from(Arc::clone(&bell));
        let mut cx = Context::from_waker(&waker);
        let mut changed = pin!(inbox.changed());
        assert!(changed.as_mut().poll(&mut cx).is_pending());

        assert!(!inbox.heed_starts(false));
        inbox.push(event(What::Started(Instant::now())));
        assert!(!rang());
        inbox.push(event(What::Gone(Exit::Told, ExitReason::Stopped)));
        assert!(rang());
        let mut events = VecDeque::new();
        inbox.fetch(&mut events);
        assert_eq!(events.len(), 2);
        assert!(!inbox.heed_starts(true));
    }

    #[test]
    fn a_start_that_came_before_it_was_heeded_is_not_missed() {
        let mut roster = Roster::new(Rules::default(), 1);
        let place = roster.add(Policy::default(), Duration::ZERO);
        let inbox = Inbox::default();
        assert!(!inbox.heed_starts(false));
        inbox.push(Event {
            epoch: 1,
            place: place.expect("it is not closing"),
            what: What::Started(Instant::now()),
        });
        assert!(inbox.heed_starts(true));
    }
}
