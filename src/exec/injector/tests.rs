use super::Injector;
use crate::exec::testing::Log;

fn run(units: impl Iterator<Item = crate::task::Unit>) {
    units.for_each(crate::task::Unit::run);
}

#[test]
fn units_come_out_in_order_across_pushes_and_batches() {
    let (log, injector) = (Log::default(), Injector::new());
    injector.push(log.unit(0));
    injector.push_batch((1..4).map(|i| log.unit(i)));
    injector.push_batch(std::iter::empty());
    injector.push(log.unit(4));
    assert_eq!(injector.len(), 5);
    run(injector.pop().into_iter());
    run(injector.take(|len| len / 2));
    assert_eq!(log.take(), [0, 1, 2]);
    run(injector.take(|_| usize::MAX));
    assert_eq!(log.take(), [3, 4]);
    assert!(injector.is_empty());
    assert!(injector.pop().is_none());
}

#[test]
fn an_empty_queue_is_not_asked_for_its_share() {
    let injector = Injector::new();
    assert_eq!(
        injector.take(|_| unreachable!("nothing to share")).count(),
        0
    );
}

#[test]
fn what_is_left_is_freed_with_the_queue_and_with_a_batch() {
    let (log, injector) = (Log::default(), Injector::new());
    injector.push_batch((0..6).map(|i| log.unit(i)));
    let mut batch = injector.take(|_| 3);
    batch.next().unwrap().run();
    drop(batch);
    assert_eq!(log.holders(), 1 + 3);
    drop(injector);
    assert_eq!(log.holders(), 1);
    assert_eq!(log.take(), [0]);
}
