use super::{Idle, Look};

#[test]
fn a_push_wakes_nobody_while_all_are_awake() {
    assert_eq!(Idle::new(2).rouse(None), None);
}

#[test]
fn a_push_wakes_one_sleeper_and_the_next_push_relies_on_it() {
    let idle = Idle::new(4);
    for slot in 0..3 {
        assert_eq!(idle.sleep(slot, false), Look::Needed);
    }
    assert_eq!(idle.rouse(None), Some(2));
    assert_eq!(idle.rouse(None), None);
    assert_eq!(idle.sleeping(), 2);
    assert_eq!(idle.end_search(), Look::Needed);
    assert_eq!(idle.rouse(None), Some(1));
}

#[test]
fn the_preferred_sleeper_is_woken_if_it_sleeps() {
    let idle = Idle::new(4);
    for slot in 0..3 {
        let _ = idle.sleep(slot, false);
    }
    assert_eq!(idle.rouse(Some(0)), Some(0));
    let _ = idle.end_search();
    assert_eq!(idle.rouse(Some(0)), Some(2));
}

#[test]
fn half_of_the_workers_search() {
    let idle = Idle::new(4);
    assert!(idle.try_search());
    assert!(idle.try_search());
    assert!(!idle.try_search());
    assert_eq!(idle.end_search(), Look::Spared);
    assert!(idle.try_search());
    // A searcher that finds nothing leaves the last look to the one that is left.
    assert_eq!(idle.sleep(0, true), Look::Spared);
    assert_eq!(idle.sleep(1, true), Look::Needed);
}

#[test]
fn a_lone_worker_may_search() {
    let idle = Idle::new(1);
    assert!(idle.try_search());
    assert_eq!(idle.sleep(0, true), Look::Needed);
}

#[test]
fn rising_unasked_takes_the_worker_out() {
    let idle = Idle::new(2);
    let _ = idle.sleep(0, false);
    assert!(idle.is_sleeping(0));
    idle.rise(0);
    assert!(!idle.is_sleeping(0));
    assert_eq!(idle.rouse(None), None);
    assert_eq!(idle.end_search(), Look::Needed);
}

#[test]
fn rising_after_a_rouse_counts_one_search() {
    let idle = Idle::new(2);
    let _ = idle.sleep(0, false);
    assert_eq!(idle.rouse(None), Some(0));
    idle.rise(0);
    assert_eq!(idle.end_search(), Look::Needed);
    assert_eq!(idle.sleeping(), 0);
}
