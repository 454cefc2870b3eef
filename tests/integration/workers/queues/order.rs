//! Who does which job, and when.

use std::time::Duration;

use greenroom::limits::{MAILBOX_MAX, POOL_QUEUE_DEFAULT, POOL_WORKERS_DEFAULT, POOL_WORKERS_MAX};
use greenroom::{AskError, JobError, PoolError, SpawnErrorKind};

use super::{Act, Job, job, list, note, occupy, presses};
use crate::actor::support::{Gate, on_each_runtime, poll_once, until, within};

#[test]
fn no_job_waits_behind_a_slow_one_while_another_worker_is_idle() {
    on_each_runtime(|| async {
        let (builder, ..) = presses();
        let queue = builder.workers(2).spawn().unwrap();
        let gate = occupy(&queue, 0).await;
        for n in 1..100 {
            assert_eq!(within(queue.ask(note(n))).await.unwrap(), n);
        }
        assert_eq!(queue.stats().running, 1);
        gate.open();
    });
}

#[test]
fn jobs_begin_in_the_order_in_which_they_were_taken() {
    on_each_runtime(|| async {
        let (builder, begun, _) = presses();
        let queue = builder.workers(1).spawn().unwrap();
        for n in 0..100 {
            queue.tell(note(n)).await.unwrap();
        }
        within(queue.drain()).await;
        assert_eq!(list(&begun), (0..100).collect::<Vec<_>>());
    });
}

#[test]
fn an_error_of_a_handler_is_the_askers_and_the_job_is_done() {
    on_each_runtime(|| async {
        let (builder, ..) = presses();
        let queue = builder.spawn().unwrap();
        let error = within(queue.ask(job(1, Act::Fail))).await.unwrap_err();
        assert!(matches!(
            error,
            JobError::Ask(AskError::Handler(std::fmt::Error))
        ));
        assert_eq!((queue.stats().done, queue.stats().restarts), (1, 0));
    });
}

#[test]
fn a_job_whose_asker_has_gone_is_discarded_in_its_turn() {
    on_each_runtime(|| async {
        let (hook, told) = std::sync::mpsc::channel();
        let (builder, begun, _) = presses();
        let builder = builder.on_discard(move |job: Job, why| hook.send((job.n, why)).unwrap());
        let queue = builder.workers(1).spawn().unwrap();
        let gate = occupy(&queue, 0).await;
        let mut ask = Box::pin(queue.ask(note(1)));
        assert!(poll_once(&mut ask).await.is_pending());
        assert_eq!(queue.stats().queued, 1);
        drop(ask);
        queue.tell(note(2)).await.unwrap();
        gate.open();
        within(queue.drain()).await;
        assert_eq!(list(&begun), [0, 2]);
        assert_eq!(
            told.try_iter().collect::<Vec<_>>(),
            [(1, greenroom::Discard::AskerGone)]
        );
        assert_eq!(queue.stats().discarded, 1);
    });
}

#[test]
fn a_queue_grows_at_once_and_shrinks_as_its_workers_come_free() {
    on_each_runtime(|| async {
        let (builder, _, census) = presses();
        let queue = builder.workers(1).spawn().unwrap();
        let first = occupy(&queue, 0).await;
        queue.tell(note(1)).await.unwrap();
        queue.resize(3).unwrap();
        until(|| queue.stats().done == 1).await; // by a new one
        let others = [occupy(&queue, 2).await, occupy(&queue, 3).await];
        assert_eq!((queue.stats().running, queue.stats().workers), (3, 3));
        queue.resize(1).unwrap();
        queue.tell(note(4)).await.unwrap();
        assert_eq!(queue.stats().running, 3, "what they have they do");
        first.open();
        others.iter().for_each(Gate::open);
        until(|| queue.stats().done == 5 && queue.stats().workers == 1).await;
        until(|| census.alive() == 1).await;
        assert_eq!(census.born(), 3);
    });
}

#[test]
fn what_a_queue_can_not_be_is_an_error() {
    on_each_runtime(|| async {
        for jobs in [0, MAILBOX_MAX + 1] {
            let error = presses().0.capacity(jobs).spawn().unwrap_err();
            assert!(matches!(error, PoolError::Queue(n) if n == jobs), "{error}");
        }
        for workers in [0, POOL_WORKERS_MAX + 1] {
            let error = presses().0.workers(workers).spawn().unwrap_err();
            assert!(
                matches!(error, PoolError::Size(n) if n == workers),
                "{error}"
            );
        }
        for (jobs, per) in [(0, Duration::from_secs(1)), (1, Duration::MAX)] {
            let error = presses().0.rate(jobs, per).spawn();
            assert!(matches!(error, Err(PoolError::Rate)));
        }
        let queue = presses().0.spawn().unwrap();
        assert!(matches!(queue.resize(0), Err(PoolError::Size(0))));
        assert_eq!(queue.stats().workers, POOL_WORKERS_DEFAULT);
    });
    let error = presses().0.spawn().unwrap_err();
    assert!(matches!(error, PoolError::Spawn(SpawnErrorKind::NoRuntime)));
}

#[test]
fn unless_it_says_otherwise_a_queue_has_room_for_so_many() {
    on_each_runtime(|| async {
        let queue = presses().0.workers(1).spawn().unwrap();
        let gate = occupy(&queue, 0).await;
        for n in 0..POOL_QUEUE_DEFAULT {
            queue.try_tell(note(n as u32)).unwrap();
        }
        queue.try_tell(note(0)).unwrap_err();
        gate.open();
    });
}

#[test]
fn the_workers_of_a_queue_have_the_name_that_is_given() {
    on_each_runtime(|| async {
        let queue = presses().0.name("printer").spawn().unwrap();
        let error = within(queue.ask(job(0, Act::Crash))).await.unwrap_err();
        let JobError::Ask(error) = error else {
            panic!("{error}");
        };
        assert_eq!(error.actor().unwrap().name(), "printer");
    });
}
