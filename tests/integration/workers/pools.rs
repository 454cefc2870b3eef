//! Who gets a message, and how many workers there are.

use std::collections::{HashMap, HashSet};

use greenroom::limits::{POOL_WORKERS_DEFAULT, POOL_WORKERS_MAX};
use greenroom::{Handle, Id, Pool, PoolError, Routing, SpawnErrorKind};

use super::{Census, Clerk, ClerkHold, ClerkNote, ClerkSign, clerks};
use crate::actor::support::{Gate, on_each_runtime, until, within};

/// Each key, and its worker.
fn map(pool: &Pool<Clerk>) -> HashMap<u32, Id> {
    (0..1000).map(|key| (key, pool.by_key(&key).id())).collect()
}

#[test]
fn messages_go_round_and_none_is_left_out() {
    on_each_runtime(|| async {
        let pool = Pool::builder(clerks(&Census::default())).spawn().unwrap();
        assert_eq!(pool.size(), POOL_WORKERS_DEFAULT);
        let mut signs = HashMap::new();
        for _ in 0..3 * POOL_WORKERS_DEFAULT {
            let (who, count) = within(pool.ask(ClerkSign {})).await.unwrap();
            signs.insert(who, count);
        }
        assert_eq!(signs.len(), POOL_WORKERS_DEFAULT);
        assert!(signs.values().all(|count| *count == 3), "{signs:?}");
    });
}

#[test]
fn the_least_loaded_worker_is_the_one_whose_mailbox_is_shortest() {
    on_each_runtime(|| async {
        let builder = Pool::builder(clerks(&Census::default())).size(3);
        let pool = builder.routing(Routing::LeastLoaded).spawn().unwrap();
        let gates: Vec<_> = (0..3).map(|_| Gate::shut()).collect();
        for (worker, gate) in pool.workers().iter().zip(&gates) {
            let worker = worker.upgrade().unwrap();
            worker.tell(ClerkHold { gate: gate.clone() }).await.unwrap();
            within(gate.reached()).await;
        }
        let loads = || -> Vec<_> {
            let workers = pool.workers();
            let load = |worker: &greenroom::WeakHandle<Clerk>| {
                Handle::mailbox(&worker.upgrade().unwrap()).used
            };
            workers.iter().map(load).collect()
        };
        pool.workers()[0]
            .upgrade()
            .unwrap()
            .try_tell(ClerkNote {})
            .unwrap();
        pool.workers()[0]
            .upgrade()
            .unwrap()
            .try_tell(ClerkNote {})
            .unwrap();
        for _ in 0..4 {
            within(pool.tell(ClerkNote {})).await.unwrap();
        }
        assert_eq!(loads(), [2, 2, 2]);
        for gate in &gates {
            gate.open();
        }
    });
}

#[test]
fn a_try_tell_finds_the_worker_that_has_room() {
    on_each_runtime(|| async {
        let pool = Pool::builder(clerks(&Census::default()))
            .size(3)
            .spawn()
            .unwrap();
        let gates: Vec<_> = (0..3).map(|_| Gate::shut()).collect();
        for (worker, gate) in pool.workers().iter().zip(&gates) {
            let worker = worker.upgrade().unwrap();
            worker.tell(ClerkHold { gate: gate.clone() }).await.unwrap();
            within(gate.reached()).await;
        }
        let last = pool.workers()[2].upgrade().unwrap();
        last.try_tell(ClerkNote {}).unwrap();
        last.try_tell(ClerkNote {}).unwrap();
        for _ in 0..4 {
            pool.try_tell(ClerkNote {}).unwrap();
        }
        let error = pool.try_tell(ClerkNote {}).unwrap_err();
        assert!(error.is_full());
        let ClerkNote {} = error.into_message();
        for gate in &gates {
            gate.open();
        }
    });
}

#[test]
fn a_key_has_one_worker_and_only_those_of_a_worker_that_comes_or_goes_move() {
    on_each_runtime(|| async {
        let pool = Pool::builder(clerks(&Census::default()))
            .size(4)
            .spawn()
            .unwrap();
        let before = map(&pool);
        assert_eq!(map(&pool), before);
        let shares = before.values().collect::<HashSet<_>>();
        assert_eq!(shares.len(), 4, "each worker has keys");
        pool.resize(5).unwrap();
        let after = map(&pool);
        let newcomer = pool.workers()[4].identity().id();
        let moved: Vec<_> = (0..1000).filter(|key| before[key] != after[key]).collect();
        assert!(
            (100..300).contains(&moved.len()),
            "{} keys moved",
            moved.len()
        );
        assert!(moved.iter().all(|key| after[key] == newcomer));
        pool.resize(4).unwrap();
        assert_eq!(map(&pool), before);
    });
}

