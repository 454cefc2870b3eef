//! Models with lanes, drops and a capacity that changes.

use loom::thread;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::Lane;
use super::super::testing::{DROPPABLE, Taker, in_lane, of_key};
use super::{Model, Sent, bounded, bounded_by};

#[test]
fn loom_an_urgent_send_and_a_normal_one_are_both_handled_and_slots_come_back() {
    bounded(|| {
        let model = Model::new(1);
        let senders: Vec<_> = [Lane::Urgent, Lane::Normal]
            .into_iter()
            .map(|lane| {
                let model = Arc::clone(&model);
                thread::spawn(move || assert_eq!(model.send_as(0, in_lane(lane)), Sent::Accepted))
            })
            .collect();
        model.handle_all(2);
        for sender in senders {
            sender.join().unwrap();
        }
        model.assert_at_rest(1);
    });
}

#[test]
fn loom_an_urgent_message_comes_before_the_rest_of_a_batch_once_it_is_known() {
    bounded(|| {
        let model = Model::new(3);
        for word in 0..2 {
            assert_eq!(model.send(word), Sent::Accepted);
        }
        let sender = model.beside(|model| {
            assert_eq!(model.send_as(9, in_lane(Lane::Urgent)), Sent::Accepted);
        });
        let mut taker = Taker::new();
        let mut words = Vec::new();
        words.extend(taker.next(&model.mailbox, &model.bin));
        sender.join().unwrap();
        words.extend(taker.next(&model.mailbox, &model.bin));
        words.extend(taker.next(&model.mailbox, &model.bin));
        assert!(words == [0, 9, 1] || words == [9, 0, 1], "{words:?}");
    });
}

#[test]
fn loom_a_larger_capacity_or_a_freed_slot_lets_in_who_waits() {
    bounded(|| {
        let model = Model::new(1);
        assert_eq!(model.send(0), Sent::Accepted);
        let sender = model.beside(|model| model.send_or_withdraw(1));
        let resizer = model.beside(|model| {
            let accepted = model.mailbox.set_capacity(2, &model.bin);
            model.note(accepted);
        });
        let seen = AtomicUsize::new(0);
        model.activate(&seen);
        resizer.join().unwrap();
        let accepted = 1 + usize::from(sender.join().unwrap() == Sent::Accepted);
        while seen.load(Ordering::Relaxed) < accepted {
            model.activate(&seen);
        }
        model.assert_at_rest(2);
    });
}

#[test]
fn loom_a_smaller_capacity_strands_nobody() {
    bounded(|| {
        let model = Model::new(2);
        assert_eq!(model.send(0), Sent::Accepted);
        let sender = model.beside(|model| assert_eq!(model.send(1), Sent::Accepted));
        let resizer = model.beside(|model| {
            let accepted = model.mailbox.set_capacity(1, &model.bin);
            model.note(accepted);
        });
        model.handle_all(2);
        resizer.join().unwrap();
        sender.join().unwrap();
        assert_eq!(model.mailbox.free_slots(), 1);
    });
}

#[test]
fn loom_what_is_dropped_is_dropped_once_and_all_else_is_handled() {
    bounded(|| {
        let model = Model::new(1);
        let droppers: Vec<_> = (0..2)
            .map(|word| {
                let model = Arc::clone(&model);
                thread::spawn(move || model.send_or_withdraw_as(word, DROPPABLE))
            })
            .collect();
        let seen = AtomicUsize::new(0);
        model.activate(&seen);
        let sent = droppers.into_iter().map(|dropper| dropper.join().unwrap());
        let accepted = sent.filter(|sent| *sent == Sent::Accepted).count();
        let dropped = model.bin.empty().len();
        while seen.load(Ordering::Relaxed) + dropped < accepted {
            model.activate(&seen);
        }
        assert_eq!(seen.load(Ordering::Relaxed) + dropped, accepted);
        assert_eq!(model.mailbox.free_slots(), 1);
    });
}

#[test]
fn loom_a_latest_that_waits_is_let_in_or_withdrawn_and_replaces_what_is_left() {
    bounded(|| {
        let model = Model::new(1);
        assert_eq!(model.send_as(0, of_key(1)), Sent::Accepted);
        let sender = model.beside(|model| model.send_or_withdraw_as(1, of_key(2)));
        let replacer = model.beside(|model| model.send_or_withdraw_as(2, of_key(1)));
        let seen = AtomicUsize::new(0);
        model.activate(&seen);
        let both = [sender.join().unwrap(), replacer.join().unwrap()];
        let accepted = 1 + both.iter().filter(|sent| **sent == Sent::Accepted).count();
        let dropped = model.bin.empty().len();
        while seen.load(Ordering::Relaxed) + dropped < accepted {
            model.activate(&seen);
        }
        assert_eq!(seen.load(Ordering::Relaxed) + dropped, accepted);
        assert_eq!(model.mailbox.free_slots(), 1);
    });
}

#[test]
fn loom_a_send_a_withdrawal_and_a_close_at_once_leave_every_message_with_one_fate() {
    for capacity in [1, 2] {
        // Three preemptions take minutes.
        bounded_by(2, move || {
            let model = Model::new(capacity);
            assert_eq!(model.send(0), Sent::Accepted);
            let sender = {
                let model = Arc::clone(&model);
                thread::spawn(move || model.send(1))
            };
            let other = {
                let model = Arc::clone(&model);
                thread::spawn(move || {
                    let sent = model.send_or_withdraw(2);
                    let accepted = model.mailbox.close();
                    model.note(accepted);
                    sent
                })
            };
            let seen = AtomicUsize::new(0);
            while !model.activate(&seen) {}
            let both = [sender.join().unwrap(), other.join().unwrap()];
            let accepted = both.iter().filter(|sent| **sent == Sent::Accepted).count();
            assert_eq!(seen.load(Ordering::Relaxed), 1 + accepted);
            assert_eq!(model.mailbox.free_slots(), capacity);
            assert_eq!(model.mailbox.waiting(), 0);
        });
    }
}
