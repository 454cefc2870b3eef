//! The middle of a topic: who is subscribed, and in which order messages come.
//!
//! A message is put into all letterboxes under one lock, so all subscribers have messages in one
//! order, and a new one is either before a message or after it: its last value and the messages
//! that follow have no gap and no duplicate between. Filters are other people's code and run
//! without the lock: for those who have come meanwhile there is another round.

use std::sync::Arc;

use super::letterbox::{Letterbox, Outcome, Reader};
use super::options::Options;
use crate::contain::contain;
use crate::sync::Mutex;

pub(super) struct Hub<M: 'static> {
    inner: Mutex<Inner<M>>,
    keeps_last: bool,
}

struct Inner<M: 'static> {
    /// In the order in which they have come, numbered. Replaced as a whole while a publisher reads
    /// them, which so takes them with one count.
    letterboxes: Letterboxes<M>,
    /// The last number that was given.
    serial: u64,
    last: Option<Arc<M>>,
}

type Letterboxes<M> = Arc<Vec<(u64, Arc<Letterbox<M>>)>>;

/// What has become of a message that was published.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Published {
    /// Subscriptions that it was put into. Those whose filter does not want it count nowhere.
    pub reached: usize,
    /// Messages that were dropped for want of room: this one, or older ones to make room for it.
    pub dropped: usize,
    /// Subscriptions that ended because they had no room.
    pub disconnected: usize,
}

impl<M: 'static> Hub<M> {
    pub(super) fn new(keeps_last: bool) -> Self {
        let inner = Inner {
            letterboxes: Arc::default(),
            serial: 0,
            last: None,
        };
        Self {
            inner: Mutex::new(inner),
            keeps_last,
        }
    }

    pub(super) fn publish(&self, message: M) -> Published {
        let message = Arc::new(message);
        let mut wanted: Vec<Arc<Letterbox<M>>> = Vec::new();
        let mut seen = 0;
        loop {
            let all = {
                let mut inner = self.inner.lock();
                let newest = inner.letterboxes.last().map_or(0, |(serial, _)| *serial);
                if newest <= seen {
                    let keep = self.keeps_last.then(|| Arc::clone(&message));
                    let old = keep.and_then(|message| inner.last.replace(message));
                    let posts: Vec<_> = wanted
                        .iter()
                        .map(|letterbox| letterbox.post(Arc::clone(&message)))
                        .collect();
                    drop(inner);
                    contain(|| drop((old, message)));
                    return self.after(wanted, posts);
                }
                Arc::clone(&inner.letterboxes)
            };
            for (_, letterbox) in all.iter().filter(|(serial, _)| *serial > seen) {
                if letterbox.wants(&message) {
                    wanted.push(Arc::clone(letterbox));
                } else if !letterbox.is_open() {
                    self.remove(letterbox);
                }
            }
            seen = all.last().map_or(seen, |(serial, _)| *serial);
        }
    }

    fn after(
        &self,
        wanted: Vec<Arc<Letterbox<M>>>,
        posts: Vec<super::letterbox::Posted<M>>,
    ) -> Published {
        let mut report = Published::default();
        for (letterbox, posted) in wanted.into_iter().zip(posts) {
            let (reached, dropped, disconnected) = match posted.outcome {
                Outcome::Kept => (1, 0, 0),
                Outcome::Displaced => (1, 1, 0),
                Outcome::Dropped => (0, 1, 0),
                Outcome::Disconnected => (0, 1, 1),
                Outcome::Refused | Outcome::Closed => (0, 0, 0),
            };
            report.reached += reached;
            report.dropped += dropped;
            report.disconnected += disconnected;
            if !letterbox.after(posted) {
                self.remove(&letterbox);
            }
        }
        report
    }

    /// Subscribes; the last value comes first, if the subscriber wants it.
    pub(super) fn add(
        &self,
        options: Options<M>,
        reader: Option<Box<dyn Reader<M>>>,
    ) -> Arc<Letterbox<M>> {
        let letterbox = Arc::new(Letterbox::new(options, reader));
        let mut judged: Option<(Arc<M>, bool)> = None;
        loop {
            let last = {
                let mut inner = self.inner.lock();
                let is_judged = match (&inner.last, &judged) {
                    (Some(last), Some((judged, _))) => Arc::ptr_eq(last, judged),
                    (last, _) => last.is_none(),
                };
                if is_judged {
                    let wanted = judged.as_ref().filter(|(_, is_wanted)| *is_wanted);
                    let posted = wanted.map(|(last, _)| letterbox.post(Arc::clone(last)));
                    // Its filter may have panicked.
                    if letterbox.is_open() {
                        inner.insert(Arc::clone(&letterbox));
                    }
                    drop(inner);
                    if let Some(posted) = posted {
                        letterbox.after(posted);
                    }
                    return letterbox;
                }
                inner.last.clone()
            };
            let Some(last) = last else { continue };
            let is_wanted = letterbox.wants(&last);
            judged = Some((last, is_wanted));
        }
    }

    /// Takes a subscription out, if it is there.
    pub(super) fn remove(&self, letterbox: &Arc<Letterbox<M>>) {
        let old = {
            let mut inner = self.inner.lock();
            let mut all = inner.letterboxes.iter();
            let Some(at) = all.position(|(_, other)| Arc::ptr_eq(other, letterbox)) else {
                return;
            };
            Arc::make_mut(&mut inner.letterboxes).remove(at)
        };
        contain(|| drop(old));
    }

    pub(super) fn last(&self) -> Option<Arc<M>> {
        self.inner.lock().last.clone()
    }

    pub(super) fn len(&self) -> usize {
        self.inner.lock().letterboxes.len()
    }
}

impl<M: 'static> Inner<M> {
    fn insert(&mut self, letterbox: Arc<Letterbox<M>>) {
        self.serial += 1;
        Arc::make_mut(&mut self.letterboxes).push((self.serial, letterbox));
    }
}

impl<M: 'static> Drop for Hub<M> {
    fn drop(&mut self) {
        let letterboxes = self.inner.lock().letterboxes.clone();
        for (_, letterbox) in letterboxes.iter() {
            letterbox.finish();
        }
    }
}
