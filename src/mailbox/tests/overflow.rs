//! What becomes of messages that do not fit.

use super::super::testing::{
    Bin, DROPPABLE, PLAIN, Sender, Sent, Taker, drain, mail, of_key, send_now, try_push,
};
use super::super::{Accepted, Lane, Overflow, Phase, Refused, Tag};
use super::mailbox;
use std::task::{Poll, Waker};

const ATTENDED: Sent = Sent::Accepted(Accepted::Attended);

#[test]
fn a_message_that_rejects_is_handed_back_and_its_sender_never_waits() {
    let (bin, mailbox) = (Bin::default(), mailbox(1));
    assert!(try_push(&mailbox, 0).is_ok());
    let mut sender = Sender::new(&mailbox, &bin, 1);
    let sent = sender.start(Tag::plain(Overflow::Reject), Waker::noop());
    assert_eq!(sent, Sent::Refused(Refused::Full));
    assert_eq!(drain(&mailbox, &bin), [0]);
    assert_eq!(mailbox.metrics().dropped, 0);
}

#[test]
fn of_messages_that_drop_the_newest_the_first_ones_stay() {
    let (bin, mailbox) = (Bin::default(), mailbox(3));
    let newest = Tag::plain(Overflow::DropNewest);
    let sent: Vec<_> = (0..8)
        .map(|word| send_now(&mailbox, word, newest, &bin))
        .collect();
    assert!(sent[3..].iter().all(|sent| *sent == Sent::Dropped));
    // The sender has them.
    assert!(bin.empty().is_empty());
    assert_eq!(mailbox.metrics().dropped, 5);
    assert_eq!(drain(&mailbox, &bin), [0, 1, 2]);
}

#[test]
fn of_messages_that_drop_the_oldest_the_last_ones_stay() {
    let (bin, mailbox) = (Bin::default(), mailbox(3));
    for word in 0..8 {
        assert!(matches!(
            send_now(&mailbox, word, DROPPABLE, &bin),
            Sent::Accepted(_)
        ));
    }
    assert_eq!(bin.empty(), [0, 1, 2, 3, 4]);
    assert_eq!(mailbox.metrics().dropped, 5);
    assert_eq!(drain(&mailbox, &bin), [5, 6, 7]);
    assert_eq!(mailbox.free_slots(), 3);
}

#[test]
fn what_may_not_be_dropped_is_not_and_then_the_newcomer_goes() {
    let (bin, mailbox) = (Bin::default(), mailbox(4));
    // SAFETY: a word is `Copy`, so both may keep it.
    let noticed = unsafe { mailbox.push_notice(mail(&mut 50, PLAIN).envelope) };
    assert_eq!(noticed, Ok(Accepted::Notify));
    for (word, tag) in [
        (0, PLAIN),
        (1, of_key(1)),
        (2, Tag::plain(Overflow::Reject)),
    ] {
        assert_eq!(send_now(&mailbox, word, tag, &bin), ATTENDED);
    }
    assert_eq!(send_now(&mailbox, 3, DROPPABLE, &bin), ATTENDED);
    assert_eq!(send_now(&mailbox, 4, DROPPABLE, &bin), ATTENDED);
    assert_eq!(bin.empty(), [3]);
    let mut taker = Taker::new();
    assert_eq!(taker.next(&mailbox, &bin), Ok(50));
    assert_eq!(taker.next(&mailbox, &bin), Ok(0));
    assert!(try_push(&mailbox, 5).is_ok());
    for word in [1, 2, 4, 5] {
        assert_eq!(taker.next(&mailbox, &bin), Ok(word));
    }
    for word in 0..4 {
        assert!(try_push(&mailbox, word).is_ok());
    }
    assert_eq!(send_now(&mailbox, 9, DROPPABLE, &bin), Sent::Dropped);
    assert_eq!(drain(&mailbox, &bin), [0, 1, 2, 3]);
}

#[test]
fn the_oldest_is_the_oldest_of_all_lanes() {
    let (bin, mailbox) = (Bin::default(), mailbox(3));
    for (word, lane) in [(0, Lane::Background), (1, Lane::Urgent), (2, Lane::Normal)] {
        let sent = send_now(&mailbox, word, Tag { lane, ..DROPPABLE }, &bin);
        assert!(matches!(sent, Sent::Accepted(_)));
    }
    for (word, gone) in [(3, 0), (4, 1), (5, 2), (6, 3)] {
        assert_eq!(send_now(&mailbox, word, DROPPABLE, &bin), ATTENDED);
        assert_eq!(bin.empty(), [gone]);
    }
}

