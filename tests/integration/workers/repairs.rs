//! Workers that fail, and pools whose workers do so too often.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use greenroom::{AskError, ExitReason, Handle, Intensity, Pool, PoolError, Refusal};

use super::{Census, Clerk, ClerkCrash, ClerkHold, ClerkNote, ClerkSign, clerks};
use crate::actor::support::{Gate, on_each_runtime, until, within};

const HOUR: Duration = Duration::from_secs(3600);

#[test]
fn a_worker_that_panics_is_made_anew_and_keeps_its_handle_and_its_queue() {
    on_each_runtime(|| async {
        let census = Census::default();
        let pool = Pool::builder(clerks(&census)).size(2).spawn().unwrap();
        until(|| census.alive() == 2).await;
        let (worker, gate) = (pool.pick(), Gate::shut());
        worker.hold(gate.clone()).tell().await.unwrap();
        within(gate.reached()).await;
        let crash = worker.crash().enqueue().await.unwrap();
        let sign = worker.sign().enqueue().await.unwrap();
        gate.open();
        assert!(matches!(within(crash).await, Err(AskError::Interrupted(_))));
        assert_eq!(within(sign).await.unwrap(), (Handle::id(&worker), 1));
        assert_eq!((pool.restarts(), census.born()), (1, 3));
        assert_eq!(Handle::incarnation(&worker), 2);
        assert!(pool.failure().is_none());
    });
}

#[test]
fn a_worker_that_is_killed_or_stopped_has_its_seat_filled() {
    on_each_runtime(|| async {
        let census = Census::default();
        let pool = Pool::builder(clerks(&census)).size(2).spawn().unwrap();
        let stopped = pool.workers()[0].upgrade().unwrap();
        stopped.shutdown().await;
        let killed = pool.workers()[1].upgrade().unwrap();
        killed.kill();
        until(|| pool.restarts() == 2 && census.alive() == 2).await;
        for _ in 0..4 {
            let (who, _) = within(pool.ask(ClerkSign {})).await.unwrap();
            assert_ne!(who, stopped.id());
        }
        assert_eq!(pool.size(), 2);
    });
}

#[test]
fn a_pool_whose_workers_fail_too_often_has_failed_and_says_so() {
    on_each_runtime(|| async {
        let census = Census::default();
        let builder = Pool::builder(clerks(&census)).size(2);
        let pool = builder.intensity(Intensity::new(2, HOUR)).spawn().unwrap();
        let (busy, gate) = (pool.workers()[1].upgrade().unwrap(), Gate::shut());
        busy.tell(ClerkHold { gate: gate.clone() }).await.unwrap();
        within(gate.reached()).await;
        let accepted = busy.ask(ClerkSign {}).enqueue().await.unwrap();
        let worker = pool.workers()[0].upgrade().unwrap();
        for _ in 0..3 {
            assert!(pool.failure().is_none());
            within(worker.ask(ClerkCrash {})).await.unwrap_err();
        }
        until(|| pool.failure().is_some()).await;
        let failure = pool.failure().unwrap();
        let PoolError::Restarts { worker, reason } = &failure else {
            panic!("{failure}");
        };
        assert_eq!(worker.id(), pool.workers()[0].identity().id());
        assert!(matches!(reason, ExitReason::Panicked(_)));
        assert_eq!(pool.restarts(), 2);
        gate.open();
        within(accepted).await.unwrap(); // the other has finished
        until(|| census.alive() == 0).await;
        let error = within(pool.ask(ClerkSign {})).await.unwrap_err();
        let AskError::NotHandled(error) = error else {
            panic!("{error}");
        };
        assert!(matches!(error.refusal(), Refusal::Ended(_)));
        error.into_message::<ClerkSign>().unwrap();
        pool.try_tell(ClerkNote {}).unwrap_err();
        assert!(matches!(pool.resize(9), Err(PoolError::Restarts { .. })));
        assert_eq!(census.born(), 4);
    });
}

#[test]
fn a_pool_whose_workers_never_start_fails_after_so_many_restarts() {
    on_each_runtime(|| async {
        let starts = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&starts);
        let factory = move || -> Clerk {
            counted.fetch_add(1, Ordering::SeqCst);
            panic!("out of clerks");
        };
        let builder = Pool::builder(factory).intensity(Intensity::new(5, HOUR));
        match builder.size(1).spawn() {
            Ok(pool) => {
                within(pool.ask(ClerkSign {})).await.unwrap_err();
                until(|| pool.failure().is_some()).await;
                assert_eq!(pool.restarts(), 5);
            }
            // It has failed before the pool was built.
            Err(error) => assert!(matches!(error, PoolError::Restarts { .. }), "{error}"),
        }
        assert_eq!(starts.load(Ordering::SeqCst), 6);
    });
}
