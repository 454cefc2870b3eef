//! Which lane has its turn.

use super::super::testing::{
    Bin, PLAIN, Sender, Sent, Taker, drain, in_lane, mail, send_now, try_push,
};
use super::super::{Accepted, Lane, Mailbox};
use super::mailbox;
use crate::limits::{BACKGROUND_MESSAGES, URGENT_IN_A_ROW};
use std::task::Waker;

fn send(mailbox: &Mailbox, bin: &Bin, lane: Lane, words: std::ops::Range<usize>) {
    for word in words {
        let sent = send_now(mailbox, word, in_lane(lane), bin);
        assert!(matches!(sent, Sent::Accepted(_)));
    }
}

#[test]
fn urgent_comes_first_and_background_last_each_lane_in_its_order() {
    let (bin, mailbox) = (Bin::default(), mailbox(100));
    send(&mailbox, &bin, Lane::Background, 20..23);
    send(&mailbox, &bin, Lane::Normal, 10..13);
    send(&mailbox, &bin, Lane::Urgent, 0..3);
    assert_eq!(drain(&mailbox, &bin), [0, 1, 2, 10, 11, 12, 20, 21, 22]);
    assert_eq!(mailbox.free_slots(), 100);
}

#[test]
fn an_urgent_message_overtakes_the_rest_of_a_batch_that_was_taken_out_before() {
    let (bin, mailbox) = (Bin::default(), mailbox(100));
    send(&mailbox, &bin, Lane::Normal, 10..14);
    let mut taker = Taker::new();
    assert_eq!(taker.next(&mailbox, &bin), Ok(10));
    send(&mailbox, &bin, Lane::Urgent, 0..1);
    send(&mailbox, &bin, Lane::Normal, 14..15);
    for word in [0, 11, 12, 13, 14] {
        assert_eq!(taker.next(&mailbox, &bin), Ok(word));
    }
    assert_eq!(mailbox.free_slots(), 100);
}

#[test]
fn a_flood_of_urgent_messages_leaves_a_ninth_to_the_others() {
    let (bin, mailbox) = (Bin::default(), mailbox(1000));
    send(&mailbox, &bin, Lane::Normal, 500..510);
    send(&mailbox, &bin, Lane::Urgent, 0..200);
    let words = drain(&mailbox, &bin);
    let run = URGENT_IN_A_ROW as usize;
    for normal in 0..10 {
        assert_eq!(words[run + normal * (run + 1)], 500 + normal);
    }
    assert!(words[10 * (run + 1)..].is_sorted());
}

#[test]
fn background_messages_get_one_in_sixty_one_however_much_else_there_is() {
    for lane in [Lane::Urgent, Lane::Normal] {
        let (bin, mailbox) = (Bin::default(), mailbox(1000));
        send(&mailbox, &bin, Lane::Background, 900..903);
        send(&mailbox, &bin, lane, 0..500);
        let words = drain(&mailbox, &bin);
        let at = |word| words.iter().position(|other| *other == word).unwrap();
        let mut before = 0;
        for word in 900..903 {
            assert!(
                at(word) - before < BACKGROUND_MESSAGES as usize,
                "{words:?}"
            );
            before = at(word) + 1;
        }
        assert_eq!(words.len(), 503);
    }
}

#[test]
fn no_lane_starves_when_all_three_are_flooded() {
    let (bin, mailbox) = (Bin::default(), mailbox(3000));
    send(&mailbox, &bin, Lane::Urgent, 0..1000);
    send(&mailbox, &bin, Lane::Normal, 1000..2000);
    send(&mailbox, &bin, Lane::Background, 2000..3000);
    let words = drain(&mailbox, &bin);
    let round = BACKGROUND_MESSAGES as usize;
    for some in words[..900].windows(round) {
        assert!(some.iter().any(|word| *word >= 2000));
    }
    for some in words[..900].windows(2 * (URGENT_IN_A_ROW as usize + 1)) {
        assert!(some.iter().any(|word| (1000..2000).contains(word)));
    }
    for lane in 0..3 {
        let of_lane = words.iter().filter(|word| **word / 1000 == lane);
        assert!(of_lane.is_sorted());
    }
}

