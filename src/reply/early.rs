//! A receiver that goes before its answer: how it goes, and how the sender's side sees it.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::ptr::NonNull;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep};

use super::watch::wake_watchers;
use super::{
    Answer, Extra, Head, LEFT, LIMITED, RECEIVER_GONE, Receiver, ReplyEnd, SENT, STARTED, TIMED,
    WAITING, WATCHED, take,
};
use crate::contain::contain;
use crate::sync::UnsafeCell;
use crate::sync::atomic::Ordering;

impl Extra {
    pub(super) fn new(deadline: Option<Instant>, timer: Option<Timer>) -> Self {
        Self {
            deadline,
            watchers: UnsafeCell::new(BTreeMap::new()),
            timer: UnsafeCell::new(timer),
        }
    }
}

/// When the receiver waits no longer, if nothing else tells it.
pub(crate) struct Timer {
    /// `None` where there is no time driver: then the deadline is looked at by the target alone.
    sleep: Option<Pin<Box<Sleep>>>,
    limit: Duration,
}

impl Timer {
    /// `None` if the deadline has passed.
    pub(crate) fn new(deadline: Instant) -> Option<Self> {
        Some(Self {
            limit: deadline.checked_duration_since(Instant::now())?,
            sleep: crate::contain::catch(|| Box::pin(tokio::time::sleep_until(deadline))).ok(),
        })
    }

    /// Gives how long it ran, when it has run down.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Duration> {
        match &mut self.sleep {
            Some(sleep) => sleep.as_mut().poll(cx).map(|()| self.limit),
            None => Poll::Pending,
        }
    }
}

/// What the sender's side finds when the message's turn has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Its handler shall run; it may have a deadline.
    Run(Option<Instant>),
    /// Nobody waits for an answer.
    Gone,
    /// The deadline has passed.
    Expired,
}

/// What became of an ask whose receiver gave up.
pub(crate) enum GivenUp<T> {
    /// The answer is there after all.
    Answered(T),
    /// Its handler had begun.
    Started,
    /// Its handler has not begun, nor will it unless the sender's side has it begin in any case.
    Unstarted,
}

impl Head {
    /// Whether the slot was made as one of this kind.
    fn is(&self, kind: usize) -> bool {
        // Ordering: Relaxed; it is set from the beginning, or never.
        self.state.load(Ordering::Relaxed) & kind != 0
    }
}

impl ReplyEnd {
    pub(super) fn head(&self) -> &Head {
        // SAFETY: the sender's end keeps the slot.
        unsafe { self.0.as_ref() }
    }

    /// Whether the receiver has left without an answer.
    pub(crate) fn is_left(&self) -> bool {
        // Ordering: Relaxed; whoever acts on it reads nothing that the receiver wrote.
        self.head().state.load(Ordering::Relaxed) & LEFT != 0
    }

    /// The deadline of a limited ask.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        // SAFETY: the sender alone writes it, and by `&mut self`.
        let extra = self.head().extra.with(|extra| unsafe { &*extra });
        extra.as_ref()?.deadline
    }

    /// Whether there is no need to ask for its [`turn`](Self::turn): no limit, and a receiver.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        // Ordering: Relaxed; as in `is_left`. A receiver that leaves just now is found at the
        // answer.
        self.head().state.load(Ordering::Relaxed) & (LEFT | LIMITED) == 0
    }

    /// Asks, when the message's turn has come, whether its handler shall run.
    pub(crate) fn turn(&self) -> Turn {
        let deadline = self.deadline();
        let is_late = deadline.is_some_and(|deadline| deadline <= Instant::now());
        match (is_late, !is_late && (self.is_left() || self.start())) {
            (true, _) => Turn::Expired,
            (false, true) => Turn::Gone,
            (false, false) => Turn::Run(deadline),
        }
    }

    /// Marks a limited ask as one whose handler runs; says whether the receiver has left.
    pub(crate) fn start(&self) -> bool {
        if !self.head().is(LIMITED) {
            return false;
        }
        // Ordering: AcqRel; R2's pair.
        self.head().state.fetch_or(STARTED, Ordering::AcqRel) & LEFT != 0
    }
}

