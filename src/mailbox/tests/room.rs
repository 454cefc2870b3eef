//! Who comes in, and who goes, where there is too little room.

use std::task::Waker;

use super::super::testing::{
    Bin, DROPPABLE, Sender, Sent, WORD, drain, of_bytes, of_key, send_now,
};
use super::super::{Mailbox, Tag};

fn with_ten_droppables(bin: &Bin, bytes: usize) -> Mailbox {
    let mailbox = Mailbox::new(64, Some(10), WORD);
    let first = send_now(&mailbox, 1, of_bytes(bytes), bin);
    assert!(matches!(first, Sent::Accepted(_)));
    for word in 100..110 {
        let sent = send_now(&mailbox, word, DROPPABLE, bin);
        assert!(matches!(sent, Sent::Accepted(_)));
    }
    mailbox
}

#[test]
fn nothing_is_dropped_that_makes_no_room_for_who_waits() {
    let bin = Bin::default();
    let mailbox = with_ten_droppables(&bin, 10);
    let mut waits = Sender::new(&mailbox, &bin, 2);
    assert_eq!(waits.start(of_bytes(10), Waker::noop()), Sent::Waiting);
    assert_eq!(send_now(&mailbox, 110, DROPPABLE, &bin), Sent::Dropped);
    assert!(bin.empty().is_empty());
    drop(waits);
    drain(&mailbox, &bin);
}

#[test]
fn nothing_is_dropped_that_makes_no_room_for_a_newcomer() {
    let bin = Bin::default();
    let mailbox = with_ten_droppables(&bin, 9);
    let heavy = Tag {
        bytes: 5,
        ..DROPPABLE
    };
    assert_eq!(send_now(&mailbox, 110, heavy, &bin), Sent::Dropped);
    assert!(bin.empty().is_empty());
    drain(&mailbox, &bin);
}

#[test]
fn all_who_wait_come_in_for_a_dropped_message_that_leaves_room_for_all() {
    let bin = Bin::default();
    let mailbox = Mailbox::new(64, Some(100), WORD);
    let droppable = |bytes| Tag { bytes, ..DROPPABLE };
    let first = send_now(&mailbox, 1, droppable(100), &bin);
    assert!(matches!(first, Sent::Accepted(_)));
    let mut waiting: Vec<_> = (10..30)
        .map(|word| Sender::new(&mailbox, &bin, word))
        .collect();
    for sender in &mut waiting {
        assert_eq!(sender.start(of_bytes(1), Waker::noop()), Sent::Waiting);
    }
    let last = send_now(&mailbox, 2, droppable(1), &bin);
    assert!(matches!(last, Sent::Accepted(_)));
    assert_eq!((mailbox.waiting(), bin.empty().len()), (0, 1));
    drop(waiting);
    drain(&mailbox, &bin);
}

#[test]
fn a_burst_of_keys_leaves_no_memory_behind() {
    let bin = Bin::default();
    let mailbox = Mailbox::new(1 << 12, None, WORD);
    for word in 0..1 << 12 {
        let key = (word as u128).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let sent = send_now(&mailbox, word, of_key(key), &bin);
        assert!(matches!(sent, Sent::Accepted(_)));
    }
    drain(&mailbox, &bin);
    let inner = mailbox.inner.lock();
    let annex = inner.annex.as_ref().expect("keys are kept there");
    assert!(annex.keys_capacity() < 1 << 8);
}
