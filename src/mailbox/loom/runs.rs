//! Models of runs: inline ones, and those that leave something suspended behind.

use loom::thread;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::testing::Taker;
use super::{Model, Sent, bounded};
use crate::task::{End, Notify};

#[test]
fn loom_an_inline_run_has_the_actor_for_itself_and_follows_what_its_asker_has_sent() {
    bounded(|| {
        let model = Model::new(2);
        let asker = model.beside(|model| {
            assert_eq!(model.send(0), Sent::Accepted);
            let inline = model.handle_inline(|| {});
            assert!(inline.is_none_or(|handled| handled > 1), "it overtook");
        });
        let sender = model.beside(|model| assert_eq!(model.send(1), Sent::Accepted));
        model.handle_all(2);
        asker.join().unwrap();
        sender.join().unwrap();
        assert_eq!(model.mailbox.free_slots(), 2);
    });
}

#[test]
fn loom_what_is_sent_while_an_inline_handler_suspends_is_seen_after_its_wake() {
    bounded(|| {
        let model = Model::new(1);
        let asker = model.beside(|model| {
            let suspended = model.handle_inline(|| model.mailbox.attend());
            // Its waker, from elsewhere.
            if suspended.is_some() && model.state.notify() == Notify::Queue {
                model.bell.ring();
            }
        });
        let sender = model.beside(|model| assert_eq!(model.send(1), Sent::Accepted));
        model.handle_all(1);
        asker.join().unwrap();
        sender.join().unwrap();
    });
}

#[test]
fn loom_what_is_sent_while_a_handler_suspends_is_seen_after_its_wake() {
    bounded(|| {
        let model = Model::new(2);
        let sender = model.beside(|model| {
            assert_eq!(model.send(0), Sent::Accepted);
            assert_eq!(model.send(1), Sent::Accepted);
        });
        model.bell.wait();
        let _ = model.state.begin();
        let mut taker = Taker::new();
        assert!(taker.first(&model.mailbox, &model.bin).is_ok());
        model.handle();
        model.mailbox.attend();
        if model.state.end() == End::Again {
            model.bell.ring();
        }
        // Its waker, from elsewhere.
        let waker = model.beside(|model| {
            if model.state.notify() == Notify::Queue {
                model.bell.ring();
            }
        });
        let seen = AtomicUsize::new(0);
        while seen.load(Ordering::Relaxed) < 1 {
            model.bell.wait();
            let _ = model.state.begin();
            assert!(!model.consume_as(&mut taker, &seen));
            if model.state.end() == End::Again {
                model.bell.ring();
            }
        }
        sender.join().unwrap();
        waker.join().unwrap();
    });
}

#[test]
fn loom_the_drop_of_the_last_handle_ends_an_actor_that_runs_inline() {
    bounded(|| {
        let model = Model::new(1);
        let handles = Arc::new(loom::sync::atomic::AtomicUsize::new(2));
        let drop_handle = |model: &Model, handles: &loom::sync::atomic::AtomicUsize| {
            if handles.fetch_sub(1, loom::sync::atomic::Ordering::AcqRel) == 1 {
                let accepted = model.mailbox.close();
                model.note(accepted);
            }
        };
        let asker = {
            let (model, handles) = (Arc::clone(&model), Arc::clone(&handles));
            thread::spawn(move || {
                let _ = model.handle_inline(|| {});
                drop_handle(&model, &handles);
            })
        };
        let other = {
            let (model, handles) = (Arc::clone(&model), Arc::clone(&handles));
            thread::spawn(move || drop_handle(&model, &handles))
        };
        let seen = AtomicUsize::new(0);
        while !model.activate(&seen) {}
        asker.join().unwrap();
        other.join().unwrap();
    });
}
