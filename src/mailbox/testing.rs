//! What tests and models of the mailbox share: words as messages, and who sends and takes them.

use std::pin::Pin;
use std::ptr::NonNull;
use std::sync::Mutex;
use std::task::{Poll, Waker};

use super::{
    Accepted, Bytes, Discard, Lane, Mail, Mailbox, Next, Overflow, Phase, Queue, Refused, Stride,
    Tag, Wait, Waiter,
};

pub(super) const WORD: Stride = Stride::new(size_of::<usize>());

/// Where dropped messages go.
#[derive(Default)]
pub(super) struct Bin(Mutex<Vec<usize>>);

impl Discard for Bin {
    // SAFETY: as the trait's.
    unsafe fn discard(&self, envelope: NonNull<u8>) {
        // SAFETY: messages are words.
        let word = unsafe { envelope.cast::<usize>().read() };
        self.0.lock().unwrap().push(word);
    }
}

impl Bin {
    /// What was dropped since the last call.
    pub(super) fn empty(&self) -> Vec<usize> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// What became of a message, and, where it was accepted, whether the actor has to be notified.
#[must_use]
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sent {
    Accepted(Accepted),
    Waiting,
    Refused(Refused),
    Dropped,
}

impl Sent {
    /// Gives the notification apart, where it is for others.
    fn of(pushed: (super::Sent, Accepted)) -> (Self, Accepted) {
        let (sent, accepted) = pushed;
        let sent = match sent {
            super::Sent::Accepted => return (Self::Accepted(accepted), Accepted::Attended),
            super::Sent::Waiting => Self::Waiting,
            super::Sent::Refused(refused) => Self::Refused(refused),
            super::Sent::Dropped => Self::Dropped,
        };
        (sent, accepted)
    }
}

/// A plain message whose sender waits.
pub(super) const PLAIN: Tag = Tag::plain(Overflow::Wait);

/// A message of the normal lane that may be dropped.
pub(super) const DROPPABLE: Tag = Tag::plain(Overflow::DropOldest);

pub(super) fn in_lane(lane: Lane) -> Tag {
    Tag { lane, ..PLAIN }
}

pub(super) fn of_key(key: u128) -> Tag {
    Tag {
        key,
        ..Tag::plain(Overflow::Latest)
    }
}

pub(super) fn of_bytes(bytes: usize) -> Tag {
    Tag { bytes, ..PLAIN }
}

pub(super) fn mail(word: &mut usize, tag: Tag) -> Mail {
    let envelope = Bytes {
        start: NonNull::from(word).cast(),
        size: size_of::<usize>(),
    };
    Mail { envelope, tag }
}

/// Sends as an actor's sender does: the plain way, if it is open, and without waiting.
pub(super) fn send_now(mailbox: &Mailbox, mut word: usize, tag: Tag, bin: &Bin) -> Sent {
    if tag.is_plain()
        && tag.bytes == 0
        && let Some(place) = mailbox.open()
    {
        // SAFETY: the slot takes a word.
        return Sent::Accepted(unsafe {
            place.slot().cast::<usize>().write(word);
            place.fill()
        });
    }
    // SAFETY: a word is `Copy`, so both may keep it; nothing waits.
    let pushed = unsafe { mailbox.push(&mail(&mut word, tag), None, bin) };
    let (sent, others) = Sent::of(pushed);
    assert_eq!(others, Accepted::Attended, "it let others in");
    sent
}

pub(super) fn try_push(mailbox: &Mailbox, word: usize) -> Result<Accepted, Refused> {
    match send_now(mailbox, word, PLAIN, &Bin::default()) {
        Sent::Accepted(accepted) => Ok(accepted),
        Sent::Refused(refused) => Err(refused),
        other => panic!("{other:?}"),
    }
}

/// A sender that waits; withdrawn when dropped, as a send future is.
pub(super) struct Sender<'a> {
    mailbox: &'a Mailbox,
    pub(super) bin: &'a Bin,
    pub(super) waiter: Pin<Box<Waiter>>,
    word: Box<usize>,
    /// What its joining the line has made of the mailbox: others may have been let in.
    pub(super) others: Accepted,
}

impl<'a> Sender<'a> {
    pub(super) fn new(mailbox: &'a Mailbox, bin: &'a Bin, word: usize) -> Self {
        Self {
            mailbox,
            bin,
            waiter: Box::pin(Waiter::new()),
            word: Box::new(word),
            others: Accepted::Attended,
        }
    }

    pub(super) fn start(&mut self, tag: Tag, waker: &Waker) -> Sent {
        let wait = Wait {
            waiter: self.waiter.as_ref(),
            waker,
        };
        let mail = mail(&mut self.word, tag);
        // SAFETY: word and waiter are boxed, and withdrawn before they go.
        let pushed = unsafe { self.mailbox.push(&mail, Some(wait), self.bin) };
        let (sent, others) = Sent::of(pushed);
        self.others = others;
        sent
    }

    /// Reserves slots.
    pub(super) fn reserve(&mut self, slots: usize, waker: &Waker) -> Poll<Result<(), Refused>> {
        let wait = Wait {
            waiter: self.waiter.as_ref(),
            waker,
        };
        // SAFETY: the waiter is boxed, and withdrawn before it goes.
        let (held, others) = unsafe { self.mailbox.reserve(slots, Some(wait), self.bin) };
        self.others = others;
        held
    }

    pub(super) fn poll(&self) -> Poll<Result<(), Refused>> {
        self.poll_with(Waker::noop())
    }

    pub(super) fn poll_with(&self, waker: &Waker) -> Poll<Result<(), Refused>> {
        self.mailbox.poll_waiter(self.waiter.as_ref(), waker)
    }

    pub(super) fn withdraw(&self) -> (Phase, Accepted) {
        self.mailbox.withdraw(self.waiter.as_ref(), self.bin)
    }
}

impl Drop for Sender<'_> {
    fn drop(&mut self) {
        let _ = self.withdraw();
    }
}

/// The consumer, which gives slots back as it takes.
pub(super) struct Taker(Queue);

impl Taker {
    pub(super) fn new() -> Self {
        Self(Queue::new())
    }

    /// The next word, or why there is none.
    pub(super) fn next(&mut self, mailbox: &Mailbox, bin: &Bin) -> Result<usize, Next> {
        let next = mailbox.next(&mut self.0);
        Self::take(next, mailbox, bin)
    }

    /// As `next`, at the beginning of an activation.
    pub(super) fn first(&mut self, mailbox: &Mailbox, bin: &Bin) -> Result<usize, Next> {
        let next = mailbox.first(&mut self.0);
        Self::take(next, mailbox, bin)
    }

    fn take(next: Next, mailbox: &Mailbox, bin: &Bin) -> Result<usize, Next> {
        let (Next::Message(slot) | Next::Notice(slot)) = next else {
            return Err(next);
        };
        // SAFETY: messages are words.
        let word = unsafe { slot.cast::<usize>().read() };
        if let Next::Message(_) = next {
            mailbox.release(bin);
        }
        Ok(word)
    }
}

/// Takes everything there is.
pub(super) fn drain(mailbox: &Mailbox, bin: &Bin) -> Vec<usize> {
    let mut taker = Taker::new();
    std::iter::from_fn(|| taker.next(mailbox, bin).ok()).collect()
}
