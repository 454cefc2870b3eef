use loom::future::block_on;
use loom::thread;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Poll, Waker};

use super::{Answer, GivenUp, Junction, ReplyEnd, Turn, Watch, WatchKey, Way, channel, limited};

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
            let watch = end.watch(&mut WatchKey::default(), Waker::from(Arc::clone(bell)));
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
            drop(end.watch(&mut WatchKey::default(), Waker::from(Arc::clone(&bell))));
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

/// A way back that says what comes on it.
struct Road(ReplyEnd);

impl Way for Road {
    fn watch(&mut self, key: &mut WatchKey, waker: Waker) -> Watch {
        self.0.watch(key, waker)
    }

    fn unwatch(&mut self, key: &WatchKey) -> Watch {
        self.0.unwatch(key)
    }

    fn is_left(&self) -> bool {
        self.0.is_left()
    }

    fn hold(&self, holder: Option<u64>) {
        self.0.hold(holder);
    }
}

impl Road {
    fn post(self, said: Said) -> Option<Said> {
        // SAFETY: the slot is of `Said`, as are all of these models.
        unsafe { self.0.send(said) }
    }
}

#[test]
fn loom_a_late_answer_and_its_way_back_meet_whichever_comes_first() {
    loom::model(|| {
        let junction = Arc::new(Junction::<Said, Road>::new());
        let (end, mut receiver) = channel::<Said>();
        let word = Arc::new(());
        let said = Said(Some(Arc::clone(&word)));
        let there = Arc::clone(&junction);
        let answerer = thread::spawn(move || match there.answer(said) {
            Ok(Some((road, said))) => assert!(road.post(said).is_none()),
            Ok(None) => {}
            Err(_) => panic!("somebody waits"),
        });
        match junction.link(Road(end)) {
            Some((road, Some(said))) => assert!(road.post(said).is_none()),
            Some((_, None)) => panic!("an answer comes"),
            None => {}
        }
        junction.leave();
        // SAFETY: as in `post`.
        let said = block_on(poll_fn(|cx| unsafe { receiver.poll::<Said>(cx.waker()) }));
        assert!(said.0.is_some(), "the answer was lost");
        drop(said);
        answerer.join().unwrap();
        assert_eq!(Arc::strong_count(&word), 1);
    });
}

#[test]
fn loom_a_right_to_answer_that_is_dropped_tells_the_way_back_once() {
    loom::model(|| {
        let junction = Arc::new(Junction::<Said, Road>::new());
        let (end, mut receiver) = channel::<Said>();
        let there = Arc::clone(&junction);
        let owner = thread::spawn(move || {
            if let Some(road) = there.give_up() {
                assert!(road.post(Said(None)).is_none());
            }
        });
        if let Some((road, said)) = junction.link(Road(end)) {
            assert!(said.is_none() && road.post(Said(None)).is_none());
        }
        // SAFETY: as in `post`.
        let said = block_on(poll_fn(|cx| unsafe { receiver.poll::<Said>(cx.waker()) }));
        assert!(said.0.is_none());
        owner.join().unwrap();
    });
}

#[test]
fn loom_who_watches_at_a_junction_hears_that_the_asker_has_gone() {
    loom::model(|| {
        let junction = Arc::new(Junction::<Said, Road>::new());
        let (end, receiver) = channel::<Said>();
        let there = Arc::clone(&junction);
        let handler = thread::spawn(move || {
            assert!(there.link(Road(end)).is_none(), "there is no answer");
            there.leave();
            drop(receiver);
        });
        block_on(junction.watch());
        handler.join().unwrap();
        assert!(!junction.is_wanted());
        drop(junction.give_up());
    });
}

#[test]
fn loom_who_watches_where_no_way_back_comes_hears_of_it() {
    loom::model(|| {
        let junction = Arc::new(Junction::<Said, Road>::new());
        let there = Arc::clone(&junction);
        let handler = thread::spawn(move || there.leave());
        block_on(junction.watch());
        handler.join().unwrap();
        let said = Said(None);
        assert!(junction.answer(said).is_err(), "nobody waits");
    });
}

#[test]
fn loom_who_looks_no_more_leaves_no_waker_behind() {
    loom::model(|| {
        let (mut end, receiver) = channel::<Said>();
        let asker = thread::spawn(move || drop(receiver));
        let (bell, mut key) = (Arc::new(Bell::default()), WatchKey::default());
        let waker = || Waker::from(Arc::clone(&bell));
        let _ = end.watch(&mut key, waker()).settle();
        let _ = end.unwatch(&key).settle();
        asker.join().unwrap();
        drop(end);
        assert_eq!(Arc::strong_count(&bell), 1);
    });
}
