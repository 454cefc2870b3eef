//! Waiting for a name.

use greenroom::{Builder, LookupError, Runtime, registry};

use super::{Cache, Store};
use crate::actor::support::{on_each_runtime, on_thread, poll_once, within};

#[test]
fn a_wait_is_over_when_an_actor_gets_the_name() {
    on_each_runtime(|| async {
        let mut waits: Vec<_> = (0..3)
            .map(|_| Box::pin(registry().wait_for::<Store>("store")))
            .collect();
        for wait in &mut waits {
            assert!(poll_once(wait).await.is_pending());
            assert!(poll_once(wait).await.is_pending());
        }
        let store = Store.spawn();
        let task = greenroom::spawn({
            let store = store.clone();
            async move { store.register("store").map(drop) }
        });
        for wait in waits {
            assert_eq!(within(wait).await.unwrap(), store);
        }
        task.await.unwrap().unwrap();
    });
}

#[test]
fn a_wait_for_a_name_that_is_there_is_over_at_once() {
    on_each_runtime(|| async {
        let store = Builder::new(Store).register("store").spawn();
        let mut wait = Box::pin(registry().wait_for::<Store>("store"));
        assert!(poll_once(&mut wait).await.is_ready());
        drop(store);
    });
}

#[test]
fn a_wait_is_told_of_an_owner_of_another_type() {
    on_each_runtime(|| async {
        let mut wait = Box::pin(registry().wait_for::<Store>("store"));
        assert!(poll_once(&mut wait).await.is_pending());
        let cache = Builder::new(Cache).register("store").spawn();
        let error = within(wait).await.unwrap_err();
        assert!(matches!(error, LookupError::WrongType { .. }), "{error}");
        drop(cache);
    });
}

#[test]
fn a_wait_passes_over_an_owner_that_has_gone_and_takes_the_next() {
    on_each_runtime(|| async {
        let first = Builder::new(Store).register("store").spawn();
        let weak = first.downgrade();
        drop(first);
        // It has its name as long as it is ending, and nobody reaches it any more.
        let mut wait = Box::pin(registry().wait_for::<Store>("store"));
        assert!(poll_once(&mut wait).await.is_pending());
        within(weak.join()).await;
        assert!(poll_once(&mut wait).await.is_pending());
        let second = Builder::new(Store).register("store").spawn();
        assert_eq!(within(wait).await.unwrap(), second);
    });
}

#[test]
fn a_wait_can_be_dropped_after_any_poll_and_the_others_go_on() {
    on_each_runtime(|| async {
        let mut waits: Vec<_> = (0..4)
            .map(|_| Box::pin(registry().wait_for::<Store>("store")))
            .collect();
        for (polls, wait) in waits.iter_mut().enumerate() {
            for _ in 0..polls {
                assert!(poll_once(wait).await.is_pending());
            }
        }
        let last = waits.pop().unwrap();
        drop(waits);
        let store = Builder::new(Store).register("store").spawn();
        assert_eq!(within(last).await.unwrap(), store);
    });
}

#[test]
fn a_wait_ends_with_the_runtime_whose_name_it_waits_for() {
    on_thread(|| {
        let build = || Runtime::builder().current_thread().build().unwrap();
        let (host, other) = (build(), build());
        let registry = host.block_on(async { registry() });
        other.block_on(async {
            let mut wait = Box::pin(registry.wait_for::<Store>("store"));
            assert!(poll_once(&mut wait).await.is_pending());
            std::thread::spawn(move || drop(host));
            assert_eq!(within(wait).await.unwrap_err(), LookupError::RuntimeGone);
        });
    });
}
