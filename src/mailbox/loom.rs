mod annex;
mod reserve;
mod runs;

use loom::thread;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Poll, Waker};

use crate::sync::UnsafeCell;
use crate::task::{End, Notify, State};

use super::testing::{self, Bin, PLAIN, Sender, Taker, WORD};
use super::{Accepted, Mailbox, Next, Phase, Refused, Tag};

/// How one send ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sent {
    Accepted,
    HandedBack,
    Dropped,
}

/// What stands for the run queues: how often the actor stands in them.
struct Bell(loom::sync::Mutex<usize>, loom::sync::Condvar);

impl Bell {
    fn new() -> Self {
        Self(loom::sync::Mutex::new(0), loom::sync::Condvar::new())
    }

    fn ring(&self) {
        *self.0.lock().unwrap() += 1;
        self.1.notify_one();
    }

    fn wait(&self) {
        let mut rings = self.0.lock().unwrap();
        while *rings == 0 {
            rings = self.1.wait(rings).unwrap();
        }
        *rings -= 1;
    }
}

/// An actor as its activation sees it: mailbox, word of state, run queue.
struct Model {
    mailbox: Mailbox,
    bin: Bin,
    state: State,
    bell: Bell,
    /// What only the run-right holder reaches: messages handled so far.
    handled: UnsafeCell<usize>,
}

// SAFETY: all but `handled` is shared by design, and the models check who reaches that.
unsafe impl Sync for Model {}
// SAFETY: as above.
unsafe impl Send for Model {}

impl Model {
    fn new(capacity: usize) -> Arc<Self> {
        Arc::new(Self {
            mailbox: Mailbox::new(capacity, None, WORD),
            bin: Bin::default(),
            state: State::idle(1),
            bell: Bell::new(),
            handled: UnsafeCell::new(0),
        })
    }

    fn note(&self, accepted: Accepted) {
        if accepted == Accepted::Notify && self.state.notify() == Notify::Queue {
            self.bell.ring();
        }
    }

    /// Notifies for those whom a sender let in as it joined the line.
    fn note_others(&self, sender: &Sender<'_>) {
        if sender.others == Accepted::Notify {
            self.note(Accepted::Notify);
        }
    }

    /// Reserves slots; gives up at once if it would have to wait. Says whether they are held.
    fn reserve_or_withdraw(&self, slots: usize) -> bool {
        let mut holder = Sender::new(&self.mailbox, &self.bin, 0);
        let held = holder.reserve(slots, Waker::noop());
        self.note_others(&holder);
        match held {
            Poll::Ready(held) => held.is_ok(),
            Poll::Pending => {
                let (phase, accepted) = holder.withdraw();
                self.note(accepted);
                phase == Phase::Granted
            }
        }
    }

    fn give_back(&self, slots: usize) {
        let accepted = self.mailbox.give_back(slots, &self.bin);
        self.note(accepted);
    }

    /// Sends; gives up at once if it would have to wait.
    fn send_or_withdraw(&self, word: usize) -> Sent {
        self.send_or_withdraw_as(word, PLAIN)
    }

    fn send_or_withdraw_as(&self, word: usize, tag: Tag) -> Sent {
        let mut sender = Sender::new(&self.mailbox, &self.bin, word);
        let sent = sender.start(tag, Waker::noop());
        self.note_others(&sender);
        match sent {
            testing::Sent::Accepted(accepted) => {
                self.note(accepted);
                Sent::Accepted
            }
            testing::Sent::Waiting => {
                let (phase, accepted) = sender.withdraw();
                self.note(accepted);
                match phase {
                    Phase::Granted => Sent::Accepted,
                    _ => Sent::HandedBack,
                }
            }
            testing::Sent::Refused(_) => Sent::HandedBack,
            testing::Sent::Dropped => Sent::Dropped,
        }
    }

    /// Sends and waits until the message is in or refused.
    fn send(&self, word: usize) -> Sent {
        self.send_as(word, PLAIN)
    }

    fn send_as(&self, word: usize, tag: Tag) -> Sent {
        let mut sender = Sender::new(&self.mailbox, &self.bin, word);
        let mut started = false;
        let done = loom::future::block_on(std::future::poll_fn(|cx| {
            if started {
                return sender.poll_with(cx.waker());
            }
            started = true;
            let sent = sender.start(tag, cx.waker());
            self.note_others(&sender);
            match sent {
                testing::Sent::Waiting => Poll::Pending,
                testing::Sent::Refused(refused) => Poll::Ready(Err(refused)),
                testing::Sent::Accepted(accepted) => {
                    self.note(accepted);
                    Poll::Ready(Ok(()))
                }
                testing::Sent::Dropped => unreachable!("a waiting send is never dropped"),
            }
        }));
        match done {
            Ok(()) => Sent::Accepted,
            Err(Refused::Closed) => Sent::HandedBack,
            Err(Refused::Full) => unreachable!("a waiting send is never told that it is full"),
        }
    }

    /// Waits to be scheduled, then runs one activation; says whether it found the end.
    fn activate(&self, seen: &AtomicUsize) -> bool {
        self.bell.wait();
        let _ = self.state.begin();
        let ended = self.consume(seen);
        if self.state.end() == End::Again {
            self.bell.ring();
        }
        ended
    }

