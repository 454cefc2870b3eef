//! Slots that are held without a message.

use super::super::testing::{
    Bin, PLAIN, Sender, Sent, Taker, WORD, drain, mail, of_bytes, of_key, send_now, try_push,
};
use super::super::{Accepted, Mailbox, Next, Phase, Refused, Tag};
use super::mailbox;
use crate::limits::WAKES_PER_LOCK;
use std::sync::{Arc, Mutex};
use std::task::{Poll, Wake, Waker};

const READY: Poll<Result<(), Refused>> = Poll::Ready(Ok(()));

fn fill(mailbox: &Mailbox, mut word: usize, tag: Tag, bin: &Bin) -> Result<Accepted, Refused> {
    // SAFETY: a word is `Copy`, so both may keep it; the tests hold a slot.
    unsafe { mailbox.fill(&mail(&mut word, tag), bin) }
}

#[test]
fn reserved_slots_are_nobody_elses_and_are_filled_one_by_one() {
    let (bin, mailbox) = (Bin::default(), mailbox(3));
    let mut holder = Sender::new(&mailbox, &bin, 0);
    assert_eq!(holder.reserve(2, Waker::noop()), READY);
    assert!(try_push(&mailbox, 0).is_ok());
    assert_eq!(try_push(&mailbox, 1), Err(Refused::Full));
    assert_eq!(mailbox.metrics().reserved, 2);
    assert_eq!(drain(&mailbox, &bin), [0]);
    assert_eq!(fill(&mailbox, 1, PLAIN, &bin), Ok(Accepted::Notify));
    assert_eq!(fill(&mailbox, 2, PLAIN, &bin), Ok(Accepted::Attended));
    let metrics = mailbox.metrics();
    assert_eq!((metrics.reserved, metrics.used), (0, 2));
    assert_eq!(drain(&mailbox, &bin), [1, 2]);
    assert_eq!(mailbox.free_slots(), 3);
}

#[test]
fn slots_given_back_to_an_idle_mailbox_go_to_who_waits_and_notify() {
    let (bin, mailbox) = (Bin::default(), mailbox(2));
    let mut holder = Sender::new(&mailbox, &bin, 0);
    assert_eq!(holder.reserve(2, Waker::noop()), READY);
    let mut waiting = Sender::new(&mailbox, &bin, 1);
    assert_eq!(waiting.start(PLAIN, Waker::noop()), Sent::Waiting);
    assert_eq!(mailbox.give_back(1, &bin), Accepted::Notify);
    assert_eq!(waiting.poll(), READY);
    assert_eq!(mailbox.give_back(1, &bin), Accepted::Attended);
    assert_eq!(drain(&mailbox, &bin), [1]);
    assert_eq!(mailbox.free_slots(), 2);
}

#[test]
fn a_reservation_of_many_slots_waits_its_turn_and_is_not_overtaken() {
    let (bin, mailbox) = (Bin::default(), mailbox(4));
    for word in 0..4 {
        assert!(try_push(&mailbox, word).is_ok());
    }
    let mut holder = Sender::new(&mailbox, &bin, 0);
    assert_eq!(holder.reserve(3, Waker::noop()), Poll::Pending);
    let mut waiting = Sender::new(&mailbox, &bin, 4);
    assert_eq!(waiting.start(PLAIN, Waker::noop()), Sent::Waiting);
    let mut taker = Taker::new();
    for word in 0..2 {
        assert_eq!(taker.next(&mailbox, &bin), Ok(word));
        assert_eq!(try_push(&mailbox, 9), Err(Refused::Full));
        assert!(holder.poll().is_pending() && waiting.poll().is_pending());
    }
    assert_eq!(taker.next(&mailbox, &bin), Ok(2));
    assert_eq!(holder.poll(), READY);
    assert!(waiting.poll().is_pending());
    assert_eq!(taker.next(&mailbox, &bin), Ok(3));
    assert_eq!(waiting.poll(), READY);
    assert_eq!(taker.next(&mailbox, &bin), Ok(4));
    assert_eq!(mailbox.give_back(3, &bin), Accepted::Attended);
    assert_eq!(mailbox.free_slots(), 4);
}

