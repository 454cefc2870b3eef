use loom::future::block_on;
use loom::thread;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Poll, Waker};

use super::{Answer, GivenUp, Turn, channel, limited};

struct Said(Option<Arc<()>>);

impl Answer for Said {
    fn orphaned() -> Self {
        Self(None)
    }
}

#[test]
fn loom_an_answer_reaches_whoever_waits() {
    loom::model(|| {
        let (end, mut receiver) = channel::<Said>();
        // SAFETY: the slot is of `Said`.
        let sender = thread::spawn(move || unsafe { end.send(Said(Some(Arc::new(())))) }.is_none());
        // SAFETY: as above.
        let said = block_on(poll_fn(|cx| unsafe { receiver.poll::<Said>(cx.waker()) }));
        assert!(said.0.is_some());
        assert!(sender.join().unwrap());
    });
}

#[test]
fn loom_an_answer_is_dropped_once_whoever_goes_first() {
    loom::model(|| {
        let (end, mut receiver) = channel::<Said>();
        let word = Arc::new(());
        let sent = Said(Some(Arc::clone(&word)));
        // SAFETY: the slot is of `Said`.
        let sender = thread::spawn(move || drop(unsafe { end.send(sent) }));
        // SAFETY: as above.
        if let Poll::Ready(said) = unsafe { receiver.poll::<Said>(Waker::noop()) } {
            assert!(said.0.is_some());
        }
        drop(receiver);
        sender.join().unwrap();
        assert_eq!(Arc::strong_count(&word), 1);
    });
}

/// Counts its wakes.
#[derive(Default)]
struct Bell(std::sync::atomic::AtomicUsize);

impl std::task::Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }
}

impl Bell {
    fn rung(&self) -> bool {
        self.0.load(std::sync::atomic::Ordering::Relaxed) > 0
    }
}

#[test]
fn loom_who_watches_hears_of_a_receiver_that_leaves() {
    loom::model(|| {
        let (mut end, receiver) = channel::<Said>();
        let asker = thread::spawn(move || drop(receiver));
        let bells = [Arc::new(Bell::default()), Arc::new(Bell::default())];
        let gone = bells.each_ref().map(|bell| {
            let watch = end.watch(Waker::from(Arc::clone(bell)));
            watch.woken.into_iter().for_each(Waker::wake);
            watch.is_gone
        });
        asker.join().unwrap();
        for (bell, is_gone) in bells.iter().zip(gone) {
            assert!(is_gone || bell.rung(), "nobody told a watcher");
        }
        drop(end);
    });
}

#[test]
fn loom_an_answer_is_read_or_its_asker_was_seen_to_leave() {
    loom::model(|| {
        let (mut end, mut receiver) = channel::<Said>();
        let word = Arc::new(());
        let sent = Said(Some(Arc::clone(&word)));
        let sender = thread::spawn(move || {
            let bell = Arc::new(Bell::default());
            drop(end.watch(Waker::from(Arc::clone(&bell))));
            // SAFETY: the slot is of `Said`.
            unsafe { end.send(sent) }.is_some()
        });
        // SAFETY: as above.
        let read = unsafe { receiver.poll::<Said>(Waker::noop()) }.is_ready();
        drop(receiver);
        let unread = sender.join().unwrap();
        assert!(!(read && unread));
        assert_eq!(Arc::strong_count(&word), 1);
    });
}

#[test]
fn loom_an_ask_that_is_said_not_to_run_does_not_run() {
    loom::model(|| {
        let (end, receiver) = limited::<Said>(None, None);
        let consumer = thread::spawn(move || {
            let runs = matches!(end.turn(), Turn::Run(_));
            if runs {
                // SAFETY: the slot is of `Said`.
                drop(unsafe { end.send(Said(Some(Arc::new(())))) });
            }
            runs
        });
        // SAFETY: as above.
        let given_up = unsafe { receiver.give_up::<Said>() };
        let runs = consumer.join().unwrap();
        match given_up {
            GivenUp::Unstarted => assert!(!runs),
            GivenUp::Started | GivenUp::Answered(_) => assert!(runs),
        }
    });
}

#[test]
fn loom_a_late_answer_does_not_reach_the_asker_of_a_slot_that_is_used_again() {
    loom::model(|| {
        let (late, first) = channel::<Said>();
        let word = Arc::new(());
        let sent = Said(Some(Arc::clone(&word)));
        // SAFETY: the slot is of `Said`, as are all of this model.
        let sender = thread::spawn(move || drop(unsafe { late.send(sent) }));
        drop(first);
        // Perhaps in the memory of the first.
        let (end, mut second) = channel::<Said>();
        // SAFETY: as above.
        assert!(unsafe { second.poll::<Said>(Waker::noop()) }.is_pending());
        // SAFETY: as above.
        assert!(unsafe { end.send(Said(None)) }.is_none());
        // SAFETY: as above.
        let said = block_on(poll_fn(|cx| unsafe { second.poll::<Said>(cx.waker()) }));
        assert!(said.0.is_none());
        sender.join().unwrap();
        assert_eq!(Arc::strong_count(&word), 1);
    });
}

#[test]
fn loom_an_end_that_is_passed_on_answers_whoever_waits_by_then() {
    loom::model(|| {
        let (end, mut receiver) = channel::<Said>();
        let sender = thread::spawn(move || {
            end.pass_on();
            // SAFETY: the slot is of `Said`.
            unsafe { end.send(Said(Some(Arc::new(())))) }.is_none()
        });
        // SAFETY: as above.
        let said = block_on(poll_fn(|cx| unsafe { receiver.poll::<Said>(cx.waker()) }));
        assert!(said.0.is_some());
        assert!(sender.join().unwrap());
    });
}
