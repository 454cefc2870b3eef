//! Where a late answer and its way back meet: whoever comes second joins the two.
//!
//! No code of users runs under the lock: what is dropped or woken is taken out first.

use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

use super::{Watch, WatchKey};
use crate::contain::contain;
use crate::sync::Mutex;

/// A way back, as a junction knows it.
pub(crate) trait Way {
    /// As [`ReplyEnd::watch`](super::ReplyEnd::watch).
    fn watch(&mut self, key: &mut WatchKey, waker: Waker) -> Watch;
    /// As [`ReplyEnd::unwatch`](super::ReplyEnd::unwatch).
    fn unwatch(&mut self, key: &WatchKey) -> Watch;
    /// As [`ReplyEnd::is_left`](super::ReplyEnd::is_left).
    fn is_left(&self) -> bool;
    /// As [`ReplyEnd::hold`](super::ReplyEnd::hold).
    fn hold(&self, holder: Option<u64>);
}

/// Where an answer `T` and its way back `L` meet.
pub(crate) struct Junction<T, L>(Mutex<Meeting<T, L>>);

enum Meeting<T, L> {
    /// Neither has come. With who waits for the asker's leaving, and who has the answer's side.
    Open(Option<Waker>, Option<u64>),
    /// The answer is there.
    Answered(T),
    /// The way back is there.
    Linked(L),
    /// There will be no answer, or nobody waits for it.
    Over,
}

impl<T, L> Junction<T, L> {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Meeting::Open(None, None)))
    }

    /// The answer comes: gives it back with its way, if that is there, or because nobody waits.
    pub(crate) fn answer(&self, reply: T) -> Result<Option<(L, T)>, T> {
        let mut meeting = self.0.lock();
        match mem::replace(&mut *meeting, Meeting::Over) {
            Meeting::Linked(link) => Ok(Some((link, reply))),
            Meeting::Open(waiter, _) => {
                *meeting = Meeting::Answered(reply);
                drop(meeting);
                drop(waiter);
                Ok(None)
            }
            Meeting::Answered(_) | Meeting::Over => Err(reply),
        }
    }

    /// The answer, if it came before the way back.
    pub(crate) fn take_answer(&self) -> Option<T> {
        let mut meeting = self.0.lock();
        match mem::replace(&mut *meeting, Meeting::Over) {
            Meeting::Answered(reply) => Some(reply),
            other => {
                *meeting = other;
                None
            }
        }
    }

    /// The side of the answer goes: gives the way back, if that is there without an answer.
    pub(crate) fn give_up(&self) -> Option<L> {
        let mut meeting = self.0.lock();
        if let Meeting::Answered(_) = &*meeting {
            return None;
        }
        let before = mem::replace(&mut *meeting, Meeting::Over);
        drop(meeting);
        match before {
            Meeting::Linked(link) => Some(link),
            _ => None,
        }
    }

    /// The side of the way back goes: without a way back, nobody waits.
    pub(crate) fn leave(&self) {
        let mut meeting = self.0.lock();
        if let Meeting::Linked(_) = &*meeting {
            return;
        }
        let before = mem::replace(&mut *meeting, Meeting::Over);
        drop(meeting);
        contain(|| match before {
            Meeting::Open(Some(waiter), _) => waiter.wake(),
            unread => drop(unread),
        });
    }
}

impl<T, L: Way> Junction<T, L> {
    /// The way back comes: gives it back, with what can be said on it at once.
    pub(crate) fn link(&self, link: L) -> Option<(L, Option<T>)> {
        let mut meeting = self.0.lock();
        match mem::replace(&mut *meeting, Meeting::Over) {
            Meeting::Open(waiter, holder) => {
                if holder.is_some() {
                    link.hold(holder);
                }
                *meeting = Meeting::Linked(link);
                drop(meeting);
                // So that it watches the way back instead.
                if let Some(waiter) = waiter {
                    contain(|| waiter.wake());
                }
                None
            }
            Meeting::Answered(reply) => Some((link, Some(reply))),
            Meeting::Linked(_) | Meeting::Over => Some((link, None)),
        }
    }

    /// The side of the answer is this actor's, or nobody knows whose.
    pub(crate) fn hold(&self, holder: Option<u64>) {
        match &mut *self.0.lock() {
            Meeting::Open(_, held) => *held = holder,
            Meeting::Linked(link) => link.hold(holder),
            Meeting::Answered(_) | Meeting::Over => {}
        }
    }

    /// Whether somebody may wait for the answer.
    pub(crate) fn is_wanted(&self) -> bool {
        match &*self.0.lock() {
            Meeting::Open(..) | Meeting::Answered(_) => true,
            Meeting::Linked(link) => !link.is_left(),
            Meeting::Over => false,
        }
    }

    /// Waits until nobody waits for the answer. One waits at a time.
    pub(crate) fn watch(&self) -> Watcher<'_, T, L> {
        Watcher {
            junction: self,
            key: WatchKey::default(),
        }
    }
}

/// Who waits for the asker's leaving.
pub(crate) struct Watcher<'a, T, L: Way> {
    junction: &'a Junction<T, L>,
    key: WatchKey,
}

impl<T, L: Way> Future for Watcher<'_, T, L> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let waker = cx.waker().clone();
        let watch = match &mut *self.junction.0.lock() {
            Meeting::Open(waiter, _) => Watch {
                unused: waiter.replace(waker),
                ..Watch::default()
            },
            Meeting::Linked(link) => link.watch(&mut self.key, waker),
            Meeting::Answered(_) => Watch::never(waker),
            Meeting::Over => Watch {
                is_gone: true,
                ..Watch::never(waker)
            },
        };
        match watch.settle() {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    }
}

impl<T, L: Way> Drop for Watcher<'_, T, L> {
    fn drop(&mut self) {
        let watch = match &mut *self.junction.0.lock() {
            Meeting::Linked(link) => link.unwatch(&self.key),
            _ => return,
        };
        watch.settle();
    }
}
