//! What waits for one subscriber of a topic.
//!
//! For an actor there is a visit in its mailbox for each message that waits, sent under the lock
//! under which the message is put in: so a message is not overtaken by what its publisher sends the
//! actor later. A message that displaces another needs no visit of its own. So there are as many
//! visits on their way as messages in the letterbox, until the subscription is over: those that are
//! left find nothing, and are counted as [strays](super::strays).

use std::any::Any;
use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Waker;

use super::options::{Lag, Options};
use crate::actor::Due;
use crate::contain::{catch, contain, discard, text_of};
use crate::ending::Key;
use crate::sync::Mutex;
use crate::trace;

/// An actor that reads a letterbox. A stream reads by itself.
pub(super) trait Reader<M>: Any + Send + Sync {
    /// Sends the actor a visit; `None` if it takes nothing. The letterbox's lock is held.
    fn call(&self, letterbox: Arc<Letterbox<M>>) -> Option<Due>;

    /// Notifies it, without a lock.
    fn notify(&self, due: Due);

    /// So many of its visits are strays from now on. The letterbox's lock is held.
    fn add_strays(&self, visits: usize);

    /// One of them has come, or has gone. The letterbox's lock is held.
    fn remove_stray(&self);

    /// The subscription has ended: the actor's farewell, unless it is said.
    fn take_back(&self, farewell: Key);

    /// Who it is, for a report.
    fn name(&self) -> String;
}

pub(super) struct Letterbox<M> {
    options: Options<M>,
    reader: Option<Box<dyn Reader<M>>>,
    inner: Mutex<Inner<M>>,
}

/// How far the subscription is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
enum Phase {
    Open,
    /// Nothing comes in, and what is in is read.
    Ending,
    /// Nothing is read any more.
    Over,
}

struct Inner<M> {
    messages: VecDeque<Arc<M>>,
    phase: Phase,
    dropped: u64,
    waker: Option<Waker>,
    farewell: Option<Key>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It is in.
    Kept,
    /// It is in, in place of the oldest.
    Displaced,
    /// It was dropped.
    Dropped,
    /// It was dropped, and the subscription ends.
    Disconnected,
    /// Its actor takes nothing: it ends, and with it the subscription, or is about to be restarted.
    Refused,
    /// The subscription has ended.
    Closed,
}

/// What is to be done after a message was put in, once no lock is held.
#[must_use]
pub(super) struct Posted<M> {
    pub(super) outcome: Outcome,
    due: Option<Due>,
    waker: Option<Waker>,
    dropped: Option<Arc<M>>,
}

impl<M> Posted<M> {
    /// One that was not put in.
    fn not(outcome: Outcome, message: Arc<M>) -> Self {
        Self {
            outcome,
            due: None,
            waker: None,
            dropped: Some(message),
        }
    }
}