#[test]
fn a_reservation_withdrawn_lets_those_in_who_stood_behind_it() {
    let (bin, mailbox) = (Bin::default(), mailbox(4));
    let mut first = Sender::new(&mailbox, &bin, 0);
    assert_eq!(first.reserve(2, Waker::noop()), READY);
    let mut second = Sender::new(&mailbox, &bin, 0);
    assert_eq!(second.reserve(3, Waker::noop()), Poll::Pending);
    let mut waiting = Sender::new(&mailbox, &bin, 1);
    assert_eq!(waiting.start(PLAIN, Waker::noop()), Sent::Waiting);
    assert_eq!(second.withdraw(), (Phase::Waiting, Accepted::Notify));
    assert_eq!(waiting.poll(), READY);
    assert_eq!(mailbox.give_back(2, &bin), Accepted::Attended);
    assert_eq!(drain(&mailbox, &bin), [1]);
    assert_eq!(mailbox.free_slots(), 4);
}

#[test]
fn a_reservation_granted_unseen_is_given_back_by_who_withdraws_it() {
    let (bin, mailbox) = (Bin::default(), mailbox(1));
    assert!(try_push(&mailbox, 0).is_ok());
    let mut holder = Sender::new(&mailbox, &bin, 0);
    assert_eq!(holder.reserve(1, Waker::noop()), Poll::Pending);
    assert_eq!(drain(&mailbox, &bin), [0]);
    assert_eq!(mailbox.metrics().reserved, 1);
    assert_eq!(holder.withdraw(), (Phase::Granted, Accepted::Attended));
    assert_eq!(mailbox.give_back(1, &bin), Accepted::Attended);
    assert_eq!(mailbox.free_slots(), 1);
}

#[test]
fn more_slots_than_there_are_are_refused_and_a_lowered_capacity_does_not_strand_who_waits() {
    let (bin, mailbox) = (Bin::default(), mailbox(4));
    let mut holder = Sender::new(&mailbox, &bin, 0);
    let full = Poll::Ready(Err(Refused::Full));
    assert_eq!(holder.reserve(5, Waker::noop()), full);
    assert!(try_push(&mailbox, 0).is_ok());
    assert_eq!(holder.reserve(4, Waker::noop()), Poll::Pending);
    let _ = mailbox.set_capacity(2, &bin);
    assert_eq!(drain(&mailbox, &bin), [0]);
    assert_eq!(holder.poll(), READY);
    assert_eq!(mailbox.metrics().used, 4);
    let _ = mailbox.give_back(4, &bin);
    assert_eq!(mailbox.free_slots(), 2);
}

#[test]
fn a_close_refuses_to_reserve_and_to_fill_and_the_end_does_not_wait_for_what_is_held() {
    let (bin, mailbox) = (Bin::default(), mailbox(4));
    let mut holder = Sender::new(&mailbox, &bin, 0);
    assert_eq!(holder.reserve(2, Waker::noop()), READY);
    let mut waiting = Sender::new(&mailbox, &bin, 0);
    assert_eq!(waiting.reserve(4, Waker::noop()), Poll::Pending);
    let _ = mailbox.close();
    let closed = Poll::Ready(Err(Refused::Closed));
    assert_eq!(waiting.poll(), closed);
    let mut late = Sender::new(&mailbox, &bin, 0);
    assert_eq!(late.reserve(1, Waker::noop()), closed);
    assert_eq!(fill(&mailbox, 1, PLAIN, &bin), Err(Refused::Closed));
    assert_eq!(Taker::new().next(&mailbox, &bin), Err(Next::Closed));
    let _ = mailbox.give_back(2, &bin);
    assert_eq!(mailbox.free_slots(), 4);
}

#[test]
fn a_message_that_replaces_another_gives_that_ones_slot_to_who_waits() {
    let (bin, mailbox) = (Bin::default(), mailbox(2));
    let mut holder = Sender::new(&mailbox, &bin, 0);
    assert_eq!(holder.reserve(1, Waker::noop()), READY);
    let sent = send_now(&mailbox, 1, of_key(1), &bin);
    assert_eq!(sent, Sent::Accepted(Accepted::Notify));
    let mut waiting = Sender::new(&mailbox, &bin, 3);
    assert_eq!(waiting.start(PLAIN, Waker::noop()), Sent::Waiting);
    assert_eq!(fill(&mailbox, 2, of_key(1), &bin), Ok(Accepted::Attended));
    assert_eq!(waiting.poll(), READY);
    assert_eq!(bin.empty(), [1]);
    assert_eq!(drain(&mailbox, &bin), [2, 3]);
}

