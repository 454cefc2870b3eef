//! A capacity that changes while messages are in.

use super::super::testing::{Bin, PLAIN, Sender, Sent, Taker, drain, of_key, send_now, try_push};
use super::super::{Accepted, Refused};
use super::mailbox;
use std::task::{Poll, Waker};

#[test]
fn a_larger_capacity_lets_those_in_who_wait_as_many_as_fit() {
    let (bin, mailbox) = (Bin::default(), mailbox(1));
    assert!(try_push(&mailbox, 0).is_ok());
    let mut senders: Vec<_> = (1..60)
        .map(|word| Sender::new(&mailbox, &bin, word))
        .collect();
    for sender in &mut senders {
        assert_eq!(sender.start(PLAIN, Waker::noop()), Sent::Waiting);
    }
    assert_eq!(mailbox.set_capacity(51, &bin), Accepted::Attended);
    assert_eq!(mailbox.waiting(), 9);
    assert!(
        senders[..50]
            .iter()
            .all(|sender| sender.poll() == Poll::Ready(Ok(())))
    );
    assert!(senders[50].poll().is_pending());
    assert_eq!(drain(&mailbox, &bin), (0..60).collect::<Vec<_>>());
    assert_eq!((mailbox.capacity(), mailbox.free_slots()), (51, 51));
}

#[test]
fn a_smaller_capacity_lets_stand_what_is_in_and_takes_nothing_until_it_is_below() {
    let (bin, mailbox) = (Bin::default(), mailbox(10));
    for word in 0..8 {
        assert!(try_push(&mailbox, word).is_ok());
    }
    assert_eq!(mailbox.set_capacity(2, &bin), Accepted::Attended);
    assert_eq!((mailbox.free_slots(), mailbox.metrics().used), (0, 8));
    let mut sender = Sender::new(&mailbox, &bin, 8);
    assert_eq!(sender.start(PLAIN, Waker::noop()), Sent::Waiting);
    let mut taker = Taker::new();
    for word in 0..6 {
        assert_eq!(taker.next(&mailbox, &bin), Ok(word));
        assert!(sender.poll().is_pending());
    }
    assert_eq!(taker.next(&mailbox, &bin), Ok(6));
    assert_eq!(sender.poll(), Poll::Ready(Ok(())));
    assert_eq!(try_push(&mailbox, 9), Err(Refused::Full));
    assert_eq!(taker.next(&mailbox, &bin), Ok(7));
    assert_eq!(taker.next(&mailbox, &bin), Ok(8));
    assert_eq!(mailbox.free_slots(), 2);
}

#[test]
fn a_latest_replaces_also_where_more_is_in_than_fits() {
    let (bin, mailbox) = (Bin::default(), mailbox(10));
    for word in 0..8 {
        assert!(try_push(&mailbox, word).is_ok());
    }
    let attended = Sent::Accepted(Accepted::Attended);
    assert_eq!(send_now(&mailbox, 8, of_key(1), &bin), attended);
    let _ = mailbox.set_capacity(2, &bin);
    assert_eq!(send_now(&mailbox, 9, of_key(1), &bin), attended);
    assert_eq!(bin.empty(), [8]);
    assert_eq!(mailbox.metrics().used, 9);
    assert_eq!(drain(&mailbox, &bin).last(), Some(&9));
}
