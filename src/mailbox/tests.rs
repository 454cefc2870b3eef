use std::pin::Pin;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Poll, Wake, Waker};

use super::{Accepted, Bytes, Mailbox, Phase, Queue, Refused, Stride, Taken, Waiter};

const WORD: Stride = Stride::new(size_of::<usize>());

fn bytes(word: &mut usize) -> Bytes {
    Bytes {
        start: NonNull::from(word).cast(),
        size: size_of::<usize>(),
    }
}

fn try_push(mailbox: &Mailbox, word: usize) -> Result<Accepted, Refused> {
    let place = mailbox.open()?;
    // SAFETY: the slot takes a word.
    unsafe {
        place.slot().cast::<usize>().write(word);
        Ok(place.fill())
    }
}

/// A sender that waits; withdrawn when dropped, as a send future is.
struct Sender<'a> {
    mailbox: &'a Mailbox,
    waiter: Pin<Box<Waiter>>,
    word: Box<usize>,
}

impl<'a> Sender<'a> {
    fn new(mailbox: &'a Mailbox, word: usize) -> Self {
        Self {
            mailbox,
            waiter: Box::pin(Waiter::new()),
            word: Box::new(word),
        }
    }

    fn start(&mut self, waker: &Waker) -> Poll<Result<Accepted, Refused>> {
        // SAFETY: word and waiter are boxed, and withdrawn before they go.
        unsafe {
            self.mailbox
                .push_or_wait(bytes(&mut self.word), self.waiter.as_ref(), waker)
        }
    }

    fn poll(&self) -> Poll<Result<(), Refused>> {
        self.mailbox
            .poll_waiter(self.waiter.as_ref(), Waker::noop())
    }
}

impl Drop for Sender<'_> {
    fn drop(&mut self) {
        self.mailbox.withdraw(self.waiter.as_ref());
    }
}

/// Takes and releases everything there is.
fn drain(mailbox: &Mailbox) -> Vec<usize> {
    let mut words = Vec::new();
    let mut batch = Queue::new();
    while mailbox.take(&mut batch) == Taken::Some {
        while let Some(slot) = batch.pop(WORD) {
            // SAFETY: the slot holds a `usize`.
            words.push(unsafe { slot.cast::<usize>().read() });
            mailbox.release();
        }
    }
    words
}

#[derive(Default)]
struct Count(AtomicUsize);

