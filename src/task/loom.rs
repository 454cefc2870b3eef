//! Models of a task's races: handles, wakers and the runner on threads of their own.
//!
//! loom checks each access of the waker's field and of the stage, and that all it has seen made is
//! freed; the counts below check that wakes arrive and that each thing is dropped once.

use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use loom::sync::Notify;
use loom::thread;

use super::unit::{Header, Schedule, Unit};
use super::{AbortHandle, JoinError, JoinHandle, new_task};
use crate::id::Id;
use crate::sync::Mutex;

/// Collects what is scheduled; `runs` counts it down for the one runner.
struct Collector {
    queue: Mutex<VecDeque<Unit>>,
    listed: Mutex<Option<Unit>>,
}

impl Schedule for Collector {
    fn schedule(&self, unit: Unit) {
        self.queue.lock().push_back(unit);
    }

    fn schedule_yielded(&self, unit: Unit) {
        self.schedule(unit);
    }

    fn schedule_background(&self, unit: Unit) {
        self.schedule(unit);
    }

    fn unbind(&self, _: &Header) -> Option<Unit> {
        self.listed.lock().take()
    }
}

impl Collector {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            queue: Mutex::new(VecDeque::new()),
            listed: Mutex::new(None),
        })
    }

    fn spawn<F>(self: &Arc<Self>, future: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        let scheduler = Arc::clone(self);
        let (unit, handle) = new_task(future, scheduler, Id::next());
        *self.listed.lock() = Some(unit.clone());
        self.schedule(unit);
        handle
    }

    /// Runs what is queued until nothing is.
    fn run_all(&self) {
        loop {
            let unit = self.queue.lock().pop_front();
            match unit {
                Some(unit) => unit.run(),
                None => return,
            }
        }
    }
}

/// Counts made and dropped; not part of the model.
#[derive(Clone, Default)]
struct Count(Arc<AtomicUsize>);

impl Count {
    fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

struct Guard(Count);

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// A waker that a thread waits for.
struct Bell {
    notify: Notify,
    wakes: Count,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.wakes.0.fetch_add(1, Ordering::SeqCst);
        self.notify.notify();
    }
}

fn bell() -> (Arc<Bell>, Waker) {
    let bell = Arc::new(Bell {
        notify: Notify::new(),
        wakes: Count::default(),
    });
    (Arc::clone(&bell), Waker::from(bell))
}

fn poll<T>(handle: &mut JoinHandle<T>, waker: &Waker) -> Poll<Result<T, JoinError>> {
    Pin::new(handle).poll(&mut Context::from_waker(waker))
}

/// Polls once per wake until the output is there: a lost wake-up is a deadlock that loom reports.
fn join<T>(mut handle: JoinHandle<T>) -> Result<T, JoinError> {
    let (bell, waker) = bell();
    loop {
        if let Poll::Ready(result) = poll(&mut handle, &waker) {
            return result;
        }
        bell.notify.wait();
    }
}

/// A model with three threads: all interleavings would take minutes, so at most four
/// preemptions each, which the known bugs of such protocols need no more than.
fn bounded(model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = builder.preemption_bound.or(Some(4));
    builder.check(model);
}

#[test]
fn a_join_sees_the_output_whenever_the_task_ends() {
    loom::model(|| {
        let (collector, futures) = (Collector::new(), Count::default());
        let guard = Guard(futures.clone());
        let handle = collector.spawn(async move {
            let _guard = guard;
            7
        });
        let runner = thread::spawn({
            let collector = Arc::clone(&collector);
            move || collector.run_all()
        });
        assert_eq!(join(handle).unwrap(), 7);
        assert_eq!(futures.get(), 1, "the future went first");
        runner.join().unwrap();
        assert_eq!(Arc::strong_count(&collector), 1);
    });
}

#[test]
fn a_handle_dropped_against_the_end_drops_output_and_waker_once() {
    loom::model(|| {
        let (collector, outputs) = (Collector::new(), Count::default());
        let output = Guard(outputs.clone());
        let mut handle = collector.spawn(async move { output });
        let runner = thread::spawn({
            let collector = Arc::clone(&collector);
            move || collector.run_all()
        });
        let (bell, waker) = bell();
        let polled = poll(&mut handle, &waker);
        drop(handle);
        drop(polled);
        runner.join().unwrap();
        assert_eq!(outputs.get(), 1);
        drop(waker);
        assert_eq!(Arc::strong_count(&bell), 1);
        assert_eq!(Arc::strong_count(&collector), 1);
    });
}

#[test]
fn a_replaced_waker_loses_no_wake() {
    loom::model(|| {
        let collector = Collector::new();
        let mut handle = collector.spawn(async { 7 });
        let (first, first_waker) = bell();
        let (second, second_waker) = bell();
        let early = poll(&mut handle, &first_waker);
        assert!(early.is_pending());
        let runner = thread::spawn({
            let collector = Arc::clone(&collector);
            move || collector.run_all()
        });
        let mut waited = false;
        // More than once, since the wait may end for no reason.
        while poll(&mut handle, &second_waker).is_pending() {
            waited = true;
            second.notify.wait();
        }
        assert!(
            !waited || first.wakes.get() == 0,
            "the first was replaced before the end"
        );
        drop(handle);
        runner.join().unwrap();
        drop((first_waker, second_waker));
        assert_eq!(
            (Arc::strong_count(&first), Arc::strong_count(&second)),
            (1, 1)
        );
        assert_eq!(Arc::strong_count(&collector), 1);
    });
}

