//! Slots, the line, and the end of a mailbox.

mod bytes;
mod capacity;
mod lanes;
mod overflow;
mod reserve;
mod room;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::task::{Poll, Wake, Waker};

use super::testing::{Bin, PLAIN, Sender, Sent, Taker, WORD, drain, mail, try_push};
use super::{Accepted, Mailbox, Next, Phase, Refused};
use crate::limits::WAKES_PER_LOCK;

fn mailbox(capacity: usize) -> Mailbox {
    Mailbox::new(capacity, None, WORD)
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
    let (bin, mailbox) = (Bin::default(), mailbox(1000));
    for word in 0..1000 {
        assert!(try_push(&mailbox, word).is_ok());
    }
    assert_eq!(try_push(&mailbox, 1000), Err(Refused::Full));
    assert_eq!(drain(&mailbox, &bin), (0..1000).collect::<Vec<_>>());
    assert_eq!(mailbox.free_slots(), 1000);
}

#[test]
fn only_the_push_that_finds_nobody_attending_notifies() {
    let (bin, mailbox) = (Bin::default(), mailbox(4));
    assert_eq!(try_push(&mailbox, 1), Ok(Accepted::Notify));
    assert_eq!(try_push(&mailbox, 2), Ok(Accepted::Attended));
    assert_eq!(drain(&mailbox, &bin), [1, 2]);
    assert_eq!(try_push(&mailbox, 3), Ok(Accepted::Notify));
    assert_eq!(drain(&mailbox, &bin), [3]);
}

#[test]
fn a_freed_slot_goes_to_the_oldest_waiter_without_a_poll_of_it() {
    let (bin, mailbox) = (Bin::default(), mailbox(1));
    assert!(try_push(&mailbox, 0).is_ok());
    let count = Arc::new(Count::default());
    let waker = Waker::from(Arc::clone(&count));
    let mut senders: Vec<_> = (1..4)
        .map(|word| Sender::new(&mailbox, &bin, word))
        .collect();
    for sender in &mut senders {
        assert_eq!(sender.start(PLAIN, &waker), Sent::Waiting);
    }
    assert_eq!(mailbox.waiting(), 3);
    assert_eq!(try_push(&mailbox, 9), Err(Refused::Full));
    assert_eq!(drain(&mailbox, &bin), [0, 1, 2, 3]);
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
    let (bin, mailbox) = (Bin::default(), mailbox(2));
    assert!(try_push(&mailbox, 1).is_ok());
    assert!(try_push(&mailbox, 2).is_ok());
    let mut taker = Taker::new();
    assert_eq!(taker.next(&mailbox, &bin), Ok(1));
    assert!(try_push(&mailbox, 3).is_ok());
    assert_eq!(try_push(&mailbox, 4), Err(Refused::Full));
    assert_eq!(taker.next(&mailbox, &bin), Ok(2));
    assert_eq!(mailbox.free_slots(), 1);
}

#[test]
fn a_dropped_sender_leaves_the_line_and_the_others_keep_their_order() {
    let (bin, mailbox) = (Bin::default(), mailbox(1));
    assert!(try_push(&mailbox, 0).is_ok());
    let mut senders: Vec<_> = (1..6)
        .map(|word| Sender::new(&mailbox, &bin, word))
        .collect();
    for sender in &mut senders {
        assert_eq!(sender.start(PLAIN, Waker::noop()), Sent::Waiting);
    }
    senders.remove(4);
    senders.remove(2);
    senders.remove(0);
    assert_eq!(mailbox.waiting(), 2);
    assert_eq!(drain(&mailbox, &bin), [0, 2, 4]);
    assert_eq!(mailbox.waiting(), 0);
}

#[test]
fn a_sender_granted_before_it_was_dropped_has_sent() {
    let (bin, mailbox) = (Bin::default(), mailbox(1));
    assert!(try_push(&mailbox, 0).is_ok());
    let mut sender = Sender::new(&mailbox, &bin, 1);
    assert_eq!(sender.start(PLAIN, Waker::noop()), Sent::Waiting);
    let mut taker = Taker::new();
    assert_eq!(taker.next(&mailbox, &bin), Ok(0));
    assert_eq!(sender.withdraw(), (Phase::Granted, Accepted::Attended));
    drop(sender);
    assert_eq!(taker.next(&mailbox, &bin), Ok(1));
}

#[test]
fn closing_refuses_those_who_wait_and_keeps_what_was_accepted() {
    let (bin, mailbox) = (Bin::default(), mailbox(2));
    assert!(try_push(&mailbox, 0).is_ok());
    assert!(try_push(&mailbox, 1).is_ok());
    let mut senders: Vec<_> = (2..40)
        .map(|word| Sender::new(&mailbox, &bin, word))
        .collect();
    let count = Arc::new(Count::default());
    let waker = Waker::from(Arc::clone(&count));
    for sender in &mut senders {
        assert_eq!(sender.start(PLAIN, &waker), Sent::Waiting);
    }
    assert_eq!(mailbox.close(), Accepted::Attended);
    assert_eq!(count.0.load(Ordering::Relaxed), 38);
    assert!(
        senders
            .iter()
            .all(|sender| sender.poll() == Poll::Ready(Err(Refused::Closed)))
    );
    assert_eq!(try_push(&mailbox, 9), Err(Refused::Closed));
    assert_eq!(drain(&mailbox, &bin), [0, 1]);
    assert_eq!(Taker::new().next(&mailbox, &bin), Err(Next::Closed));
    assert_eq!(mailbox.free_slots(), 2);
}

