//! Who is told that a receiver has gone before its answer.

use std::collections::BTreeMap;
use std::ptr::NonNull;
use std::task::Waker;

use super::{Extra, Head, LEFT, RECEIVER_GONE, ReplyEnd, SENDER_GONE, WATCHED, free};
use crate::contain::contain;
use crate::id::Id;
use crate::pool::PoolBox;
use crate::sync::UnsafeCell;
use crate::sync::atomic::Ordering;

impl ReplyEnd {
    /// What tells others whether the receiver has left.
    pub(crate) fn left(&self) -> Left {
        Left(self.0)
    }

    /// Has `waker` woken when the receiver leaves without an answer, or says that it has left. It
    /// takes the place of the one that was given under this key before.
    ///
    /// It runs no code of the waker's: what becomes of it is the caller's to see to.
    pub(crate) fn watch(&mut self, key: &mut WatchKey, waker: Waker) -> Watch {
        if !self.head().take_back(WATCHED, LEFT) {
            return Watch {
                is_gone: true,
                ..Watch::never(waker)
            };
        }
        let extra = &self.head().extra;
        // SAFETY: the sender alone writes it.
        if extra.with(|extra| unsafe { (*extra).is_none() }) {
            let new = PoolBox::new(Extra::new(None, None));
            // SAFETY: WATCHED is away, and the slot is not TIMED: nobody else reads it.
            extra.with_mut(|extra| unsafe { *extra = Some(new) });
        }
        // SAFETY: as above.
        let extra = extra.with(|extra| unsafe { (*extra).as_ref() });
        let watchers = &extra.expect("it was made").watchers;
        let key = *key.0.get_or_insert_with(Id::next);
        // SAFETY: WATCHED is away, and LEFT was not set: the watchers are the sender's.
        let unused = watchers.with_mut(|watchers| unsafe { (*watchers).insert(key, waker) });
        self.offer_watchers(watchers, unused)
    }

    /// Forgets what was given under this key.
    pub(crate) fn unwatch(&mut self, key: &WatchKey) -> Watch {
        let Some(key) = key.0 else {
            return Watch::default();
        };
        if !self.head().take_back(WATCHED, LEFT) {
            return Watch::default();
        }
        // SAFETY: the sender alone writes it.
        let extra = self.head().extra.with(|extra| unsafe { (*extra).as_ref() });
        let Some(Extra { watchers, .. }) = extra.map(|extra| &**extra) else {
            return Watch::default();
        };
        // SAFETY: WATCHED is away, and LEFT was not set: the watchers are the sender's.
        let unused = watchers.with_mut(|watchers| unsafe { (*watchers).remove(&key) });
        self.offer_watchers(watchers, unused)
    }

    /// Gives the watchers to the receiver, or takes them if it has left.
    fn offer_watchers(
        &self,
        watchers: &UnsafeCell<BTreeMap<Id, Waker>>,
        unused: Option<Waker>,
    ) -> Watch {
        let mut watch = Watch {
            unused,
            ..Watch::default()
        };
        if !self.head().offer(WATCHED, LEFT) {
            watch.is_gone = true;
            // Nobody else will tell the others.
            // SAFETY: LEFT was set while WATCHED was away: the watchers are the sender's.
            let others = watchers.with_mut(|watchers| std::mem::take(unsafe { &mut *watchers }));
            watch.woken.extend(others.into_values());
        }
        watch
    }
}

/// Tells whether a receiver has left, without a part in the protocol.
#[derive(Clone, Copy)]
pub(crate) struct Left(NonNull<Head>);

// SAFETY: it reads the state word alone.
unsafe impl Send for Left {}

impl Left {
    /// Whether it has left without an answer.
    ///
    /// # Safety
    ///
    /// - The sender's end that gave it has the slot: it has not answered, nor was it dropped.
    pub(crate) unsafe fn is_left(&self) -> bool {
        // SAFETY: the caller: the sender's end keeps the slot.
        let head = unsafe { self.0.as_ref() };
        // Ordering: Relaxed; nothing is read behind it.
        head.state.load(Ordering::Relaxed) & LEFT != 0
    }
}

/// Under which a waker watches, once it does. No two are the same.
#[derive(Debug, Default)]
pub(crate) struct WatchKey(Option<Id>);

/// How [`ReplyEnd::watch`] went.
#[derive(Default)]
pub(crate) struct Watch {
    /// The receiver has left.
    pub(crate) is_gone: bool,
    /// To be dropped.
    pub(crate) unused: Option<Waker>,
    /// To be woken: the receiver will not do so.
    pub(crate) woken: Vec<Waker>,
}

impl Watch {
    /// Drops and wakes what is to be; gives whether the receiver has left.
    pub(crate) fn settle(self) -> bool {
        contain(|| drop(self.unused));
        self.woken
            .into_iter()
            .for_each(|waker| contain(|| waker.wake()));
        self.is_gone
    }

    /// Nobody will leave.
    pub(crate) fn never(waker: Waker) -> Self {
        Self {
            unused: Some(waker),
            ..Self::default()
        }
    }

    /// It is to be asked again, soon.
    pub(crate) fn again(waker: Waker) -> Self {
        Self {
            woken: vec![waker],
            ..Self::default()
        }
    }
}

/// # Safety
///
/// - The receiver set LEFT beside WATCHED; its end is given up.
#[cold]
pub(super) unsafe fn wake_watchers(raw: NonNull<Head>) {
    // SAFETY: the end keeps the slot until it says RECEIVER_GONE.
    let head = unsafe { raw.as_ref() };
    // SAFETY: as the table says; the sender only reads `extra` now.
    let extra = head.extra.with(|extra| unsafe { (*extra).as_ref() });
    let watchers = extra.map(|extra| {
        // SAFETY: as the table says.
        let take = |watchers: *mut BTreeMap<Id, Waker>| std::mem::take(unsafe { &mut *watchers });
        extra.watchers.with_mut(take)
    });
    // Ordering: AcqRel; R1's pair.
    if head.state.fetch_or(RECEIVER_GONE, Ordering::AcqRel) & SENDER_GONE != 0 {
        // SAFETY: R1.
        unsafe { free(raw) };
    }
    for watcher in watchers.into_iter().flat_map(BTreeMap::into_values) {
        contain(|| watcher.wake());
    }
}