#[test]
fn a_slot_is_no_promise_of_bytes() {
    let bin = Bin::default();
    let mailbox = Mailbox::new(4, Some(100), WORD);
    let mut holder = Sender::new(&mailbox, &bin, 0);
    assert_eq!(holder.reserve(1, Waker::noop()), READY);
    let sent = send_now(&mailbox, 1, of_bytes(90), &bin);
    assert_eq!(sent, Sent::Accepted(Accepted::Notify));
    assert_eq!(fill(&mailbox, 2, of_bytes(20), &bin), Err(Refused::Full));
    assert_eq!(mailbox.metrics().reserved, 1);
    assert_eq!(
        fill(&mailbox, 2, of_bytes(10), &bin),
        Ok(Accepted::Attended)
    );
    assert_eq!(drain(&mailbox, &bin), [1, 2]);
    assert_eq!((mailbox.metrics().bytes, mailbox.free_slots()), (0, 4));
}

/// When woken it joins the line, and notes whether it was told to notify for others.
struct Joiner(Arc<Mailbox>, Mutex<Option<Accepted>>);

impl Wake for Joiner {
    fn wake(self: Arc<Self>) {
        let bin = Bin::default();
        let mut sender = Sender::new(&self.0, &bin, 9);
        assert_eq!(sender.start(PLAIN, Waker::noop()), Sent::Waiting);
        let others = std::mem::replace(&mut sender.others, Accepted::Attended);
        *self.1.lock().unwrap() = Some(others);
    }
}

#[test]
fn who_joins_the_line_between_two_rounds_is_told_to_notify_for_those_whom_it_lets_in() {
    let (bin, mailbox) = (Bin::default(), Arc::new(mailbox(WAKES_PER_LOCK + 1)));
    let mut holder = Sender::new(&mailbox, &bin, 0);
    assert_eq!(holder.reserve(WAKES_PER_LOCK + 1, Waker::noop()), READY);
    let joiner = Arc::new(Joiner(Arc::clone(&mailbox), Mutex::default()));
    let mut holders: Vec<_> = (0..WAKES_PER_LOCK)
        .map(|_| Sender::new(&mailbox, &bin, 0))
        .collect();
    let first = Waker::from(Arc::clone(&joiner));
    for (at, holder) in holders.iter_mut().enumerate() {
        let waker = if at == 0 { &first } else { Waker::noop() };
        assert_eq!(holder.reserve(1, waker), Poll::Pending);
    }
    let mut last = Sender::new(&mailbox, &bin, 1);
    assert_eq!(last.start(PLAIN, Waker::noop()), Sent::Waiting);
    assert_eq!(
        mailbox.give_back(WAKES_PER_LOCK + 1, &bin),
        Accepted::Attended
    );
    assert_eq!(*joiner.1.lock().unwrap(), Some(Accepted::Notify));
    assert_eq!(last.poll(), READY);
    assert_eq!(drain(&mailbox, &bin), [1]);
    let _ = mailbox.give_back(WAKES_PER_LOCK, &bin);
    assert_eq!(mailbox.metrics().used, 0);
}

#[test]
fn a_mailbox_is_not_quiet_while_a_sender_waits_behind_a_reservation() {
    let (bin, mailbox) = (Bin::default(), mailbox(1));
    let mut holder = Sender::new(&mailbox, &bin, 0);
    assert_eq!(holder.reserve(1, Waker::noop()), READY);
    assert!(mailbox.is_quiet());
    let mut waiting = Sender::new(&mailbox, &bin, 1);
    assert_eq!(waiting.start(PLAIN, Waker::noop()), Sent::Waiting);
    assert!(!mailbox.is_quiet());
    assert_eq!(mailbox.give_back(1, &bin), Accepted::Notify);
    assert!(!mailbox.is_quiet());
    assert_eq!(drain(&mailbox, &bin), [1]);
    assert!(mailbox.is_quiet());
}
