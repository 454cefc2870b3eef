//! Ends against registrations against look-ups.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use greenroom::{Builder, Handle, Id, LookupError, SpawnErrorKind, registry};

use super::Store;
use crate::actor::support::{Choices, Flavor, on_runtime, within};

const NAMES: [&str; 3] = ["one", "two", "three"];

/// Takes names and lets go of them, in all the ways there are.
async fn owns(seed: u64, spawned: Arc<AtomicUsize>) {
    let mut choices = Choices::seeded(seed);
    for _ in 0..200 {
        let name = NAMES[choices.below(3) as usize];
        let store = match Builder::new(Store).register(name).try_spawn() {
            Ok(store) => store,
            Err(error) => {
                let SpawnErrorKind::NameTaken { by } = error.kind() else {
                    panic!("{error}");
                };
                assert_eq!(by.name(), name);
                tokio::task::yield_now().await;
                continue;
            }
        };
        spawned.fetch_add(1, Ordering::SeqCst);
        // Nobody takes it away, however late the farewells of earlier owners are.
        assert_eq!(registry().get::<Store>(name).unwrap(), store);
        for _ in 0..choices.below(3) {
            tokio::task::yield_now().await;
        }
        assert_eq!(registry().get::<Store>(name).unwrap(), store);
        let weak = store.downgrade();
        match choices.below(3) {
            0 => store.stop(),
            1 => store.kill(),
            _ => {}
        }
        drop(store);
        if choices.below(2) == 0 {
            within(weak.join()).await;
        }
    }
}

/// Looks names up, and checks whom it gets.
async fn looks_up(seed: u64) {
    let mut choices = Choices::seeded(seed);
    for _ in 0..400 {
        let name = NAMES[choices.below(3) as usize];
        let found = match choices.below(2) {
            0 => registry().get::<Store>(name),
            _ => {
                let mut wait = Box::pin(registry().wait_for::<Store>(name));
                let polled = crate::actor::support::poll_once(&mut wait).await;
                let std::task::Poll::Ready(found) = polled else {
                    continue;
                };
                found
            }
        };
        match found {
            Ok(store) => {
                assert_eq!(store.name(), name);
                let expected: Id = Handle::id(&store);
                if let Ok(id) = store.ask(super::StoreId {}).await {
                    assert_eq!(id, expected);
                }
            }
            Err(LookupError::NotFound { .. }) => {}
            Err(error) => panic!("{error}"),
        }
        tokio::task::yield_now().await;
    }
}

#[test]
fn ends_registrations_and_look_ups_that_race_leave_no_stale_name() {
    on_runtime(Flavor::TwoWorkers, || async {
        for seed in 0..5 {
            let spawned = Arc::default();
            let tasks = (0..6).map(|task| {
                let seed = seed * 10 + task;
                let spawned = Arc::clone(&spawned);
                greenroom::spawn(async move {
                    match task % 2 {
                        0 => owns(seed, spawned).await,
                        _ => looks_up(seed).await,
                    }
                })
            });
            for ended in within(futures::future::join_all(tasks)).await {
                ended.unwrap();
            }
            assert!(spawned.load(Ordering::SeqCst) > 0);
            crate::actor::support::until(|| registry().list().is_empty()).await;
        }
    });
}

#[test]
fn of_many_who_want_one_name_at_once_one_gets_it() {
    on_runtime(Flavor::TwoWorkers, || async {
        for _ in 0..200 {
            let tasks = (0..4).map(|_| {
                greenroom::spawn(async { Builder::new(Store).register("one").try_spawn() })
            });
            let spawned = within(futures::future::join_all(tasks)).await;
            let stores: Vec<_> = spawned
                .into_iter()
                .filter_map(|s| s.unwrap().ok())
                .collect();
            let [store] = &stores[..] else {
                panic!("{stores:?}");
            };
            within(store.shutdown()).await;
        }
    });
}