#[test]
fn who_waits_in_a_mailbox_that_was_opened_again_is_not_refused_for_its_close() {
    static MAILBOX: LazyLock<Mailbox> = LazyLock::new(|| mailbox(1));
    static BIN: LazyLock<Bin> = LazyLock::new(Bin::default);
    struct Opener(Mutex<Option<Sender<'static>>>);
    impl Wake for Opener {
        fn wake(self: Arc<Self>) {
            MAILBOX.reopen();
            let mut sender = Sender::new(&MAILBOX, &BIN, 1);
            assert_eq!(sender.start(PLAIN, Waker::noop()), Sent::Waiting);
            *self.0.lock().unwrap() = Some(sender);
        }
    }
    assert!(try_push(&MAILBOX, 0).is_ok());
    let opener = Arc::new(Opener(Mutex::new(None)));
    let first = Waker::from(Arc::clone(&opener));
    let mut before: Vec<_> = (0..=WAKES_PER_LOCK)
        .map(|_| Sender::new(&MAILBOX, &BIN, 9))
        .collect();
    for (at, sender) in before.iter_mut().enumerate() {
        let waker = if at == 0 { &first } else { Waker::noop() };
        assert_eq!(sender.start(PLAIN, waker), Sent::Waiting);
    }
    let _ = MAILBOX.close();
    let is_refused = |sender: &Sender| sender.poll() == Poll::Ready(Err(Refused::Closed));
    assert!(before.iter().all(is_refused));
    let sender = opener.0.lock().unwrap().take().unwrap();
    assert_eq!(sender.poll(), Poll::Pending);
    assert_eq!(drain(&MAILBOX, &BIN), [0, 1]);
}

#[test]
fn a_mailbox_whose_first_look_took_all_is_unattended_from_then_on() {
    let (mailbox, bin) = (Mailbox::new(4, None, WORD), Bin::default());
    assert_eq!(try_push(&mailbox, 0), Ok(Accepted::Notify));
    assert_eq!(try_push(&mailbox, 1), Ok(Accepted::Attended));
    let mut taker = Taker::new();
    assert_eq!(taker.first(&mailbox, &bin), Ok(0));
    assert_eq!(try_push(&mailbox, 2), Ok(Accepted::Notify));
    assert_eq!(taker.next(&mailbox, &bin), Ok(1));
    assert_eq!(taker.next(&mailbox, &bin), Ok(2));
    assert_eq!(
        try_push(&mailbox, 3),
        Ok(Accepted::Attended),
        "not the first"
    );
    assert_eq!(taker.next(&mailbox, &bin), Ok(3));
    assert_eq!(taker.next(&mailbox, &bin), Err(Next::Empty));
    assert_eq!(mailbox.close(), Accepted::Notify);
    assert_eq!(taker.first(&mailbox, &bin), Err(Next::Closed));
}

#[test]
fn closing_an_unattended_mailbox_asks_for_a_notification() {
    let mailbox = mailbox(1);
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
    let (bin, mailbox) = (Bin::default(), Arc::new(mailbox(1)));
    assert!(try_push(&mailbox, 0).is_ok());
    let mut first = Sender::new(&mailbox, &bin, 1);
    let mut second = Sender::new(&mailbox, &bin, 2);
    let meddler = Waker::from(Arc::new(Meddler(Arc::clone(&mailbox))));
    assert_eq!(first.start(PLAIN, &meddler), Sent::Waiting);
    drop(meddler);
    let replaced = Waker::from(Arc::new(Meddler(Arc::clone(&mailbox))));
    assert!(
        mailbox
            .poll_waiter(first.waiter.as_ref(), &replaced)
            .is_pending()
    );
    drop(replaced);
    let count = Arc::new(Count::default());
    let counting = Waker::from(Arc::clone(&count));
    assert_eq!(second.start(PLAIN, &counting), Sent::Waiting);
    assert_eq!(drain(&mailbox, &bin)[..3], [0, 1, 2]);
    assert_eq!(count.0.load(Ordering::Relaxed), 1);
}

#[test]
fn a_notice_gets_into_a_full_mailbox_in_its_turn_and_holds_no_slot() {
    let (bin, mailbox) = (Bin::default(), mailbox(1));
    assert!(try_push(&mailbox, 0).is_ok());
    // SAFETY: a word is `Copy`, so both may keep it.
    let notify = |mut word: usize| unsafe { mailbox.push_notice(mail(&mut word, PLAIN).envelope) };
    assert_eq!(notify(1), Ok(Accepted::Attended));
    assert_eq!(notify(2), Ok(Accepted::Attended));
    assert_eq!(try_push(&mailbox, 9), Err(Refused::Full));
    let mut taker = Taker::new();
    assert_eq!(taker.next(&mailbox, &bin), Ok(0));
    assert_eq!(mailbox.free_slots(), 1);
    assert_eq!(try_push(&mailbox, 3), Ok(Accepted::Attended));
    assert_eq!(mailbox.free_slots(), 0);
    for word in 1..4 {
        assert_eq!(taker.next(&mailbox, &bin), Ok(word));
    }
    assert_eq!(taker.next(&mailbox, &bin), Err(Next::Empty));
    assert_eq!(notify(3), Ok(Accepted::Notify));
    assert_eq!(mailbox.free_slots(), 1);
    let _ = mailbox.close();
    assert_eq!(notify(4), Err(Refused::Closed));
}