#[test]
fn what_is_dropped_makes_room_for_those_who_wait_first() {
    let (bin, mailbox) = (Bin::default(), mailbox(3));
    for word in 0..3 {
        assert!(matches!(
            send_now(&mailbox, word, DROPPABLE, &bin),
            Sent::Accepted(_)
        ));
    }
    let mut waiting = Sender::new(&mailbox, &bin, 10);
    assert_eq!(waiting.start(PLAIN, Waker::noop()), Sent::Waiting);
    assert_eq!(send_now(&mailbox, 3, DROPPABLE, &bin), ATTENDED);
    assert_eq!(bin.empty(), [0, 1]);
    assert_eq!(waiting.poll(), Poll::Ready(Ok(())));
    assert_eq!(drain(&mailbox, &bin), [2, 10, 3]);
}

#[test]
fn a_newcomer_that_drops_more_than_one_round_wakes_gets_in_all_the_same() {
    let (bin, mailbox) = (Bin::default(), mailbox(60));
    for word in 0..60 {
        let sent = send_now(&mailbox, word, DROPPABLE, &bin);
        assert!(matches!(sent, Sent::Accepted(_)));
    }
    let mut waiting: Vec<_> = (100..150)
        .map(|word| Sender::new(&mailbox, &bin, word))
        .collect();
    for sender in &mut waiting {
        assert_eq!(sender.start(PLAIN, Waker::noop()), Sent::Waiting);
    }
    assert_eq!(send_now(&mailbox, 60, DROPPABLE, &bin), ATTENDED);
    assert_eq!(bin.empty(), (0..51).collect::<Vec<_>>());
    let expected: Vec<_> = (51..60).chain(100..150).chain([60]).collect();
    assert_eq!(drain(&mailbox, &bin), expected);
}

#[test]
fn the_latest_of_a_key_replaces_the_one_before_it_and_takes_its_turn_at_the_end() {
    let (bin, mailbox) = (Bin::default(), mailbox(3));
    assert!(matches!(
        send_now(&mailbox, 0, of_key(1), &bin),
        Sent::Accepted(_)
    ));
    assert!(try_push(&mailbox, 1).is_ok());
    assert_eq!(send_now(&mailbox, 2, of_key(2), &bin), ATTENDED);
    for word in 3..10 {
        assert_eq!(send_now(&mailbox, word, of_key(1), &bin), ATTENDED);
    }
    assert_eq!(bin.empty(), [0, 3, 4, 5, 6, 7, 8]);
    assert_eq!(mailbox.metrics().dropped, 7);
    assert_eq!(
        send_now(&mailbox, 10, of_key(3), &bin),
        Sent::Refused(Refused::Full)
    );
    assert_eq!(drain(&mailbox, &bin), [1, 2, 9]);
    assert_eq!(mailbox.free_slots(), 3);
}

#[test]
fn the_latest_of_a_new_key_waits_for_a_slot_and_replaces_what_came_in_meanwhile() {
    let (bin, mailbox) = (Bin::default(), mailbox(1));
    assert!(try_push(&mailbox, 0).is_ok());
    let mut senders: Vec<_> = (1..4)
        .map(|word| Sender::new(&mailbox, &bin, word))
        .collect();
    for sender in &mut senders {
        assert_eq!(sender.start(of_key(7), Waker::noop()), Sent::Waiting);
    }
    let mut taker = Taker::new();
    assert_eq!(taker.next(&mailbox, &bin), Ok(0));
    assert!(
        senders
            .iter()
            .all(|sender| sender.poll() == Poll::Ready(Ok(())))
    );
    assert_eq!(bin.empty(), [1, 2]);
    assert_eq!(taker.next(&mailbox, &bin), Ok(3));
    assert_eq!(mailbox.free_slots(), 1);
}

#[test]
fn a_latest_does_not_overtake_one_that_waits() {
    let (bin, mailbox) = (Bin::default(), mailbox(1));
    assert!(matches!(
        send_now(&mailbox, 0, of_key(1), &bin),
        Sent::Accepted(_)
    ));
    let mut first = Sender::new(&mailbox, &bin, 1);
    let mut second = Sender::new(&mailbox, &bin, 2);
    assert_eq!(first.start(PLAIN, Waker::noop()), Sent::Waiting);
    assert_eq!(second.start(of_key(1), Waker::noop()), Sent::Waiting);
    // Once it stands first, it needs no more than the one that it replaces leaves.
    assert_eq!(first.withdraw(), (Phase::Waiting, Accepted::Attended));
    assert_eq!(second.poll(), Poll::Ready(Ok(())));
    assert_eq!(bin.empty(), [0]);
    assert_eq!(drain(&mailbox, &bin), [2]);
}