/// Pending until the flag is set; leaves its waker to who sets it.
#[derive(Clone)]
struct Gate(Arc<Mutex<(bool, Option<Waker>)>>);

impl Gate {
    fn new() -> Self {
        Self(Arc::new(Mutex::new((false, None))))
    }

    fn poll(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut gate = self.0.lock();
        if gate.0 {
            return Poll::Ready(());
        }
        gate.1 = Some(cx.waker().clone());
        Poll::Pending
    }

    fn open(&self) {
        let waker = {
            let mut gate = self.0.lock();
            gate.0 = true;
            gate.1.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

#[test]
fn a_wake_against_the_end_of_a_poll_is_not_lost() {
    loom::model(|| {
        let (collector, gate) = (Collector::new(), Gate::new());
        let handle = collector.spawn({
            let gate = gate.clone();
            poll_fn(move |cx| gate.poll(cx))
        });
        let opener = thread::spawn({
            let (collector, gate) = (Arc::clone(&collector), gate.clone());
            move || {
                gate.open();
                collector.run_all();
            }
        });
        collector.run_all();
        opener.join().unwrap();
        // Whoever queued last has run it, or the other did.
        collector.run_all();
        assert!(handle.is_finished());
        drop((handle, gate));
        assert_eq!(Arc::strong_count(&collector), 1);
    });
}

#[test]
fn a_merged_wake_shows_the_run_what_came_before_it() {
    bounded(|| {
        let collector = Collector::new();
        let data = Arc::new(loom::sync::atomic::AtomicUsize::new(0));
        let slot = Arc::new(Mutex::new(None));
        let polls = Count::default();
        let handle = collector.spawn({
            let (data, slot, polls) = (Arc::clone(&data), Arc::clone(&slot), polls.clone());
            poll_fn(move |cx| {
                if polls.0.fetch_add(1, Ordering::SeqCst) == 0 {
                    *slot.lock() = Some([cx.waker().clone(), cx.waker().clone()]);
                }
                match data.load(Ordering::Relaxed) {
                    2 => Poll::Ready(()),
                    _ => Poll::Pending,
                }
            })
        });
        collector.run_all();
        let wakers = slot.lock().take().unwrap();
        let wakers = wakers.map(|waker| {
            let data = Arc::clone(&data);
            thread::spawn(move || {
                data.fetch_add(1, Ordering::Relaxed);
                waker.wake();
            })
        });
        collector.run_all();
        for waker in wakers {
            waker.join().unwrap();
        }
        collector.run_all();
        assert!(handle.is_finished());
        drop((handle, slot));
        assert_eq!(Arc::strong_count(&collector), 1);
    });
}

#[test]
fn an_abort_against_a_poll_and_a_wake_ends_the_task_once() {
    bounded(|| {
        let (collector, gate) = (Collector::new(), Gate::new());
        let futures = Count::default();
        let handle = collector.spawn({
            let (gate, guard) = (gate.clone(), Guard(futures.clone()));
            async move {
                let _guard = guard;
                poll_fn(move |cx| gate.poll(cx)).await;
            }
        });
        let abort: AbortHandle = handle.abort_handle();
        let aborter = thread::spawn(move || abort.abort());
        let opener = thread::spawn({
            let gate = gate.clone();
            move || gate.open()
        });
        collector.run_all();
        aborter.join().unwrap();
        opener.join().unwrap();
        collector.run_all();
        assert!(handle.is_finished());
        assert_eq!(futures.get(), 1);
        let result = join(handle);
        assert!(result.is_ok() || result.is_err_and(|error| error.is_cancelled()));
        drop(gate);
        assert_eq!(Arc::strong_count(&collector), 1);
    });
}

#[test]
fn two_runners_hand_a_yielding_task_over_whole() {
    loom::model(|| {
        let collector = Collector::new();
        let handle = collector.spawn(async {
            super::yield_now().await;
            7
        });
        let other = thread::spawn({
            let collector = Arc::clone(&collector);
            move || collector.run_all()
        });
        collector.run_all();
        other.join().unwrap();
        collector.run_all();
        assert_eq!(join(handle).unwrap(), 7);
        assert_eq!(Arc::strong_count(&collector), 1);
    });
}

#[test]
fn the_last_counts_given_back_at_once_free_the_task_once() {
    loom::model(|| {
        let (collector, futures) = (Collector::new(), Count::default());
        let gate = Gate::new();
        let (unit, handle) = new_task(
            {
                let (gate, guard) = (gate.clone(), Guard(futures.clone()));
                async move {
                    let _guard = guard;
                    poll_fn(move |cx| gate.poll(cx)).await;
                }
            },
            Arc::clone(&collector) as Arc<dyn Schedule>,
            Id::next(),
        );
        unit.run();
        let waker = gate.0.lock().1.take();
        let dropper = thread::spawn(move || drop(waker));
        drop(handle);
        dropper.join().unwrap();
        assert_eq!(futures.get(), 1);
        assert_eq!(Arc::strong_count(&collector), 1);
    });
}
