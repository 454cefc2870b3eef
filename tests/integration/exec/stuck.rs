//! A worker that is stuck in a poll: what it holds moves on, and it is told apart from an idle one.

use std::collections::HashSet;
use std::fmt::Debug;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use greenroom::runtime::{Handle, WorkerMetrics};
use greenroom::{Id, Runtime, actor, limits, yield_now};
use tokio::sync::oneshot;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Record};
use tracing::{Event, Metadata, Subscriber, span};

use super::support::{LONG, multi, spin_until_that, within};
use crate::alone::alone;

/// How a poll keeps its worker: with the processor, or in a section that blocks.
#[derive(Clone, Copy, Debug)]
enum Hold {
    Spin,
    Block,
}

impl Hold {
    /// Keeps the worker until it is so; says whether it came to be.
    fn until(self, holds: impl Fn() -> bool) -> bool {
        match self {
            Self::Spin => spin_until_that(holds, LONG),
            Self::Block => tokio::task::block_in_place(|| spin_until_that(holds, LONG)),
        }
    }
}

/// Has `count` tasks wait, wakes them all, and keeps the worker until each of them has run.
async fn wake_and_hold(count: usize, hold: Hold) -> bool {
    let ran = Arc::new(AtomicUsize::new(0));
    let mut wakes = Vec::new();
    for _ in 0..count {
        let (wake, woken) = oneshot::channel::<()>();
        let (ready, is_ready) = oneshot::channel();
        let ran = Arc::clone(&ran);
        greenroom::spawn(async move {
            ready.send(()).unwrap();
            woken.await.unwrap();
            ran.fetch_add(1, Ordering::AcqRel);
        });
        is_ready.await.unwrap();
        wakes.push(wake);
    }
    // A turn in which those that said they were ready have come to wait.
    yield_now().await;
    wakes.into_iter().for_each(|wake| wake.send(()).unwrap());
    hold.until(|| ran.load(Ordering::Acquire) == count)
}

#[test]
fn all_that_a_held_worker_has_woken_runs_meanwhile() {
    // One lies where only the monitor finds it, ten in the queue, 400 overflow it.
    for count in [1, 10, 400] {
        for (hold, workers) in [(Hold::Spin, 2), (Hold::Block, 1), (Hold::Block, 2)] {
            let runtime = multi(workers);
            let task = runtime.spawn(wake_and_hold(count, hold));
            let all_ran = runtime.block_on(within("the holder", task)).unwrap();
            assert!(all_ran, "{count} tasks, {hold:?} on {workers} workers");
        }
    }
}

#[test]
fn the_first_of_ten_woken_tasks_runs_while_the_waking_poll_goes_on() {
    let runtime = multi(2);
    for _ in 0..50 {
        let task = runtime.spawn(async {
            let ran = Arc::new(AtomicUsize::new(0));
            let gate = Arc::new(tokio::sync::Notify::new());
            let ready = Arc::new(AtomicUsize::new(0));
            for _ in 0..10 {
                let (ran, gate, ready) = (Arc::clone(&ran), Arc::clone(&gate), Arc::clone(&ready));
                greenroom::spawn(async move {
                    let open = gate.notified();
                    ready.fetch_add(1, Ordering::AcqRel);
                    open.await;
                    ran.fetch_add(1, Ordering::AcqRel);
                });
            }
            while ready.load(Ordering::Acquire) < 10 {
                yield_now().await;
            }
            gate.notify_waiters();
            spin_until_that(|| ran.load(Ordering::Acquire) > 0, LONG)
        });
        assert!(runtime.block_on(within("the waker", task)).unwrap());
    }
}

