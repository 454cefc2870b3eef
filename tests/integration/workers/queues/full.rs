//! What becomes of jobs that find the queue full.

use std::sync::mpsc::{Receiver, channel};

use greenroom::{Discard, JobError, QueueRefusal, WhenFull};

use super::{Begun, Job, Queue, list, note, occupy, presses};
use crate::actor::support::{Gate, on_each_runtime, poll_once, within};

/// A queue with room for two jobs, both of which are taken, and what its hook is told.
async fn full(when_full: WhenFull) -> (Queue, Begun, Gate, Receiver<(u32, Discard)>) {
    let (hook, told) = channel();
    let (builder, begun, _) = presses();
    let builder = builder.on_discard(move |job: Job, why| {
        let _ = hook.send((job.n, why));
        panic!("a hook's panic goes no further");
    });
    let queue = builder.workers(1).capacity(2).when_full(when_full);
    let queue = queue.spawn().unwrap();
    let gate = occupy(&queue, 0).await;
    queue.tell(note(1)).await.unwrap();
    queue.tell(note(2)).await.unwrap();
    (queue, begun, gate, told)
}

#[test]
fn a_job_that_finds_no_room_waits_for_it_and_nothing_is_lost() {
    on_each_runtime(|| async {
        let (queue, begun, gate, told) = full(WhenFull::Wait).await;
        let mut third = Box::pin(queue.tell(note(3)));
        let mut fourth = Box::pin(queue.ask(note(4)));
        assert!(poll_once(&mut third).await.is_pending());
        assert!(poll_once(&mut fourth).await.is_pending());
        let error = queue.try_tell(note(5)).unwrap_err();
        assert!(matches!(error.refusal(), QueueRefusal::Full));
        assert_eq!(error.into_job().n, 5);
        assert_eq!(queue.stats().queued, 2);
        gate.open();
        within(third).await.unwrap();
        assert_eq!(within(fourth).await.unwrap(), 4);
        assert_eq!(list(&begun), [0, 1, 2, 3, 4]);
        assert_eq!(told.try_iter().count(), 0);
    });
}

#[test]
fn a_job_that_waits_for_room_is_withdrawn_with_its_future() {
    on_each_runtime(|| async {
        let (queue, begun, gate, _) = full(WhenFull::Wait).await;
        let mut third = Box::pin(queue.tell(note(3)));
        assert!(poll_once(&mut third).await.is_pending());
        drop(third);
        gate.open();
        within(queue.drain()).await;
        assert_eq!(list(&begun), [0, 1, 2]);
    });
}

#[test]
fn a_queue_that_rejects_hands_the_job_back() {
    on_each_runtime(|| async {
        let (queue, begun, gate, told) = full(WhenFull::Reject).await;
        let error = queue.tell(note(3)).await.unwrap_err();
        assert!(matches!(error.refusal(), QueueRefusal::Full));
        assert_eq!(error.into_job().n, 3);
        let JobError::NotTaken(error) = queue.ask(note(4)).await.unwrap_err() else {
            panic!("it was taken");
        };
        assert_eq!(error.into_job().n, 4);
        gate.open();
        within(queue.drain()).await;
        assert_eq!(list(&begun), [0, 1, 2]);
        assert_eq!(told.try_iter().count(), 0, "who has it back knows");
    });
}

#[test]
fn of_jobs_that_drop_the_newest_the_first_are_done() {
    on_each_runtime(|| async {
        let (queue, begun, gate, told) = full(WhenFull::DropNewest).await;
        queue.tell(note(3)).await.unwrap();
        let error = queue.ask(note(4)).await.unwrap_err();
        assert!(matches!(error, JobError::Discarded(Discard::Newest)));
        gate.open();
        within(queue.drain()).await;
        assert_eq!(list(&begun), [0, 1, 2]);
        let told: Vec<_> = told.try_iter().collect();
        assert_eq!(told, [(3, Discard::Newest), (4, Discard::Newest)]);
        assert_eq!(queue.stats().discarded, 2);
    });
}

#[test]
fn of_jobs_that_drop_the_oldest_the_last_are_done() {
    on_each_runtime(|| async {
        let (queue, begun, gate, told) = full(WhenFull::DropOldest).await;
        let mut third = Box::pin(queue.ask(note(3)));
        assert!(poll_once(&mut third).await.is_pending());
        queue.tell(note(4)).await.unwrap();
        queue.tell(note(5)).await.unwrap();
        let error = within(third).await.unwrap_err();
        assert!(matches!(error, JobError::Discarded(Discard::Oldest)));
        gate.open();
        within(queue.drain()).await;
        assert_eq!(list(&begun), [0, 4, 5]);
        let told: Vec<_> = told.try_iter().collect();
        assert_eq!(told, [1, 2, 3].map(|n| (n, Discard::Oldest)));
    });
}
