//! What is done once the lock of a session was left.

use std::any::Any;
use std::task::Waker;

use tokio::sync::oneshot;

use super::super::remote_end::RemoteEnd;
use super::Found;
use crate::contain::contain;

/// Wakers to wake, and what else calls code that is not ours.
#[derive(Default)]
pub(in crate::remote) struct Wakes {
    /// Most wake nobody or one.
    first: Option<Waker>,
    wakers: Vec<Waker>,
    found: Vec<(oneshot::Sender<Found>, Found)>,
    ends: Vec<(oneshot::Sender<RemoteEnd>, RemoteEnd)>,
    dropped: Vec<Box<dyn Any>>,
}

impl Wakes {
    pub(in crate::remote) fn waker(&mut self, waker: Option<Waker>) {
        if self.first.is_none() {
            self.first = waker;
        } else {
            self.wakers.extend(waker);
        }
    }

    pub(super) fn found(&mut self, tell: oneshot::Sender<Found>, found: Found) {
        self.found.push((tell, found));
    }

    pub(super) fn end(&mut self, tell: oneshot::Sender<RemoteEnd>, end: RemoteEnd) {
        self.ends.push((tell, end));
    }

    /// What wakes somebody as it is dropped.
    pub(in crate::remote) fn drop_later(&mut self, value: impl Any) {
        self.dropped.push(Box::new(value));
    }

    pub(super) fn run(self) {
        for waker in self.first.into_iter().chain(self.wakers) {
            contain(|| waker.wake());
        }
        for (tell, found) in self.found {
            contain(|| drop(tell.send(found)));
        }
        for (tell, end) in self.ends {
            contain(|| {
                let _ = tell.send(end); // nobody may wait for it any more
            });
        }
        for value in self.dropped {
            contain(|| drop(value));
        }
    }
}