#[test]
fn no_more_sections_block_than_there_are_workers_and_spares() {
    let runtime = multi(2);
    let slots = runtime.metrics().workers.len();
    let entered = Arc::new(AtomicUsize::new(0));
    let (open, gate) = std::sync::mpsc::channel::<()>();
    let gate = Arc::new(Mutex::new(gate));
    let tasks: Vec<_> = (0..3 * slots)
        .map(|_| {
            let (entered, gate) = (Arc::clone(&entered), Arc::clone(&gate));
            runtime.spawn(async move {
                tokio::task::block_in_place(|| {
                    entered.fetch_add(1, Ordering::AcqRel);
                    // All wait for the sender to go.
                    while gate.lock().unwrap().recv_timeout(LONG).is_ok() {}
                });
            })
        })
        .collect();
    let all_slots = || entered.load(Ordering::Acquire) == slots;
    assert!(spin_until_that(all_slots, LONG), "not each slot has a pump");
    // The monitor has looked again, at all of them.
    let is_seen = |worker: &WorkerMetrics| worker.running_for > Some(limits::POLL_MAX);
    assert!(spin_until_that(
        || runtime.metrics().workers.iter().all(is_seen),
        LONG
    ));
    assert_eq!(entered.load(Ordering::Acquire), slots);
    drop(open);
    for task in tasks {
        runtime.block_on(within("the end", task)).unwrap();
    }
}

// ===== Who is stuck, and since when =====

fn running(handle: &Handle) -> Vec<(Id, Option<Duration>)> {
    let metrics = handle.metrics();
    let running = |worker: &WorkerMetrics| Some((worker.running?, worker.running_for));
    metrics.workers.iter().filter_map(running).collect()
}

#[test]
fn metrics_tell_which_task_a_worker_is_stuck_in_and_since_when() {
    let runtime = multi(2);
    let handle = runtime.handle().clone();
    let (enter, entered) = std::sync::mpsc::channel();
    let (open, gate) = std::sync::mpsc::channel::<()>();
    let task = runtime.spawn(async move {
        enter.send(()).unwrap();
        let _ = gate.recv_timeout(LONG);
    });
    entered.recv_timeout(LONG).unwrap();
    let id = task.id();
    assert_eq!(running(&handle)[0].0, id);
    for least in [1, 30].map(Duration::from_millis) {
        let lasts = |&(of, lasted): &(Id, Option<Duration>)| of == id && lasted >= Some(least);
        let is_seen = || running(&handle).iter().any(lasts);
        assert!(spin_until_that(is_seen, LONG), "not for {least:?}");
    }
    open.send(()).unwrap();
    runtime.block_on(within("the end", task)).unwrap();
    assert!(spin_until_that(|| running(&handle).is_empty(), LONG));
}

/// What is said about polls that do not return.
#[derive(Clone, Default)]
struct Reports {
    all: Arc<Mutex<Vec<Report>>>,
    count: Arc<AtomicUsize>,
}

#[derive(Clone, Debug, Default)]
struct Report {
    text: String,
    id: u64,
    ms: u64,
}

impl Visit for Report {
    fn record_u64(&mut self, field: &Field, value: u64) {
        match field.name() {
            "id" => self.id = value,
            "ms" => self.ms = value,
            _ => {}
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        if field.name() == "message" {
            self.text = format!("{value:?}");
        }
    }
}

impl Reports {
    fn all(&self) -> Vec<Report> {
        self.all.lock().unwrap().clone()
    }

    /// Without the lock, for those who spin.
    fn count(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }
}

impl Subscriber for Reports {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "greenroom::runtime"
    }

    fn new_span(&self, _: &Attributes<'_>) -> span::Id {
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut report = Report::default();
        event.record(&mut report);
        self.all.lock().unwrap().push(report);
        self.count.fetch_add(1, Ordering::AcqRel);
        assert!(!report_is_refused(), "a subscriber panics");
    }

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

static REFUSE: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);

fn report_is_refused() -> bool {
    REFUSE.load(Ordering::Relaxed)
}

/// Keeps the worker until there are so many reports, and for several looks of the monitor more.
fn hold_until(reports: &Reports, count: usize) {
    let handle = Handle::current();
    assert!(spin_until_that(|| reports.count() >= count, LONG));
    let longest = || {
        running(&handle)
            .into_iter()
            .filter_map(|(_, lasted)| lasted)
            .max()
    };
    assert!(spin_until_that(
        || longest() > Some(limits::POLL_MAX * 3),
        LONG
    ));
}

