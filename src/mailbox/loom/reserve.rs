//! Models with slots that are held without a message.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Poll, Waker};

use super::super::testing::{PLAIN, Sender, Sent, Taker};
use super::super::{Next, Refused};
use super::{Model, bounded};

#[test]
fn loom_a_reservation_given_up_wakes_who_waits_behind_it_and_the_actor() {
    bounded(|| {
        let model = Model::new(1);
        let holder = model.beside(|model| {
            if model.reserve_or_withdraw(1) {
                model.give_back(1);
            }
        });
        let sender = model.beside(|model| assert_eq!(model.send(1), super::Sent::Accepted));
        model.handle_all(1);
        holder.join().unwrap();
        sender.join().unwrap();
        model.assert_at_rest(1);
    });
}

#[test]
fn loom_a_close_ends_an_actor_whose_slots_are_reserved() {
    bounded(|| {
        let model = Model::new(2);
        let holder = model.beside(|model| {
            let mut holder = Sender::new(&model.mailbox, &model.bin, 0);
            let held = holder.reserve(2, Waker::noop());
            assert!(held.is_ready(), "nobody else wants a slot");
            if held == Poll::Ready(Ok(())) {
                model.give_back(2);
            }
        });
        let closer = model.beside(|model| {
            let accepted = model.mailbox.close();
            model.note(accepted);
        });
        let seen = AtomicUsize::new(0);
        while !model.activate(&seen) {}
        holder.join().unwrap();
        closer.join().unwrap();
        assert_eq!(model.mailbox.free_slots(), 2);
        assert_eq!(
            Taker::new().next(&model.mailbox, &model.bin),
            Err(Next::Closed)
        );
    });
}

#[test]
fn loom_who_joins_the_line_between_two_rounds_notifies_for_those_whom_it_lets_in() {
    bounded(|| {
        let model = Model::new(2);
        let mut holder = Sender::new(&model.mailbox, &model.bin, 0);
        assert_eq!(holder.reserve(2, Waker::noop()), Poll::Ready(Ok(())));
        // One round wakes one of them.
        let mut first = Sender::new(&model.mailbox, &model.bin, 0);
        assert_eq!(first.reserve(1, Waker::noop()), Poll::Pending);
        let mut second = Sender::new(&model.mailbox, &model.bin, 1);
        assert_eq!(second.start(PLAIN, Waker::noop()), Sent::Waiting);
        let giver = model.beside(|model| model.give_back(2));
        let joiner = model.beside(|model| {
            if model.reserve_or_withdraw(1) {
                model.give_back(1);
            }
        });
        // Hangs, which the checker reports, if the message came in unseen.
        model.handle_all(1);
        giver.join().unwrap();
        joiner.join().unwrap();
        model.give_back(1);
        drop((first, second));
        model.assert_at_rest(2);
    });
}

#[test]
fn loom_an_inline_run_does_not_overtake_its_askers_send_that_waits_behind_a_reservation() {
    bounded(|| {
        let model = Model::new(1);
        assert!(model.reserve_or_withdraw(1));
        let giver = model.beside(|model| model.give_back(1));
        let asker = model.beside(|model| {
            let mut sender = Sender::new(&model.mailbox, &model.bin, 0);
            if let Sent::Accepted(accepted) = sender.start(PLAIN, Waker::noop()) {
                model.note(accepted);
            }
            model.note_others(&sender);
            let inline = model.handle_inline(|| {});
            assert!(inline.is_none_or(|handled| handled > 1), "it overtook");
            // Let in, whoever polls.
            let granted = std::future::poll_fn(|cx| sender.poll_with(cx.waker()));
            if model.mailbox.waiting() > 0 {
                assert_eq!(loom::future::block_on(granted), Ok::<(), Refused>(()));
            }
        });
        model.handle_all(1);
        giver.join().unwrap();
        asker.join().unwrap();
        model.assert_at_rest(1);
    });
}

#[test]
fn loom_reservations_withdrawn_at_once_with_a_close_leave_every_slot_free() {
    bounded(|| {
        let model = Model::new(2);
        assert!(model.reserve_or_withdraw(1));
        let holders = [2, 1].map(|slots| {
            let model = Arc::clone(&model);
            loom::thread::spawn(move || {
                if model.reserve_or_withdraw(slots) {
                    model.give_back(slots);
                }
            })
        });
        let accepted = model.mailbox.close();
        model.note(accepted);
        model.give_back(1);
        let seen = AtomicUsize::new(0);
        while !model.activate(&seen) {}
        holders.map(|holder| holder.join().unwrap());
        assert_eq!(seen.load(Ordering::Relaxed), 0);
        model.assert_at_rest(2);
    });
}
