//! How all actors of a runtime are ended.

use std::sync::mpsc;
use std::time::Duration;

use greenroom::limits::KILL_WAIT;
use greenroom::shutdown::Report;
use greenroom::{
    Child, ExitReason, Handle, Intensity, Pool, PoolError, QueueRefusal, Runtime, Supervisor,
    WorkQueue, actor, runtime,
};
use tokio::time::Instant;

use super::scene::{Log, Worker, WorkerTake, stop_all};
use crate::actor::support::{LIMIT, until, within};

const LONG: Duration = Duration::from_secs(1000);
const SECOND: Duration = Duration::from_secs(1);

#[tokio::test]
async fn all_that_was_accepted_is_handled_and_the_last_spawned_ends_first() {
    let log = Log::default();
    let first = Worker::new("first", &log).spawn();
    let second = Worker {
        last_words_to: Some(first.clone()),
        ..Worker::new("second", &log)
    }
    .spawn();
    second.hear("work").tell().await.unwrap();
    let report = stop_all(LIMIT).await;
    assert!(report.is_clean());
    assert_eq!(report.stopped, 2);
    let expected = [
        "second hears work",
        "second ends",
        "first hears last words",
        "first ends",
    ];
    assert_eq!(log.lines(), expected);
    assert!(matches!(first.exit_reason(), Some(ExitReason::Stopped)));
}

#[tokio::test(start_paused = true)]
async fn one_that_takes_half_the_limit_leaves_the_other_half_to_the_rest() {
    let log = Log::default();
    let first = Worker::new("first", &log).spawn();
    let second = Worker {
        lingers: LONG,
        ..Worker::new("second", &log)
    }
    .spawn();
    first.hear("work").tell().await.unwrap();
    let start = Instant::now();
    let report = stop_all(Duration::from_secs(10)).await;
    assert_eq!(start.elapsed(), Duration::from_secs(10));
    assert_eq!((report.stopped, report.undelivered), (1, 0));
    assert_eq!(report.killed, [second.identity()]);
    assert_eq!(log.lines(), ["first hears work", "first ends"]);
    assert!(!report.is_clean());
}

