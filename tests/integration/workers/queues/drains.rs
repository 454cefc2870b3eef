//! How a queue ends.

use greenroom::{Discard, JobError, PoolError, QueueRefusal};

use super::{Act, job, list, note, occupy, presses};
use crate::actor::support::{Flavor, Gate, on_each_runtime, poll_once, until, within};

#[test]
fn a_queue_that_is_drained_takes_nothing_and_does_all_that_it_has_taken() {
    on_each_runtime(|| async {
        let (builder, begun, census) = presses();
        let queue = builder.workers(2).capacity(3).spawn().unwrap();
        let gates = [occupy(&queue, 0).await, occupy(&queue, 1).await];
        for n in 2..5 {
            queue.tell(note(n)).await.unwrap();
        }
        let mut waits = Box::pin(queue.tell(note(9)));
        assert!(poll_once(&mut waits).await.is_pending());
        let clone = queue.clone();
        let mut drain = Box::pin(clone.drain());
        assert!(poll_once(&mut drain).await.is_pending());
        let error = within(waits).await.unwrap_err();
        assert!(matches!(error.refusal(), QueueRefusal::Draining));
        assert_eq!(error.into_job().n, 9);
        assert!(matches!(queue.resize(3), Err(PoolError::Ended)));
        assert_eq!(queue.try_tell(note(8)).unwrap_err().into_job().n, 8);
        gates.iter().for_each(Gate::open);
        within(drain).await;
        let mut all = list(&begun);
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3, 4]);
        assert_eq!((queue.stats().done, census.alive()), (5, 0));
        within(queue.drain()).await;
    });
}

#[test]
fn the_last_clone_of_a_queue_leaves_the_workers_with_what_is_in_it() {
    on_each_runtime(|| async {
        let (builder, begun, census) = presses();
        let queue = builder.workers(1).spawn().unwrap();
        let gate = occupy(&queue, 0).await;
        let clone = queue.clone();
        drop(queue);
        for n in 1..10 {
            clone.tell(note(n)).await.unwrap();
        }
        drop(clone);
        gate.open();
        until(|| list(&begun).len() == 10 && census.alive() == 0).await;
        assert_eq!(list(&begun), (0..10).collect::<Vec<_>>());
    });
}

#[test]
fn askers_hear_of_it_when_the_runtime_of_the_workers_ends() {
    for flavor in Flavor::ALL {
        let (theirs, ours) = (flavor.build(), flavor.build());
        let gate = Gate::shut();
        let queue = theirs.block_on(async {
            let queue = presses().0.workers(1).spawn().unwrap();
            queue.tell(job(0, Act::Hold(gate.clone()))).await.unwrap();
            within(gate.reached()).await;
            queue
        });
        ours.block_on(async {
            let mut waits = Box::pin(queue.ask(note(1)));
            assert!(poll_once(&mut waits).await.is_pending());
            tokio::task::spawn_blocking(move || drop(theirs))
                .await
                .unwrap();
            let error = within(waits).await.unwrap_err();
            assert!(
                matches!(error, JobError::Discarded(Discard::Failed)),
                "{error}"
            );
            within(queue.drain()).await;
            assert!(matches!(queue.failure(), Some(PoolError::Spawn(_))));
        });
    }
}

#[test]
fn the_asker_of_a_job_that_is_being_done_hears_that_the_runtime_of_the_workers_has_ended() {
    for flavor in Flavor::ALL {
        let (theirs, ours) = (flavor.build(), flavor.build());
        let gate = Gate::shut();
        let queue = theirs.block_on(async { presses().0.workers(1).spawn().unwrap() });
        let mut asked = Box::pin(queue.ask(job(0, Act::Hold(gate.clone()))));
        assert!(ours.block_on(poll_once(&mut asked)).is_pending());
        theirs.block_on(within(gate.reached()));
        ours.block_on(async {
            tokio::task::spawn_blocking(move || drop(theirs))
                .await
                .unwrap();
            let error = within(asked).await.unwrap_err();
            assert!(
                matches!(error, JobError::Discarded(Discard::RuntimeGone)),
                "{error}"
            );
        });
    }
}