impl Wake for Count {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn messages_come_out_in_the_order_they_went_in_across_many_blocks() {
    let mailbox = Mailbox::new(1000, WORD);
    for word in 0..1000 {
        assert!(try_push(&mailbox, word).is_ok());
    }
    assert_eq!(try_push(&mailbox, 1000), Err(Refused::Full));
    assert_eq!(drain(&mailbox), (0..1000).collect::<Vec<_>>());
    assert_eq!(mailbox.free_slots(), 1000);
}

#[test]
fn only_the_push_that_finds_nobody_attending_notifies() {
    let mailbox = Mailbox::new(4, WORD);
    assert_eq!(try_push(&mailbox, 1), Ok(Accepted::Notify));
    assert_eq!(try_push(&mailbox, 2), Ok(Accepted::Attended));
    assert_eq!(drain(&mailbox), [1, 2]);
    assert_eq!(try_push(&mailbox, 3), Ok(Accepted::Notify));
    assert_eq!(drain(&mailbox), [3]);
}

#[test]
fn a_freed_slot_goes_to_the_oldest_waiter_without_a_poll_of_it() {
    let mailbox = Mailbox::new(1, WORD);
    assert!(try_push(&mailbox, 0).is_ok());
    let count = Arc::new(Count::default());
    let waker = Waker::from(Arc::clone(&count));
    let mut senders: Vec<_> = (1..4).map(|word| Sender::new(&mailbox, word)).collect();
    for sender in &mut senders {
        assert_eq!(sender.start(&waker), Poll::Pending);
    }
    assert_eq!(mailbox.waiting(), 3);
    assert_eq!(try_push(&mailbox, 9), Err(Refused::Full));
    assert_eq!(drain(&mailbox), [0, 1, 2, 3]);
    assert_eq!(count.0.load(Ordering::Relaxed), 3);
    assert!(
        senders
            .iter()
            .all(|sender| sender.poll() == Poll::Ready(Ok(())))
    );
    assert_eq!(mailbox.free_slots(), 1);
}

#[test]
fn a_slot_is_in_use_until_its_message_is_taken_out_of_the_batch() {
    let mailbox = Mailbox::new(2, WORD);
    assert!(try_push(&mailbox, 1).is_ok());
    assert!(try_push(&mailbox, 2).is_ok());
    let mut batch = Queue::new();
    assert_eq!(mailbox.take(&mut batch), Taken::Some);
    assert_eq!(try_push(&mailbox, 3), Err(Refused::Full));
    assert!(batch.pop(WORD).is_some());
    mailbox.release();
    assert_eq!(mailbox.free_slots(), 1);
    assert!(try_push(&mailbox, 3).is_ok());
    assert_eq!(try_push(&mailbox, 4), Err(Refused::Full));
}

#[test]
fn a_dropped_sender_leaves_the_line_and_the_others_keep_their_order() {
    let mailbox = Mailbox::new(1, WORD);
    assert!(try_push(&mailbox, 0).is_ok());
    let mut senders: Vec<_> = (1..6).map(|word| Sender::new(&mailbox, word)).collect();
    for sender in &mut senders {
        assert!(sender.start(Waker::noop()).is_pending());
    }
    senders.remove(4);
    senders.remove(2);
    senders.remove(0);
    assert_eq!(mailbox.waiting(), 2);
    assert_eq!(drain(&mailbox), [0, 2, 4]);
    assert_eq!(mailbox.waiting(), 0);
}

#[test]
fn a_sender_granted_before_it_was_dropped_has_sent() {
    let mailbox = Mailbox::new(1, WORD);
    assert!(try_push(&mailbox, 0).is_ok());
    let mut sender = Sender::new(&mailbox, 1);
    assert!(sender.start(Waker::noop()).is_pending());
    let mut batch = Queue::new();
    assert_eq!(mailbox.take(&mut batch), Taken::Some);
    assert!(batch.pop(WORD).is_some());
    mailbox.release();
    assert_eq!(mailbox.withdraw(sender.waiter.as_ref()), Phase::Granted);
    drop(sender);
    assert!(batch.pop(WORD).is_none());
    assert_eq!(drain(&mailbox), [1]);
}

#[test]
fn closing_refuses_those_who_wait_and_keeps_what_was_accepted() {
    let mailbox = Mailbox::new(2, WORD);
    assert!(try_push(&mailbox, 0).is_ok());
    assert!(try_push(&mailbox, 1).is_ok());
    let mut senders: Vec<_> = (2..40).map(|word| Sender::new(&mailbox, word)).collect();
    let count = Arc::new(Count::default());
    let waker = Waker::from(Arc::clone(&count));
    for sender in &mut senders {
        assert!(sender.start(&waker).is_pending());
    }
    assert_eq!(mailbox.close(), Accepted::Attended);
    assert_eq!(count.0.load(Ordering::Relaxed), 38);
    assert!(
        senders
            .iter()
            .all(|sender| sender.poll() == Poll::Ready(Err(Refused::Closed)))
    );
    assert_eq!(try_push(&mailbox, 9), Err(Refused::Closed));
    assert_eq!(drain(&mailbox), [0, 1]);
    assert_eq!(mailbox.take(&mut Queue::new()), Taken::Closed);
    assert_eq!(mailbox.free_slots(), 2);
}

#[test]
fn closing_an_unattended_mailbox_asks_for_a_notification() {
    let mailbox = Mailbox::new(1, WORD);
    assert_eq!(mailbox.close(), Accepted::Notify);
    assert_eq!(mailbox.close(), Accepted::Attended);
}

/// Its drop and its wake reach for the same mailbox.
struct Meddler(Arc<Mailbox>);

impl Wake for Meddler {
    fn wake(self: Arc<Self>) {
        let _ = try_push(&self.0, 77);
        panic!("a waker that panics");
    }
}

impl Drop for Meddler {
    fn drop(&mut self) {
        let _ = try_push(&self.0, 88);
    }
}

#[test]
fn wakers_run_and_drop_without_the_lock_and_their_panics_reach_nobody() {
    let mailbox = Arc::new(Mailbox::new(1, WORD));
    assert!(try_push(&mailbox, 0).is_ok());
    let mut first = Sender::new(&mailbox, 1);
    let mut second = Sender::new(&mailbox, 2);
    assert!(
        first
            .start(&Waker::from(Arc::new(Meddler(Arc::clone(&mailbox)))))
            .is_pending()
    );
    let replaced = Waker::from(Arc::new(Meddler(Arc::clone(&mailbox))));
    assert!(
        mailbox
            .poll_waiter(first.waiter.as_ref(), &replaced)
            .is_pending()
    );
    drop(replaced);
    let count = Arc::new(Count::default());
    assert!(second.start(&Waker::from(Arc::clone(&count))).is_pending());
    let words = drain(&mailbox);
    assert_eq!(words[..3], [0, 1, 2]);
    assert_eq!(count.0.load(Ordering::Relaxed), 1);
}

#[test]
fn a_notice_gets_into_a_full_mailbox_in_its_turn_and_holds_no_slot() {
    let mailbox = Mailbox::new(1, WORD);
    assert!(try_push(&mailbox, 0).is_ok());
    // SAFETY: a `usize` is `Copy`, so both may keep it.
    let notify = |mut word: usize| unsafe { mailbox.push_notice(bytes(&mut word)) };
    assert_eq!(notify(1), Ok(Accepted::Attended));
    assert_eq!(try_push(&mailbox, 2), Err(Refused::Full));
    let mut batch = Queue::new();
    assert_eq!(mailbox.take(&mut batch), Taken::Some);
    let mut words = Vec::new();
    while let Some(slot) = batch.pop(WORD) {
        // SAFETY: the slot holds a `usize`.
        let word = unsafe { slot.cast::<usize>().read() };
        if word == 0 {
            mailbox.release();
        }
        words.push(word);
    }
    assert_eq!(words, [0, 1]);
    assert_eq!(mailbox.take(&mut batch), Taken::Empty);
    assert_eq!(notify(3), Ok(Accepted::Notify));
    assert_eq!(mailbox.free_slots(), 1);
    let _ = mailbox.close();
    assert_eq!(notify(4), Err(Refused::Closed));
}
