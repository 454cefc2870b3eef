use std::sync::Arc;
use std::task::{Context, Waker};

use super::table::{Look, Table};
use super::{Registry, registry};
use crate::actor::Builder;
use crate::exec::runtime::Runtime;

#[greenroom::actor]
struct Store;

#[greenroom::actor]
impl Store {}

fn on_runtime(test: impl AsyncFnOnce(Arc<Table>)) {
    let runtime = Runtime::builder().current_thread().build();
    runtime.expect("a runtime").block_on(async {
        let Registry(table) = registry();
        test(table.expect("a runtime is around")).await;
    });
}

#[test]
fn nothing_is_kept_of_a_name_that_nobody_has_and_nobody_waits_for() {
    on_runtime(async |table| {
        let mut waits: Vec<_> = (0..3)
            .map(|_| Box::pin(registry().wait_for::<Store>("store")))
            .collect();
        for wait in &mut waits {
            let mut cx = Context::from_waker(Waker::noop());
            assert!(wait.as_mut().poll(&mut cx).is_pending());
        }
        assert_eq!(table.places(), 1);
        drop(waits);
        assert_eq!(table.places(), 0);
        let store = Builder::new(Store).register("store").spawn();
        assert!(Builder::new(Store).register("store").try_spawn().is_err());
        let held = Arc::strong_count(&table);
        store.register("also").expect("it is free").unregister();
        // Nor does the actor keep the farewell.
        assert_eq!((table.places(), Arc::strong_count(&table)), (1, held));
        store.shutdown().await;
        assert_eq!(table.places(), 0);
    });
}

#[test]
fn a_name_is_taken_before_its_owner_is_found_and_not_found_when_it_was_given_up() {
    on_runtime(async |table| {
        let (store, name) = (Store.spawn(), Arc::from("store"));
        let claim = table.claim(&name, store.identity()).expect("it is free");
        assert!(matches!(table.look::<Store>("store"), Look::Nobody));
        assert!(table.claim(&name, store.identity()).is_err());
        assert!(table.list().is_empty());
        // As a farewell that is said between the two.
        assert!(table.give_up(&claim));
        let order = crate::ending::Order::Name;
        let farewell = store.head().on_end(order, |_, _| {}).expect("it lives");
        assert!(!table.publish(&claim, store.downgrade(), farewell));
        assert!(matches!(table.look::<Store>("store"), Look::Nobody));
        assert!(!table.give_up(&claim));
        assert_eq!(table.places(), 0);
    });
}

#[test]
fn a_claim_that_was_given_up_publishes_nothing_under_its_next_owner() {
    on_runtime(async |table| {
        let (old, new, name) = (Store.spawn(), Store.spawn(), Arc::from("store"));
        let claim = table.claim(&name, old.identity()).expect("it is free");
        table.give_up(&claim);
        new.register("store").expect("it is free");
        let order = crate::ending::Order::Name;
        let farewell = old.head().on_end(order, |_, _| {}).expect("it lives");
        assert!(!table.publish(&claim, old.downgrade(), farewell));
        let Look::Actor(found, _) = table.look::<Store>("store") else {
            panic!("the new owner is found");
        };
        assert_eq!(found.id(), new.id());
    });
}
