//! Tasks run by hand: a scheduler that only collects, and futures, outputs and wakers that count.

mod abort;
mod join;
mod panic;
mod run;
mod threads;

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::future::{Future, poll_fn};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};

use super::unit::{Header, Schedule, Unit};
use super::{JoinError, JoinHandle, new_task};
use crate::id::Id;

/// Collects what is scheduled, and owns what is alive.
#[derive(Default)]
struct Collector {
    queue: Mutex<VecDeque<Unit>>,
    owned: Mutex<HashMap<Id, Unit>>,
    yields: AtomicUsize,
}

impl Schedule for Collector {
    fn schedule(&self, unit: Unit) {
        self.queue.lock().unwrap().push_back(unit);
    }

    fn schedule_yielded(&self, unit: Unit) {
        self.yields.fetch_add(1, Ordering::Relaxed);
        self.schedule(unit);
    }

    fn schedule_background(&self, unit: Unit) {
        self.schedule(unit);
    }

    fn unbind(&self, header: &Header) -> Option<Unit> {
        self.owned.lock().unwrap().remove(&header.id())
    }
}

/// A collector and the tasks on it. Fails the test that leaves an allocation behind.
struct Rig(Arc<Collector>);

impl Rig {
    fn new() -> Self {
        Self(Arc::default())
    }

    fn scheduler(&self) -> Arc<dyn Schedule> {
        Arc::clone(&self.0) as Arc<dyn Schedule>
    }

    /// Spawns as an executor does: listed, then queued.
    fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        let (unit, handle) = new_task(future, self.scheduler(), Id::next());
        let id = handle.id();
        self.0.owned.lock().unwrap().insert(id, unit.clone());
        self.0.schedule(unit);
        handle
    }

    /// Spawns without a list, so that only queue, wakers and handles keep the task.
    fn spawn_unlisted<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        let (unit, handle) = new_task(future, self.scheduler(), Id::next());
        self.0.schedule(unit);
        handle
    }

    /// Runs the unit at the front; says whether there was one.
    fn run_one(&self) -> bool {
        let unit = self.0.queue.lock().unwrap().pop_front();
        unit.map(Unit::run).is_some()
    }

    /// Runs what is queued now and what that queues; says how many activations it took.
    fn run_all(&self) -> usize {
        (0..).take_while(|_| self.run_one()).count()
    }

    fn queued(&self) -> usize {
        self.0.queue.lock().unwrap().len()
    }

    fn owned(&self) -> usize {
        self.0.owned.lock().unwrap().len()
    }

    fn yields(&self) -> usize {
        self.0.yields.load(Ordering::Relaxed)
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            assert_eq!(self.queued(), 0, "a unit is still queued");
            assert_eq!(self.owned(), 0, "a unit is still listed");
            assert_eq!(Arc::strong_count(&self.0), 1, "an allocation leaked");
        }
    }
}

/// Counts events of one kind.
#[derive(Clone, Default)]
struct Count(Arc<AtomicUsize>);

impl Count {
    fn add(&self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Counts its drop, and then panics if told so.
struct Guard {
    drops: Count,
    message: Option<&'static str>,
}

impl Guard {
    fn new(drops: &Count) -> Self {
        Self {
            drops: drops.clone(),
            message: None,
        }
    }

    fn panicking(drops: &Count, message: &'static str) -> Self {
        Self {
            drops: drops.clone(),
            message: Some(message),
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.drops.add();
        if let Some(message) = self.message {
            panic!("{message}");
        }
    }
}

/// A waker that counts, and runs a closure on each wake.
struct Alarm {
    wakes: Count,
    action: Box<dyn Fn() + Send + Sync>,
    _dropped: Guard,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.wakes.add();
        (self.action)();
    }
}

/// A waker with its counts of wakes and drops.
fn alarm() -> (Waker, Count, Count) {
    alarm_with(|| {})
}

fn alarm_with(action: impl Fn() + Send + Sync + 'static) -> (Waker, Count, Count) {
    let (wakes, drops) = (Count::default(), Count::default());
    let alarm = Alarm {
        wakes: wakes.clone(),
        action: Box::new(action),
        _dropped: Guard::new(&drops),
    };
    (Waker::from(Arc::new(alarm)), wakes, drops)
}

/// Lets a test wake a task, and the task wait.
#[derive(Clone, Default)]
struct Gate(Arc<Mutex<(bool, Option<Waker>)>>);

impl Gate {
    async fn wait(self) {
        poll_fn(|cx| self.poll(cx)).await;
    }

    fn poll(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut gate = self.0.lock().unwrap();
        if gate.0 {
            return Poll::Ready(());
        }
        gate.1 = Some(cx.waker().clone());
        Poll::Pending
    }

    fn waker(&self) -> Waker {
        self.0.lock().unwrap().1.clone().expect("nobody waits")
    }

    fn open(&self) {
        let waker = {
            let mut gate = self.0.lock().unwrap();
            gate.0 = true;
            gate.1.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

/// Polls a handle once.
fn poll<T>(handle: &mut JoinHandle<T>, waker: &Waker) -> Poll<Result<T, JoinError>> {
    let mut cx = Context::from_waker(waker);
    std::pin::Pin::new(handle).poll(&mut cx)
}

/// Polls a handle once, with a waker that does nothing.
fn poll_noop<T>(handle: &mut JoinHandle<T>) -> Poll<Result<T, JoinError>> {
    poll(handle, Waker::noop())
}

/// The result of a handle whose task has ended.
#[track_caller]
fn result<T>(mut handle: JoinHandle<T>) -> Result<T, JoinError> {
    match poll_noop(&mut handle) {
        Poll::Ready(result) => result,
        Poll::Pending => panic!("the task has not ended"),
    }
}

/// The error of a handle whose task has ended without an output.
#[track_caller]
fn error<T>(handle: JoinHandle<T>) -> JoinError {
    match result(handle) {
        Ok(_) => panic!("the task gave an output"),
        Err(error) => error,
    }
}

thread_local! {
    static LOG: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

/// Notes an event in the order of this test's thread.
fn note(event: &'static str) {
    LOG.with_borrow_mut(|log| log.push(event));
}

fn noted() -> Vec<&'static str> {
    LOG.take()
}
