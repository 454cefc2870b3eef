//! Workers that crash, and their jobs.

use std::time::Duration;

use greenroom::{AskError, Discard, Intensity, JobError, PoolError, QueueRefusal};

use super::{Act, Job, job, list, note, occupy, presses};
use crate::actor::support::{on_each_runtime, within};

const HOUR: Duration = Duration::from_secs(3600);

#[test]
fn a_job_at_which_its_worker_crashed_is_not_done_again_and_its_asker_is_told() {
    on_each_runtime(|| async {
        let (builder, begun, census) = presses();
        let queue = builder.workers(1).spawn().unwrap();
        let error = within(queue.ask(job(1, Act::Crash))).await.unwrap_err();
        assert!(
            matches!(error, JobError::Ask(AskError::Interrupted(_))),
            "{error}"
        );
        assert_eq!(within(queue.ask(note(2))).await.unwrap(), 2);
        assert_eq!(list(&begun), [1, 2]);
        let stats = queue.stats();
        assert_eq!((stats.done, stats.crashed, stats.restarts), (1, 1, 1));
        assert_eq!(census.born(), 2);
    });
}

#[test]
fn with_retries_it_is_done_again_so_often_and_before_what_waits() {
    on_each_runtime(|| async {
        let (builder, begun, _) = presses();
        let queue = builder.workers(1).retries(2).spawn().unwrap();
        let gate = occupy(&queue, 0).await;
        let crash = queue.ask(job(1, Act::Crash));
        let after = queue.ask(note(2));
        let (crash, after, ()) = within(futures::future::join3(crash, after, async {
            gate.open();
        }))
        .await;
        assert!(matches!(
            crash,
            Err(JobError::Ask(AskError::Interrupted(_)))
        ));
        assert_eq!(after.unwrap(), 2);
        assert_eq!(list(&begun), [0, 1, 1, 1, 2]);
        let stats = queue.stats();
        assert_eq!((stats.retried, stats.crashed, stats.restarts), (2, 1, 3));
    });
}

#[test]
fn a_job_is_not_lost_when_its_worker_ends_before_it_has_begun() {
    on_each_runtime(|| async {
        let (builder, begun, census) = presses();
        let builder = builder.workers(1).intensity(Intensity::unlimited());
        let queue = builder.spawn().unwrap();
        for n in 0..50 {
            queue.tell(job(2 * n, Act::Leave)).await.unwrap();
            queue.tell(note(2 * n + 1)).await.unwrap();
        }
        within(queue.drain()).await;
        assert_eq!(list(&begun), (0..100).collect::<Vec<_>>());
        assert_eq!((queue.stats().done, census.alive()), (100, 0));
    });
}

#[test]
fn field_60_a_worker_that_comes_back_takes_what_waits_and_the_counts_add_up() {
    on_each_runtime(|| async {
        let (builder, begun, census) = presses();
        let builder = builder.workers(2).intensity(Intensity::unlimited());
        let queue = builder.spawn().unwrap();
        for n in 0..100 {
            let act = if n % 7 == 6 { Act::Crash } else { Act::Note };
            queue.tell(job(n, act)).await.unwrap();
            assert!(queue.stats().running <= 2);
        }
        within(queue.drain()).await;
        let mut all = list(&begun);
        all.sort_unstable();
        assert_eq!(all, (0..100).collect::<Vec<_>>());
        let stats = queue.stats();
        assert_eq!((stats.queued, stats.running, stats.workers), (0, 0, 0));
        assert_eq!((stats.done, stats.crashed), (86, 14));
        assert_eq!(census.alive(), 0);
    });
}

#[test]
fn a_queue_whose_workers_crash_too_often_has_failed_and_hands_back_or_discards_the_rest() {
    on_each_runtime(|| async {
        let (hook, told) = std::sync::mpsc::channel();
        let (builder, begun, _) = presses();
        let builder = builder.on_discard(move |job: Job, why| hook.send((job.n, why)).unwrap());
        let builder = builder.workers(1).intensity(Intensity::new(1, HOUR));
        let queue = builder.spawn().unwrap();
        let gate = occupy(&queue, 0).await;
        queue.tell(job(1, Act::Crash)).await.unwrap();
        queue.tell(job(2, Act::Crash)).await.unwrap();
        let (third, fourth, ()) = within(futures::future::join3(
            queue.ask(note(3)),
            queue.ask(note(4)),
            async { gate.open() },
        ))
        .await;
        for error in [third.unwrap_err(), fourth.unwrap_err()] {
            assert!(
                matches!(error, JobError::Discarded(Discard::Failed)),
                "{error}"
            );
        }
        assert!(matches!(queue.failure(), Some(PoolError::Restarts { .. })));
        let error = queue.tell(note(5)).await.unwrap_err();
        let QueueRefusal::Failed(PoolError::Restarts { .. }) = error.refusal() else {
            panic!("{error}");
        };
        assert_eq!(error.into_job().n, 5);
        assert!(matches!(queue.resize(2), Err(PoolError::Restarts { .. })));
        within(queue.drain()).await;
        assert_eq!(list(&begun), [0, 1, 2]);
        let mut told: Vec<_> = told.try_iter().map(|(n, _)| n).collect();
        told.sort_unstable();
        assert_eq!(told, [3, 4]);
        assert_eq!((queue.stats().restarts, queue.stats().discarded), (1, 2));
    });
}