impl Receiver {
    /// The timer that the slot was made with.
    #[inline]
    pub(crate) fn timer(&mut self) -> Option<&mut Timer> {
        let raw = self.0?;
        // SAFETY: this end keeps the slot.
        let head = unsafe { raw.as_ref() };
        if !head.is(TIMED) {
            return None;
        }
        // SAFETY: TIMED: it is there from the beginning, so that the sender never writes it.
        let extra = head.extra.with(|extra| unsafe { (*extra).as_ref() })?;
        // SAFETY: the timer is the receiver's, which is borrowed.
        extra.timer.with_mut(|timer| unsafe { (*timer).as_mut() })
    }

    /// The handler of a limited ask has begun, on the asker's own stack.
    pub(crate) fn note_start(&mut self) {
        if let Some(raw) = self.0 {
            // SAFETY: this end keeps the slot.
            let head = unsafe { raw.as_ref() };
            // Ordering: Relaxed; the receiver alone reads it.
            head.state.fetch_or(STARTED, Ordering::Relaxed);
        }
    }

    /// The receiver, which leaves an empty one in its place.
    pub(crate) fn take_over(&mut self) -> Self {
        Self(self.0.take())
    }

    /// Waits no longer. The answer may be there after all.
    ///
    /// # Panics
    ///
    /// When the answer was given already.
    ///
    /// # Safety
    ///
    /// - The slot was made by `limited::<T>(..)`.
    pub(crate) unsafe fn give_up<T: Answer>(mut self) -> GivenUp<T> {
        let raw = self.0.take().expect("an answer is given once");
        // SAFETY: this end is given up.
        match unsafe { depart(raw) } {
            Some(state) if state & STARTED != 0 => GivenUp::Started,
            Some(_) => GivenUp::Unstarted,
            // SAFETY: SENT was seen with Acquire; the slot is of `T`; this end is given up.
            None => GivenUp::Answered(unsafe { take::<T>(raw) }),
        }
    }
}

/// The receiver goes without an answer; gives the state that it left. `None` if the answer is
/// there: then it has not gone, and the value is its own.
///
/// # Safety
///
/// - The receiver's end is given up, unless the result is `None`.
pub(super) unsafe fn depart(raw: NonNull<Head>) -> Option<usize> {
    // SAFETY: the end keeps the slot until it says RECEIVER_GONE.
    let head = unsafe { raw.as_ref() };
    if !head.take_back(WAITING, SENT) {
        return None;
    }
    // SAFETY: WAITING is away: the waker is the receiver's.
    let waker = head.waker.with_mut(|cell| unsafe { (*cell).take() });
    contain(|| drop(waker));
    if head.is(TIMED) {
        // SAFETY: the caller is the receiver.
        unsafe { drop_timer(head) };
    }
    let mut state = head.state.load(Ordering::Acquire);
    let watched = loop {
        if state & SENT != 0 {
            return None;
        }
        let watched = state & WATCHED != 0;
        let gone = if watched { LEFT } else { LEFT | RECEIVER_GONE };
        // Ordering: Release; pairs with the sender's Acquire when it frees: the waker is gone.
        // Acquire: the watchers that it wrote before WATCHED, or the value before SENT.
        match head
            .state
            .compare_exchange(state, state | gone, Ordering::AcqRel, Ordering::Acquire)
        {
            Ok(_) => break watched,
            Err(now) => state = now,
        }
    };
    if watched {
        // SAFETY: LEFT stands beside WATCHED, and RECEIVER_GONE is not said.
        unsafe { wake_watchers(raw) };
    }
    Some(state)
}

/// Ends the timer, of which nothing may be left when its asker has gone.
///
/// # Safety
///
/// - The slot is TIMED, and the caller is its receiver.
#[cold]
unsafe fn drop_timer(head: &Head) {
    // SAFETY: TIMED: it is there from the beginning, so that the sender never writes it.
    let extra = head.extra.with(|extra| unsafe { (*extra).as_ref() });
    // SAFETY: the timer is the receiver's.
    let timer = extra.and_then(|extra| extra.timer.with_mut(|timer| unsafe { (*timer).take() }));
    contain(|| drop(timer));
}