    /// Handles so many messages. Hangs, which the checker reports, if one was accepted unseen.
    fn handle_all(&self, count: usize) {
        let seen = AtomicUsize::new(0);
        while seen.load(Ordering::Relaxed) < count {
            assert!(!self.activate(&seen));
        }
    }

    /// Runs on a thread of its own.
    fn beside<R: 'static>(
        self: &Arc<Self>,
        code: impl FnOnce(&Self) -> R + 'static,
    ) -> thread::JoinHandle<R> {
        let model = Arc::clone(self);
        thread::spawn(move || code(&model))
    }

    fn assert_at_rest(&self, slots: usize) {
        assert_eq!(self.mailbox.free_slots(), slots);
        assert_eq!(self.mailbox.waiting(), 0);
    }

    /// Takes all there is, as an activation does; says whether it found the end.
    fn consume(&self, seen: &AtomicUsize) -> bool {
        self.consume_as(&mut Taker::new(), seen)
    }

    fn consume_as(&self, taker: &mut Taker, seen: &AtomicUsize) -> bool {
        let mut next = taker.first(&self.mailbox, &self.bin);
        loop {
            match next {
                Ok(_) => {
                    self.handle();
                    seen.fetch_add(1, Ordering::Relaxed);
                }
                Err(Next::Closed) => return true,
                Err(_) => return false,
            }
            if self.state.load().is_scheduled() {
                let _ = self.state.acknowledge();
            }
            next = taker.next(&self.mailbox, &self.bin);
        }
    }

    /// A handler: two at once would be a race, which the checker reports.
    fn handle(&self) -> usize {
        // SAFETY: the caller has the run right.
        self.handled.with_mut(|handled| unsafe {
            *handled += 1;
            *handled
        })
    }

    /// Handles a message past the mailbox, if it may; gives how many have been handled by then.
    /// `meanwhile` is what follows before the run right is given back.
    fn handle_inline(&self, meanwhile: impl FnOnce()) -> Option<usize> {
        if !self.mailbox.is_quiet() || !self.state.try_begin() {
            return None;
        }
        let handled = self.handle();
        meanwhile();
        if self.state.end() == End::Again {
            self.bell.ring();
        }
        Some(handled)
    }
}

fn bounded(model: impl Fn() + Sync + Send + 'static) {
    bounded_by(3, model);
}

/// Explores the interleavings with so many preemptions.
fn bounded_by(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(model);
}

#[test]
fn loom_every_waiting_send_gets_its_slot() {
    bounded(|| {
        let model = Model::new(1);
        let senders: Vec<_> = (0..2)
            .map(|word| {
                let model = Arc::clone(&model);
                thread::spawn(move || assert_eq!(model.send(word), Sent::Accepted))
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
fn loom_a_withdrawn_send_is_either_handled_or_handed_back() {
    bounded(|| {
        let model = Model::new(1);
        assert_eq!(model.send_or_withdraw(0), Sent::Accepted);
        let sender = model.beside(|model| model.send_or_withdraw(1));
        let seen = AtomicUsize::new(0);
        model.activate(&seen);
        let sent = sender.join().unwrap();
        let accepted = 1 + usize::from(sent == Sent::Accepted);
        while seen.load(Ordering::Relaxed) < accepted {
            // Hangs, which the checker reports, if a message was accepted unseen.
            model.activate(&seen);
        }
        assert_eq!(seen.load(Ordering::Relaxed), accepted);
        assert_eq!(model.mailbox.free_slots(), 1);
    });
}

#[test]
fn loom_close_refuses_or_the_message_is_handled() {
    bounded(|| {
        let model = Model::new(1);
        assert_eq!(model.send_or_withdraw(0), Sent::Accepted);
        let sender = model.beside(|model| model.send(1));
        let closer = model.beside(|model| {
            let accepted = model.mailbox.close();
            model.note(accepted);
        });
        let seen = AtomicUsize::new(0);
        while !model.activate(&seen) {}
        closer.join().unwrap();
        let accepted = 1 + usize::from(sender.join().unwrap() == Sent::Accepted);
        assert_eq!(seen.load(Ordering::Relaxed), accepted);
        assert_eq!(model.mailbox.free_slots(), 1);
    });
}

#[test]
fn loom_a_slot_freed_by_a_handler_that_then_suspends_goes_to_whoever_waits() {
    bounded(|| {
        let model = Model::new(1);
        assert_eq!(model.send_or_withdraw(0), Sent::Accepted);
        let sender = model.beside(|model| {
            // Kept in place for ever, as by a future that nobody polls again.
            let mut sender = Sender::new(&model.mailbox, &model.bin, 1);
            let sent = sender.start(PLAIN, Waker::noop());
            assert!(matches!(
                sent,
                testing::Sent::Waiting | testing::Sent::Accepted(_)
            ));
            std::mem::forget(sender);
        });
        // The handler of message 0 begins, and does not look at the mailbox again.
        assert_eq!(Taker::new().next(&model.mailbox, &model.bin), Ok(0));
        sender.join().unwrap();
        assert_eq!(model.mailbox.waiting(), 0);
        assert_eq!(model.mailbox.free_slots(), 0);
    });
}
