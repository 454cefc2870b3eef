//! Names and their owners.

use greenroom::{
    Builder, Error, ExitReason, LookupError, Refusal, RegisterError, Runtime, registry,
};

use super::{Cache, Store, StoreId};
use crate::actor::support::{on_each_runtime, on_thread, within};

#[test]
fn an_actor_is_found_by_its_name_and_type() {
    on_each_runtime(|| async {
        let store = Builder::new(Store).register("store").spawn();
        let found = registry().get::<Store>("store").unwrap();
        assert_eq!(found, store);
        assert_eq!(found.id().await.unwrap(), (*store).id());
    });
}

#[test]
fn a_name_that_nobody_has_is_not_found() {
    on_each_runtime(|| async {
        let error = registry().get::<Store>("store").unwrap_err();
        assert_eq!(
            error,
            LookupError::NotFound {
                name: "store".into()
            }
        );
        assert_eq!(error.to_string(), "no actor is registered as \"store\"");
    });
}

#[test]
fn a_look_up_of_another_type_says_whose_name_it_is() {
    on_each_runtime(|| async {
        let cache = Builder::new(Cache).register("store").spawn();
        let error = registry().get::<Store>("store").unwrap_err();
        let LookupError::WrongType {
            name,
            owner,
            found,
            wanted,
        } = &error
        else {
            panic!("{error}");
        };
        assert_eq!((&**name, owner), ("store", &cache.identity()));
        assert!(found.ends_with("Cache") && wanted.ends_with("Store"));
        assert!(error.to_string().contains("is a "), "{error}");
    });
}

#[test]
fn a_name_has_one_owner_and_who_comes_second_is_told_who() {
    on_each_runtime(|| async {
        let (first, second) = (Store.spawn(), Cache.spawn());
        first.register("store").unwrap();
        let error = second.register("store").unwrap_err();
        let text = format!("the name \"store\" is taken by {}", first.identity());
        assert_eq!(error.to_string(), text);
        let RegisterError::Taken { name, by } = error else {
            panic!("{error}");
        };
        assert_eq!((&*name, by), ("store", first.identity()));
        // Nor does its owner get it twice.
        assert!(first.register("store").is_err());
        assert_eq!(registry().get::<Store>("store").unwrap(), first);
    });
}

#[test]
fn an_actor_may_have_several_names_and_all_are_free_at_its_end() {
    on_each_runtime(|| async {
        let store = Builder::new(Store).register("store").spawn();
        store.register("also").unwrap();
        let registry = registry();
        let names: Vec<_> = registry.list().into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["also".into(), "store".into()]);
        within(store.shutdown()).await;
        assert_eq!(registry.list(), []);
    });
}

#[test]
fn names_are_listed_with_their_owners() {
    on_each_runtime(|| async {
        let (store, cache) = (Store.spawn(), Cache.spawn());
        store.register("b").unwrap();
        cache.register("a").unwrap();
        let list = registry().list();
        let owners = [
            ("a".into(), cache.identity()),
            ("b".into(), store.identity()),
        ];
        assert_eq!(list, owners);
        let shown = format!("{:?}", registry());
        assert_eq!(
            shown,
            format!("{{\"a\": {:?}, \"b\": {:?}}}", owners[0].1, owners[1].1)
        );
    });
}

#[test]
fn a_name_that_is_given_up_is_free_for_another() {
    on_each_runtime(|| async {
        let (first, second) = (Store.spawn(), Store.spawn());
        let registration = first.register("store").unwrap();
        assert_eq!(registration.name(), "store");
        assert!(registration.is_current());
        assert!(registration.unregister());
        assert!(registry().get::<Store>("store").is_err());
        second.register("store").unwrap();
        assert_eq!(registry().get::<Store>("store").unwrap(), second);
    });
}

