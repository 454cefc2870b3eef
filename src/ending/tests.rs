use std::sync::{Arc, Mutex};
use std::task::{Context, Waker};

use super::{Ending, Order};

type Log = Arc<Mutex<Vec<&'static str>>>;
type Plain = Ending<u32, &'static str>;

fn says(log: &Log, word: &'static str) -> impl FnOnce(&u32, &&'static str) + Send + use<> {
    let log = Arc::clone(log);
    move |_, _| log.lock().unwrap().push(word)
}

fn words(log: &Log) -> Vec<&'static str> {
    log.lock().unwrap().clone()
}

#[test]
fn names_go_before_links_and_each_in_the_order_that_they_came_in() {
    let (ending, log) = (Plain::new(true), Log::default());
    for (order, word) in [
        (Order::Link, "link"),
        (Order::Name, "name"),
        (Order::Link, "link 2"),
        (Order::Name, "name 2"),
    ] {
        assert!(ending.on_end(order, says(&log, word)).is_ok());
    }
    ending.decide("done");
    ending.bid_farewell(|| 1, |_| ());
    assert_eq!(words(&log), ["name", "name 2", "link", "link 2"]);
}

#[test]
fn a_panicking_farewell_keeps_nothing_from_the_rest() {
    let (ending, log) = (Plain::new(true), Log::default());
    assert!(ending.on_end(Order::Name, |_, _| panic!("no")).is_ok());
    assert!(ending.on_end(Order::Name, says(&log, "name")).is_ok());
    assert!(ending.on_end(Order::Link, |_, _| panic!("no")).is_ok());
    assert!(ending.on_end(Order::Link, says(&log, "link")).is_ok());
    ending.decide("done");
    ending.bid_farewell(|| 1, |_| ());
    assert_eq!(words(&log), ["name", "link"]);
}

#[test]
fn no_lock_is_held_while_a_farewell_is_said() {
    let ending = Arc::new(Plain::new(true));
    let log = Log::default();
    let (other, late) = (Arc::clone(&ending), says(&log, "late link"));
    let meddles = move |_: &u32, _: &&'static str| {
        assert!(other.over().is_none());
        assert_eq!(other.on_end(Order::Name, |_, _| ()), Err("done"));
        assert!(other.on_end(Order::Link, late).is_ok());
    };
    assert!(ending.on_end(Order::Name, meddles).is_ok());
    ending.decide("done");
    ending.bid_farewell(|| 1, |_| ());
    assert_eq!(words(&log), ["late link"]);
    assert_eq!(ending.over(), Some(&"done"));
    assert_eq!(ending.on_end(Order::Link, |_, _| ()), Err("done"));
}

#[test]
fn a_farewell_that_is_taken_back_is_not_said() {
    let (ending, log) = (Plain::new(true), Log::default());
    let key = ending.on_end(Order::Link, says(&log, "link")).unwrap();
    assert!(ending.take_back(key).is_some());
    assert!(ending.take_back(key).is_none());
    ending.decide("done");
    ending.bid_farewell(|| 1, |_| ());
    assert!(words(&log).is_empty());
}

#[test]
fn who_waits_is_answered_after_the_last_farewell() {
    let ending = Arc::new(Plain::new(true));
    let other = Arc::clone(&ending);
    let looks = move |_: &u32, _: &&'static str| {
        let mut cx = Context::from_waker(Waker::noop());
        assert!(std::pin::pin!(other.wait()).poll(&mut cx).is_pending());
    };
    let log = Log::default();
    assert!(ending.on_end(Order::Link, looks).is_ok());
    assert!(ending.on_end(Order::Link, says(&log, "after")).is_ok());
    ending.decide("done");
    ending.bid_farewell(|| 1, |_| ());
    ending.announce();
    assert_eq!(words(&log), ["after"]);
    let mut cx = Context::from_waker(Waker::noop());
    assert!(std::pin::pin!(ending.wait()).poll(&mut cx).is_ready());
}

#[test]
fn who_waits_for_a_start_learns_of_one_though_the_next_is_yet_to_come() {
    let ending = Plain::new(false);
    let mut cx = Context::from_waker(Waker::noop());
    let mut started = std::pin::pin!(ending.wait_started());
    assert!(started.as_mut().poll(&mut cx).is_pending());
    ending.set_started(true);
    ending.set_started(false);
    assert_eq!(started.poll(&mut cx), std::task::Poll::Ready(Ok(())));
    let mut next = std::pin::pin!(ending.wait_started());
    assert!(next.as_mut().poll(&mut cx).is_pending());
}
