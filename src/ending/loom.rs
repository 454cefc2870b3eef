//! Models of farewells and waits that come while the end does.

use loom::future::block_on;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::thread;
use std::sync::Arc;

use super::{Ending, Order};

type Model = Ending<u32, u32>;

fn end(ending: &Model) {
    ending.decide(7);
    ending.bid_farewell(|| 1, |_| ());
    ending.announce();
}

#[test]
fn loom_a_farewell_is_said_once_or_refused_with_the_reason() {
    for order in [Order::Name, Order::Link] {
        loom::model(move || {
            let ending = Arc::new(Model::new(true));
            let said = Arc::new(AtomicUsize::new(0));
            let other = Arc::clone(&ending);
            let ends = thread::spawn(move || end(&other));
            let count = Arc::clone(&said);
            let added = ending.on_end(order, move |who, why| {
                assert_eq!((*who, *why), (1, 7));
                count.fetch_add(1, Ordering::Relaxed);
            });
            ends.join().unwrap();
            let expected = match added {
                Ok(_) => 1,
                Err(reason) => {
                    assert_eq!(reason, 7);
                    0
                }
            };
            assert_eq!(said.load(Ordering::Relaxed), expected);
        });
    }
}

#[test]
fn loom_what_is_taken_back_is_not_said_and_what_is_not_is() {
    loom::model(|| {
        let ending = Arc::new(Model::new(true));
        let said = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&said);
        let key = ending.on_end(Order::Link, move |_, _| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        let other = Arc::clone(&ending);
        let ends = thread::spawn(move || end(&other));
        let taken = ending.take_back(key.unwrap()).is_some();
        ends.join().unwrap();
        assert_eq!(said.load(Ordering::Relaxed), usize::from(!taken));
    });
}

#[test]
fn loom_who_waits_is_woken_after_all_farewells() {
    loom::model(|| {
        let ending = Arc::new(Model::new(true));
        let said = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&said);
        let added = ending.on_end(Order::Name, move |_, _| {
            count.fetch_add(1, Ordering::Relaxed);
        });
        assert!(added.is_ok());
        let other = Arc::clone(&ending);
        let ends = thread::spawn(move || end(&other));
        assert_eq!(block_on(ending.wait()), 7);
        assert_eq!(said.load(Ordering::Relaxed), 1);
        ends.join().unwrap();
    });
}