#[test]
fn an_old_registration_gives_up_nothing_of_a_later_owner() {
    on_each_runtime(|| async {
        let (first, second) = (Store.spawn(), Store.spawn());
        let old = first.register("store").unwrap();
        old.unregister();
        second.register("store").unwrap();
        assert!(!old.is_current() && !old.unregister());
        within(first.shutdown()).await;
        assert_eq!(registry().get::<Store>("store").unwrap(), second);
    });
}

#[test]
fn a_registration_that_is_dropped_changes_nothing() {
    on_each_runtime(|| async {
        let store = Store.spawn();
        drop(store.register("store").unwrap());
        assert_eq!(registry().get::<Store>("store").unwrap(), store);
    });
}

#[test]
fn an_actor_that_has_ended_gets_no_name() {
    on_each_runtime(|| async {
        let store = Store.spawn();
        within(store.shutdown()).await;
        let error = store.register("store").unwrap_err();
        assert_eq!(error.to_string(), "the actor has ended: it was stopped");
        assert!(matches!(error, RegisterError::Ended(ExitReason::Stopped)));
        assert_eq!(registry().list(), []);
        Builder::new(Store).register("store").try_spawn().unwrap();
    });
}

#[test]
fn an_actor_that_was_told_to_stop_is_found_until_its_end_and_takes_nothing() {
    on_each_runtime(|| async {
        let store = Builder::new(Store).register("store").spawn();
        // Not awaited: nothing of it runs before the look-up on a runtime of one thread.
        store.stop();
        if let Ok(found) = registry().get::<Store>("store") {
            let error = found.tell(StoreId {}).await.unwrap_err();
            assert!(matches!(error.refusal(), Refusal::Ended(_)), "{error}");
        }
        within(store.join()).await;
        assert!(registry().get::<Store>("store").is_err());
    });
}

#[test]
fn a_handle_never_reaches_a_later_owner_of_the_name() {
    on_each_runtime(|| async {
        let first = Builder::new(Store).register("store").spawn();
        let found = registry().get::<Store>("store").unwrap();
        within(first.shutdown()).await;
        let second = Builder::new(Store).register("store").spawn();
        assert!(found.id().await.is_err());
        assert_ne!(found, second);
    });
}

#[test]
fn each_runtime_has_names_of_its_own() {
    on_thread(|| {
        let build = || Runtime::builder().current_thread().build().unwrap();
        let (one, other) = (build(), build());
        let store = one.block_on(async { Builder::new(Store).register("store").spawn() });
        other.block_on(async {
            assert!(registry().get::<Store>("store").is_err());
            // A name is in the registry of its actor's runtime, wherever it is given.
            store.register("abroad").unwrap();
            assert!(registry().get::<Store>("abroad").is_err());
            Builder::new(Store).register("store").try_spawn().unwrap();
        });
        one.block_on(async {
            assert_eq!(registry().get::<Store>("abroad").unwrap(), store);
        });
    });
}

#[test]
fn a_registry_outlives_its_runtime_and_says_so() {
    on_thread(|| {
        let runtime = Runtime::builder().current_thread().build().unwrap();
        let (registry, store) = runtime.block_on(async {
            let store = Builder::new(Store).register("store").spawn();
            (registry(), store)
        });
        drop(runtime);
        let error = registry.get::<Store>("store").unwrap_err();
        assert_eq!(error, LookupError::RuntimeGone);
        assert_eq!(registry.list(), []);
        assert!(store.register("again").is_err());
    });
}

#[test]
fn outside_any_runtime_a_look_up_says_so() {
    on_thread(|| {
        let error = registry().get::<Store>("store").unwrap_err();
        assert_eq!(error, LookupError::NoRuntime);
        assert_eq!(registry().list(), []);
        let waited = futures::executor::block_on(registry().wait_for::<Store>("store"));
        assert_eq!(waited.unwrap_err(), LookupError::NoRuntime);
        let shown = Error::from(error).to_string();
        assert_eq!(shown, "there is no runtime here to look names up in");
    });
}