#[actor(inline = never)]
struct Spinner {
    reports: Reports,
}

#[actor]
impl Spinner {
    fn spin(&mut self, count: usize) {
        hold_until(&self.reports, count);
    }

    async fn wait(&mut self, open: oneshot::Receiver<()>) {
        open.await.unwrap();
    }
}

#[test]
fn a_poll_that_does_not_return_is_reported_once_by_name() {
    alone(
        "exec::stuck::a_poll_that_does_not_return_is_reported_once_by_name",
        || {
            let reports = Reports::default();
            tracing::subscriber::set_global_default(reports.clone()).unwrap();
            let runtime = multi(2);
            report_actor(&runtime, &reports);
            report_tasks(&runtime, &reports);
            report_no_wait(&runtime, &reports);
            refuse_reports(&runtime, &reports);
        },
    );
}

fn report_actor(runtime: &Runtime, reports: &Reports) {
    let spinner = runtime.block_on(async {
        let reports = reports.clone();
        Spinner { reports }.spawn()
    });
    for count in [1, 2] {
        // Otherwise the message could come into the poll that handled the one before.
        assert!(spin_until_that(
            || running(runtime.handle()).is_empty(),
            LONG
        ));
        runtime
            .block_on(within("the answer", spinner.spin(count)))
            .unwrap();
        let all = reports.all();
        assert_eq!(all.len(), count, "{all:#?}");
        let last = all.last().unwrap();
        assert!(
            last.text
                .starts_with(&format!("actor Spinner#{}", spinner.id()))
        );
        assert!(last.text.contains("SpinnerSpin"), "{}", last.text);
        assert_eq!(last.id, spinner.id().as_u64());
        assert!(u128::from(last.ms) >= limits::POLL_MAX.as_millis());
    }
    runtime.block_on(spinner.shutdown());
}

async fn a_long_computation(reports: Reports, count: usize) {
    hold_until(&reports, count);
}

fn report_tasks(runtime: &Runtime, reports: &Reports) {
    let before = reports.count();
    let tasks = [(); 2].map(|()| runtime.spawn(a_long_computation(reports.clone(), before + 2)));
    let ids: HashSet<u64> = tasks.iter().map(|task| task.id().as_u64()).collect();
    for task in tasks {
        runtime.block_on(within("the end", task)).unwrap();
    }
    let all = reports.all().split_off(before);
    assert_eq!(all.len(), 2, "{all:#?}");
    assert_eq!(
        all.iter().map(|report| report.id).collect::<HashSet<_>>(),
        ids
    );
    for report in all {
        assert!(
            report.text.contains("a_long_computation"),
            "{}",
            report.text
        );
    }
}

/// Who waits by `blocking` says so.
fn report_no_wait(runtime: &Runtime, reports: &Reports) {
    let before = reports.count();
    let (open, gate) = oneshot::channel();
    let spinner = runtime.block_on(async {
        let reports = reports.clone();
        Spinner { reports }.spawn()
    });
    let waiter = runtime.spawn(async move {
        tokio::task::block_in_place(|| spinner.wait(gate).blocking().unwrap());
    });
    let lasts = |&(of, lasted): &(Id, Option<Duration>)| {
        of == waiter.id() && lasted > Some(limits::POLL_MAX * 2)
    };
    let is_seen = || running(runtime.handle()).iter().any(lasts);
    assert!(spin_until_that(is_seen, LONG));
    open.send(()).unwrap();
    runtime.block_on(within("the waiter", waiter)).unwrap();
    assert_eq!(reports.count(), before);
}

/// A subscriber that panics harms neither the monitor nor later reports.
fn refuse_reports(runtime: &Runtime, reports: &Reports) {
    for refuse in [true, false] {
        REFUSE.store(refuse, Ordering::Relaxed);
        let began = Instant::now();
        let before = reports.count();
        let task = runtime.spawn(a_long_computation(reports.clone(), before + 1));
        runtime.block_on(within("the end", task)).unwrap();
        assert!(began.elapsed() < LONG);
    }
}
