//! What children have reported, and their supervisor has not read yet.
//!
//! Each child reports at most a start and an end before it is told to go on, so the inbox holds no
//! more than a few reports per child.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::task::{Poll, Waker};

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
    Started,
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
        state.events.push_back(event);
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

    pub(crate) fn drain(&self) -> VecDeque<Event> {
        std::mem::take(&mut self.0.lock().events)
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