#[test]
fn all_workers_hear_a_broadcast_and_who_has_no_slot_hands_it_back() {
    on_each_runtime(|| async {
        let pool = Pool::builder(clerks(&Census::default())).size(3).mailbox(1);
        let pool = pool.spawn().unwrap();
        let gate = Gate::shut();
        let busy = pool.workers()[1].upgrade().unwrap();
        busy.tell(ClerkHold { gate: gate.clone() }).await.unwrap();
        within(gate.reached()).await;
        busy.try_tell(ClerkNote {}).unwrap();
        let report = pool.broadcast(ClerkNote {});
        assert_eq!((report.reached.len(), report.refused.len()), (2, 1));
        assert_eq!(report.refused[0].actor().id(), busy.id());
        gate.open();
    });
}

#[test]
fn a_pool_that_shrinks_handles_what_its_workers_have_accepted() {
    on_each_runtime(|| async {
        let census = Census::default();
        let pool = Pool::builder(clerks(&census)).size(3).spawn().unwrap();
        until(|| census.alive() == 3).await;
        let gate = Gate::shut();
        let last = pool.workers()[2].clone();
        let asks = {
            let last = last.upgrade().unwrap();
            last.tell(ClerkHold { gate: gate.clone() }).await.unwrap();
            within(gate.reached()).await;
            [last.ask(ClerkSign {}).enqueue().await.unwrap()]
        };
        pool.resize(1).unwrap();
        assert_eq!(pool.size(), 1);
        gate.open();
        for ask in asks {
            assert_eq!(within(ask).await.unwrap().1, 1);
        }
        until(|| census.alive() == 1).await;
        assert_eq!(census.born(), 3, "none was replaced");
        pool.resize(5).unwrap();
        until(|| census.alive() == 5).await;
    });
}

#[test]
fn the_last_clone_of_a_pool_takes_its_workers_along() {
    on_each_runtime(|| async {
        let census = Census::default();
        let pool = Pool::builder(clerks(&census)).size(3).spawn().unwrap();
        until(|| census.alive() == 3).await;
        let (clone, asked) = (pool.clone(), pool.ask(ClerkSign {}));
        drop(pool);
        within(clone.ask(ClerkSign {})).await.unwrap();
        drop(clone);
        within(asked).await.unwrap();
        until(|| census.alive() == 0).await;
        assert_eq!(census.born(), 3);
    });
}

#[test]
fn a_pool_that_is_shut_down_refuses_what_comes_and_has_no_worker_left() {
    on_each_runtime(|| async {
        let census = Census::default();
        let pool = Pool::builder(clerks(&census)).size(3).spawn().unwrap();
        let clone = pool.clone();
        within(pool.shutdown()).await;
        assert_eq!(census.alive(), 0);
        assert!(matches!(clone.failure(), Some(PoolError::Ended)));
        assert!(matches!(clone.resize(4), Err(PoolError::Ended)));
        let ClerkNote {} = clone.try_tell(ClerkNote {}).unwrap_err().into_message();
        assert_eq!(census.born(), 3, "none was replaced");
    });
}

#[test]
fn what_a_pool_can_not_be_is_an_error() {
    on_each_runtime(|| async {
        let pool = || Pool::builder(clerks(&Census::default()));
        for size in [0, POOL_WORKERS_MAX + 1] {
            let error = pool().size(size).spawn().unwrap_err();
            assert!(matches!(error, PoolError::Size(n) if n == size), "{error}");
        }
        let error = pool().mailbox(0).spawn().unwrap_err();
        assert!(matches!(
            error,
            PoolError::Spawn(SpawnErrorKind::Mailbox(0))
        ));
        let pool = pool().size(2).name("clerk").spawn().unwrap();
        assert!(matches!(pool.resize(0), Err(PoolError::Size(0))));
        assert_eq!(pool.size(), 2);
        assert_eq!(Handle::name(&pool.pick()), "clerk");
    });
    let error = Pool::builder(clerks(&Census::default()))
        .spawn()
        .unwrap_err();
    assert!(matches!(error, PoolError::Spawn(SpawnErrorKind::NoRuntime)));
}