#[tokio::test(start_paused = true)]
async fn who_hangs_is_killed_at_the_limit_and_its_messages_are_counted() {
    let log = Log::default();
    let worker = Worker::new("worker", &log).spawn();
    worker.hang().tell().await.unwrap();
    for _ in 0..3 {
        worker.hear("nothing").tell().await.unwrap();
    }
    let report = stop_all(Duration::from_secs(10)).await;
    assert_eq!(report.undelivered, 3);
    assert_eq!(report.killed, [worker.identity()]);
    assert_eq!(
        report.to_string(),
        format!(
            "actors stopped: 0, messages not delivered: 3, killed: 1 ({})",
            worker.identity()
        )
    );
    assert_eq!(log.lines(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn children_end_by_their_supervisor_in_reverse_and_are_counted() {
    let log = Log::default();
    let child = |name: &'static str| {
        let log = log.clone();
        Child::new(move || Worker::new(name, &log)).name(name)
    };
    let supervisor = Supervisor::builder()
        .child(child("a"))
        .child(child("b"))
        .spawn();
    let b = supervisor.child::<Worker>("b").await.unwrap();
    b.hear("work").tell().await.unwrap();
    let report = stop_all(LONG).await;
    assert!(report.is_clean(), "{report}");
    assert_eq!(report.stopped, 3);
    assert_eq!(log.lines(), ["b hears work", "b ends", "a ends"]);
}

#[tokio::test(start_paused = true)]
async fn a_child_that_hangs_is_killed_for_good_at_the_limit() {
    let log = Log::default();
    let own = log.clone();
    let child = Child::new(move || Worker::new("child", &own))
        .name("child")
        .shutdown(greenroom::Shutdown::Within(LONG));
    let supervisor = Supervisor::builder().child(child).spawn();
    let child = supervisor.child::<Worker>("child").await.unwrap();
    child.hang().tell().await.unwrap();
    let report = stop_all(Duration::from_secs(10)).await;
    assert!(report.killed.contains(&child.identity()), "{report}");
    assert!(report.left.is_empty());
    assert!(child.is_stopped() && supervisor.is_stopped());
    assert_eq!(runtime::Handle::current().actors(), []);
}

fn crew(log: &Log) -> Pool<Worker> {
    let log = log.clone();
    let crew = Pool::builder(move || Worker::new("worker", &log)).size(2);
    crew.intensity(Intensity::unlimited()).spawn().unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_workers_of_a_pool_handle_what_they_have_accepted_and_are_not_replaced() {
    let log = Log::default();
    let crew = crew(&log);
    crew.pick().hear("work").tell().await.unwrap();
    assert!(!runtime::Handle::current().actors()[0].is_supervised);
    let start = Instant::now();
    let report = stop_all(LONG).await;
    assert_eq!((report.stopped, report.is_clean()), (2, true), "{report}");
    assert_eq!(start.elapsed(), Duration::ZERO);
    assert_eq!(
        log.lines(),
        ["worker hears work", "worker ends", "worker ends"]
    );
    assert!(matches!(crew.failure(), Some(PoolError::Ended)));
}

#[tokio::test(start_paused = true)]
async fn a_worker_that_hangs_is_killed_at_the_limit_and_not_replaced() {
    let crew = crew(&Log::default());
    crew.pick().hang().tell().await.unwrap();
    let report = stop_all(Duration::from_secs(10)).await;
    assert_eq!((report.stopped, report.killed.len()), (1, 1), "{report}");
    assert_eq!(runtime::Handle::current().actors(), []);
}

fn desk(log: &Log) -> WorkQueue<Worker, WorkerTake> {
    let log = log.clone();
    let desk = WorkQueue::builder(move || Worker::new("worker", &log)).workers(2);
    desk.spawn().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_queue_of_jobs_does_what_it_has_taken_by_the_workers_that_it_has() {
    let desk = desk(&Log::default());
    for _ in 0..20 {
        desk.tell(WorkerTake { time: SECOND }).await.unwrap();
    }
    until(|| desk.stats().running == 2).await;
    let report = stop_all(LONG).await;
    assert_eq!((report.stopped, report.is_clean()), (2, true), "{report}");
    assert_eq!((desk.stats().done, desk.stats().restarts), (20, 0));
    let late = desk.try_tell(WorkerTake { time: SECOND }).unwrap_err();
    assert!(matches!(late.refusal(), QueueRefusal::Draining));
}

#[tokio::test(start_paused = true)]
async fn a_queue_of_jobs_that_takes_too_long_has_what_is_left_discarded() {
    let desk = desk(&Log::default());
    for _ in 0..20 {
        desk.tell(WorkerTake { time: LONG }).await.unwrap();
    }
    until(|| desk.stats().running == 2).await;
    let report = stop_all(Duration::from_secs(10)).await;
    assert_eq!((report.stopped, report.killed.len()), (0, 2), "{report}");
    assert!(matches!(desk.failure(), Some(PoolError::Ended)));
    assert_eq!(desk.stats().queued, 0);
    assert_eq!(runtime::Handle::current().actors(), []);
}

#[actor]
struct Heir {
    log: Log,
}

#[actor]
impl Heir {
    #[on(stop)]
    fn end(&mut self) {
        std::mem::forget(Worker::new("newcomer", &self.log).spawn());
    }
}

#[tokio::test]
async fn those_that_are_spawned_meanwhile_are_ended_too() {
    let log = Log::default();
    let _heir = Heir { log: log.clone() }.spawn();
    let report = stop_all(LIMIT).await;
    assert_eq!(report.stopped, 2);
    assert_eq!(log.lines(), ["newcomer ends"]);
}

#[tokio::test]
async fn an_actor_that_ends_the_others_goes_on() {
    let log = Log::default();
    let _other = Worker::new("other", &log).spawn();
    let me = Worker::new("me", &log).spawn();
    let report = within(me.end_all()).await.unwrap();
    assert_eq!((report.stopped, report.is_clean()), (1, true));
    within(me.hear("more")).await.unwrap();
    assert_eq!(log.lines(), ["other ends", "me hears more"]);
}

#[actor]
struct Stuck {
    gate: mpsc::Receiver<()>,
}

#[actor]
impl Stuck {
    async fn wait(&mut self) {
        let _ = self.gate.recv();
    }
}

#[test]
fn one_in_a_poll_that_does_not_return_is_left_and_named() {
    let runtime = Runtime::builder().worker_threads(2).build().unwrap();
    let (open, gate) = mpsc::channel::<()>();
    let (stuck, report) = runtime.block_on(async {
        let stuck = Stuck { gate }.spawn();
        stuck.wait().tell().await.unwrap();
        let handle = runtime::Handle::current();
        until(|| handle.actors()[0].handling.is_some()).await;
        (stuck, stop_all(KILL_WAIT / 4).await)
    });
    let [left] = &report.left[..] else {
        panic!("one is left: {report}")
    };
    assert_eq!(left.identity, Handle::identity(&stuck));
    assert!(left.handling.is_some_and(|name| name.contains("StuckWait")));
    assert!(!report.is_clean());
    drop(open);
}

#[tokio::test]
async fn nobody_to_end_is_a_clean_end() {
    assert_eq!(stop_all(Duration::ZERO).await, Report::default());
}
