//! The bound of bytes beside that of slots.

use super::super::testing::{
    Bin, DROPPABLE, PLAIN, Sender, Sent, Taker, WORD, drain, of_bytes, of_key, send_now, try_push,
};
use super::super::{Accepted, Mailbox, Overflow, Phase, Refused, Tag};
use super::mailbox;
use std::task::{Poll, Waker};

const ATTENDED: Sent = Sent::Accepted(Accepted::Attended);

/// Ten slots, a hundred bytes; one plain message is in it.
fn weighed() -> Mailbox {
    let mailbox = Mailbox::new(10, Some(100), WORD);
    assert!(try_push(&mailbox, 0).is_ok());
    mailbox
}

#[test]
fn messages_fit_as_long_as_their_bytes_do_and_weightless_ones_always() {
    let (bin, mailbox) = (Bin::default(), weighed());
    assert_eq!(send_now(&mailbox, 1, of_bytes(60), &bin), ATTENDED);
    assert_eq!(
        send_now(&mailbox, 2, of_bytes(41), &bin),
        Sent::Refused(Refused::Full)
    );
    assert_eq!(send_now(&mailbox, 3, of_bytes(40), &bin), ATTENDED);
    assert_eq!(send_now(&mailbox, 4, PLAIN, &bin), ATTENDED);
    assert_eq!(mailbox.metrics().bytes, 100);
    assert_eq!(drain(&mailbox, &bin), [0, 1, 3, 4]);
    assert_eq!((mailbox.metrics().bytes, mailbox.free_slots()), (0, 10));
}

#[test]
fn a_message_larger_than_the_bound_counts_as_the_bound() {
    let (bin, mailbox) = (Bin::default(), weighed());
    assert_eq!(send_now(&mailbox, 1, of_bytes(usize::MAX), &bin), ATTENDED);
    assert_eq!(mailbox.metrics().bytes, 100);
    assert_eq!(
        send_now(&mailbox, 2, of_bytes(1), &bin),
        Sent::Refused(Refused::Full)
    );
    assert_eq!(drain(&mailbox, &bin), [0, 1]);
    assert_eq!(mailbox.metrics().bytes, 0);
}

#[test]
fn who_waits_for_bytes_is_not_overtaken_by_who_needs_fewer_or_none() {
    let (bin, mailbox) = (Bin::default(), weighed());
    assert_eq!(send_now(&mailbox, 1, of_bytes(90), &bin), ATTENDED);
    let mut large = Sender::new(&mailbox, &bin, 2);
    let mut small = Sender::new(&mailbox, &bin, 3);
    assert_eq!(large.start(of_bytes(50), Waker::noop()), Sent::Waiting);
    assert_eq!(small.start(of_bytes(5), Waker::noop()), Sent::Waiting);
    assert_eq!(try_push(&mailbox, 9), Err(Refused::Full));
    let mut taker = Taker::new();
    assert_eq!(taker.next(&mailbox, &bin), Ok(0));
    assert!(large.poll().is_pending());
    assert_eq!(taker.next(&mailbox, &bin), Ok(1));
    assert_eq!(large.poll(), Poll::Ready(Ok(())));
    assert_eq!(small.poll(), Poll::Ready(Ok(())));
    assert_eq!(taker.next(&mailbox, &bin), Ok(2));
    assert_eq!(taker.next(&mailbox, &bin), Ok(3));
}

#[test]
fn a_sender_that_gives_up_its_wait_for_bytes_lets_the_next_in() {
    let (bin, mailbox) = (Bin::default(), weighed());
    assert_eq!(send_now(&mailbox, 1, of_bytes(90), &bin), ATTENDED);
    let mut large = Sender::new(&mailbox, &bin, 2);
    let mut others: Vec<_> = (3..6)
        .map(|word| Sender::new(&mailbox, &bin, word))
        .collect();
    assert_eq!(large.start(of_bytes(50), Waker::noop()), Sent::Waiting);
    for sender in &mut others {
        assert_eq!(sender.start(of_bytes(5), Waker::noop()), Sent::Waiting);
    }
    assert_eq!(large.withdraw(), (Phase::Waiting, Accepted::Attended));
    assert_eq!(others[0].poll(), Poll::Ready(Ok(())));
    assert_eq!(others[1].poll(), Poll::Ready(Ok(())));
    assert!(others[2].poll().is_pending());
    assert_eq!(drain(&mailbox, &bin), [0, 1, 3, 4, 5]);
}

#[test]
fn as_many_are_dropped_as_the_bytes_of_the_newcomer_need() {
    let (bin, mailbox) = (Bin::default(), weighed());
    for word in 1..5 {
        let tag = Tag {
            bytes: 25,
            ..DROPPABLE
        };
        assert_eq!(send_now(&mailbox, word, tag, &bin), ATTENDED);
    }
    let tag = Tag {
        bytes: 60,
        ..DROPPABLE
    };
    assert_eq!(send_now(&mailbox, 5, tag, &bin), ATTENDED);
    assert_eq!(bin.empty(), [1, 2, 3]);
    assert_eq!(mailbox.metrics().bytes, 85);
    assert_eq!(drain(&mailbox, &bin), [0, 4, 5]);
}

#[test]
fn a_latest_fits_where_the_one_that_it_replaces_leaves_enough_bytes() {
    let (bin, mailbox) = (Bin::default(), weighed());
    let latest = |bytes| Tag { bytes, ..of_key(1) };
    assert_eq!(send_now(&mailbox, 1, latest(60), &bin), ATTENDED);
    assert_eq!(send_now(&mailbox, 2, of_bytes(30), &bin), ATTENDED);
    assert_eq!(send_now(&mailbox, 3, latest(70), &bin), ATTENDED);
    assert_eq!(
        send_now(&mailbox, 4, latest(71), &bin),
        Sent::Refused(Refused::Full)
    );
    assert_eq!(bin.empty(), [1]);
    assert_eq!(drain(&mailbox, &bin), [0, 2, 3]);
}

#[test]
fn without_a_bound_bytes_count_nothing() {
    let (bin, mailbox) = (Bin::default(), mailbox(2));
    for word in 0..2 {
        let sent = send_now(&mailbox, word, of_bytes(usize::MAX), &bin);
        assert!(matches!(sent, Sent::Accepted(_)));
    }
    let rejected = Tag {
        bytes: 1,
        ..Tag::plain(Overflow::Reject)
    };
    assert_eq!(
        send_now(&mailbox, 2, rejected, &bin),
        Sent::Refused(Refused::Full)
    );
    assert_eq!(mailbox.metrics().bytes, 0);
    assert_eq!(drain(&mailbox, &bin), [0, 1]);
}