impl<M: 'static> Letterbox<M> {
    pub(super) fn new(options: Options<M>, reader: Option<Box<dyn Reader<M>>>) -> Self {
        let inner = Inner {
            messages: VecDeque::new(),
            phase: Phase::Open,
            dropped: 0,
            waker: None,
            farewell: None,
        };
        Self {
            options,
            reader,
            inner: Mutex::new(inner),
        }
    }

    /// Whether the subscriber wants the message. A filter that panics ends the subscription.
    pub(super) fn wants(&self, message: &M) -> bool {
        let Some(filter) = &self.options.filter else {
            return true;
        };
        catch(|| filter(message)).unwrap_or_else(|payload| {
            let name = self.reader.as_ref().map(|reader| reader.name());
            let name = name.unwrap_or_else(|| "a stream".to_owned());
            contain(|| trace::contained(&name, "the filter of a topic", text_of(&payload)));
            discard(payload);
            self.end(Phase::Ending);
            false
        })
    }

    /// Puts a message in. The topic's lock is held, so that all get messages in one order.
    pub(super) fn post(self: &Arc<Self>, message: Arc<M>) -> Posted<M> {
        let mut inner = self.inner.lock();
        if inner.phase != Phase::Open {
            return Posted::not(Outcome::Closed, message);
        }
        if inner.messages.len() >= self.options.buffer {
            inner.dropped += 1;
            let dropped = match self.options.lag {
                Lag::DropNewest => return Posted::not(Outcome::Dropped, message),
                Lag::Disconnect => return Posted::not(Outcome::Disconnected, message),
                Lag::DropOldest => inner.messages.pop_front(),
            };
            inner.messages.push_back(message);
            return Posted {
                outcome: Outcome::Displaced,
                due: None,
                waker: inner.waker.take(),
                dropped,
            };
        }
        let due = match self
            .reader
            .as_ref()
            .map(|reader| reader.call(Arc::clone(self)))
        {
            Some(None) => return Posted::not(Outcome::Refused, message),
            Some(due) => due,
            None => None,
        };
        inner.messages.push_back(message);
        Posted {
            outcome: Outcome::Kept,
            due,
            waker: inner.waker.take(),
            dropped: None,
        }
    }

    /// What follows a post, without any lock. False if the subscription is to be taken out.
    pub(super) fn after(&self, posted: Posted<M>) -> bool {
        contain(|| drop(posted.dropped));
        if let (Some(reader), Some(due)) = (&self.reader, posted.due) {
            reader.notify(due);
        }
        if let Some(waker) = posted.waker {
            contain(|| waker.wake());
        }
        let goes_on = !matches!(posted.outcome, Outcome::Disconnected | Outcome::Closed);
        if !goes_on {
            self.finish();
        }
        goes_on
    }

    /// The message that has waited longest.
    pub(super) fn take(&self) -> Option<Arc<M>> {
        self.inner.lock().messages.pop_front()
    }

    /// A visit has ended without a message: with its mailbox, or as a stray.
    pub(super) fn miss(&self) {
        let message = {
            let mut inner = self.inner.lock();
            let message = inner.messages.pop_front();
            if let (Some(reader), None) = (&self.reader, &message) {
                reader.remove_stray();
            }
            message
        };
        contain(|| drop(message));
    }

    /// As [`Letterbox::take`], or leaves the waker. `Err` when there will be none. What stood in
    /// the waker's place is the caller's to drop.
    pub(super) fn poll(&self, waker: &mut Option<Waker>) -> Result<Option<Arc<M>>, ()> {
        let mut inner = self.inner.lock();
        if let Some(message) = inner.messages.pop_front() {
            return Ok(Some(message));
        }
        if inner.phase != Phase::Open {
            return Err(());
        }
        std::mem::swap(&mut inner.waker, waker);
        Ok(None)
    }

    /// Keeps the key of the actor's farewell, until the subscription ends.
    pub(super) fn keep(&self, farewell: Key) {
        let is_open = {
            let mut inner = self.inner.lock();
            let is_open = inner.phase == Phase::Open;
            inner.farewell = is_open.then_some(farewell);
            is_open
        };
        if !is_open {
            self.take_back(Some(farewell));
        }
    }

    /// Nothing comes in any more; what is in is read.
    pub(super) fn finish(&self) {
        self.end(Phase::Ending);
    }

    /// Nothing comes in, and nothing is read any more. False if nothing came in before.
    pub(super) fn close(&self) -> bool {
        self.end(Phase::Over)
    }

    fn end(&self, phase: Phase) -> bool {
        let (was_open, rest, waker, farewell) = {
            let mut inner = self.inner.lock();
            let was_open = inner.phase == Phase::Open;
            if inner.phase < phase {
                inner.phase = phase;
            }
            let rest = match inner.phase {
                Phase::Over => {
                    if let Some(reader) = &self.reader {
                        reader.add_strays(inner.messages.len());
                    }
                    std::mem::take(&mut inner.messages)
                }
                Phase::Open | Phase::Ending => VecDeque::new(),
            };
            (was_open, rest, inner.waker.take(), inner.farewell.take())
        };
        self.take_back(farewell);
        contain(|| drop(rest));
        if let Some(waker) = waker {
            contain(|| waker.wake());
        }
        was_open
    }

    fn take_back(&self, farewell: Option<Key>) {
        if let (Some(reader), Some(farewell)) = (&self.reader, farewell) {
            reader.take_back(farewell);
        }
    }

    /// The reader, where it is of this type.
    pub(super) fn reader<R: Reader<M>>(&self) -> Option<&R> {
        let any: &dyn Any = &**self.reader.as_ref()?;
        any.downcast_ref()
    }

    pub(super) fn is_open(&self) -> bool {
        self.inner.lock().phase == Phase::Open
    }

    pub(super) fn dropped(&self) -> u64 {
        self.inner.lock().dropped
    }

    pub(super) fn waiting(&self) -> usize {
        self.inner.lock().messages.len()
    }
}