#[test]
fn a_plain_message_does_not_overtake_one_of_its_lane_that_lies_in_the_annex() {
    let (bin, mailbox) = (Bin::default(), mailbox(10));
    assert!(try_push(&mailbox, 0).is_ok());
    // SAFETY: a word is `Copy`, so both may keep it.
    let noticed = unsafe { mailbox.push_notice(mail(&mut 1, PLAIN).envelope) };
    assert_eq!(noticed, Ok(Accepted::Attended));
    assert!(try_push(&mailbox, 2).is_ok());
    let mut taker = Taker::new();
    assert_eq!(taker.next(&mailbox, &bin), Ok(0));
    assert!(try_push(&mailbox, 3).is_ok());
    for word in 1..4 {
        assert_eq!(taker.next(&mailbox, &bin), Ok(word));
        assert!(try_push(&mailbox, word + 3).is_ok());
    }
    for word in 4..7 {
        assert_eq!(taker.next(&mailbox, &bin), Ok(word));
    }
    assert_eq!(mailbox.free_slots(), 10);
}

#[test]
fn who_waits_is_granted_its_slot_by_a_message_of_any_lane_and_goes_to_its_own() {
    for lane in [Lane::Urgent, Lane::Normal, Lane::Background] {
        let (bin, mailbox) = (Bin::default(), mailbox(2));
        send(&mailbox, &bin, lane, 0..1);
        send(&mailbox, &bin, Lane::Normal, 1..2);
        let mut senders: Vec<_> = (2..5)
            .map(|word| Sender::new(&mailbox, &bin, word))
            .collect();
        let lanes = [Lane::Background, Lane::Normal, Lane::Urgent];
        for (sender, lane) in senders.iter_mut().zip(lanes) {
            assert_eq!(sender.start(in_lane(lane), Waker::noop()), Sent::Waiting);
        }
        let words = drain(&mailbox, &bin);
        assert_eq!(words.last(), Some(&2), "{words:?}");
        assert_eq!(words.len(), 5);
        assert_eq!((mailbox.free_slots(), mailbox.waiting()), (2, 0));
    }
}

#[test]
fn what_is_returned_comes_before_all_lanes_in_its_order_and_holds_no_slot() {
    let (bin, mailbox) = (Bin::default(), mailbox(10));
    // SAFETY: a word is `Copy`, so both may keep it.
    let give = |mut word| unsafe { mailbox.push_returned(mail(&mut word, PLAIN).envelope) };
    send(&mailbox, &bin, Lane::Normal, 10..13);
    let mut taker = Taker::new();
    assert_eq!(taker.next(&mailbox, &bin), Ok(10));
    send(&mailbox, &bin, Lane::Background, 20..21);
    send(&mailbox, &bin, Lane::Urgent, 5..6);
    assert_eq!(give(1), Accepted::Attended);
    assert_eq!(give(2), Accepted::Attended);
    assert_eq!(mailbox.free_slots(), 6);
    let _ = mailbox.close();
    assert_eq!(give(3), Accepted::Attended);
    for word in [1, 2, 3, 5, 11, 12, 20] {
        assert_eq!(taker.next(&mailbox, &bin), Ok(word));
    }
    assert_eq!(mailbox.free_slots(), 10);
}

#[test]
fn what_is_returned_to_an_unattended_mailbox_notifies() {
    let (bin, mailbox) = (Bin::default(), mailbox(10));
    // SAFETY: a word is `Copy`, so both may keep it.
    let give = |mut word| unsafe { mailbox.push_returned(mail(&mut word, PLAIN).envelope) };
    assert_eq!(give(1), Accepted::Notify);
    assert!(!mailbox.is_quiet());
    assert_eq!(drain(&mailbox, &bin), [1]);
    mailbox.watch();
    assert!(!mailbox.is_quiet());
    assert!(mailbox.is_quiet_and_watched());
    assert_eq!(give(2), Accepted::Notify);
    assert!(!mailbox.is_quiet_and_watched());
}
