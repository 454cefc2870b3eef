use std::cell::RefCell;

use super::{Core, Host, Local, Policy, Sleep};
use crate::exec::testing::Log;
use crate::limits;

const POLICY: Policy = Policy {
    global_queue_interval: limits::GLOBAL_INTERVAL,
    lifo_runs: limits::LIFO_RUNS,
    seed: None,
};

/// Which slots were woken, in order.
#[derive(Default)]
struct Woken(RefCell<Vec<usize>>);

impl Host for Woken {
    fn wake(&self, slot: usize) {
        self.0.borrow_mut().push(slot);
    }
}

struct Bench {
    core: Core,
    locals: Vec<Local>,
    host: Woken,
    log: Log,
}

fn bench(workers: usize, policy: Policy) -> Bench {
    let (core, locals) = Core::new(workers, 0, policy);
    Bench {
        core,
        locals,
        host: Woken::default(),
        log: Log::default(),
    }
}

impl Bench {
    fn wake_local(&self, worker: usize, number: usize) {
        let unit = self.log.unit(number);
        self.core
            .schedule_local(&self.locals[worker], unit, &self.host);
    }

    fn yield_local(&self, worker: usize, number: usize) {
        let unit = self.log.unit(number);
        self.core
            .schedule_yielded(&self.locals[worker], unit, &self.host);
    }

    fn background(&self, number: usize) -> Option<usize> {
        self.core.background_remote(self.log.unit(number))
    }

    fn background_local(&self, worker: usize, number: usize) {
        let unit = self.log.unit(number);
        self.core
            .background_local(&self.locals[worker], unit, &self.host);
    }

    fn inject(&self, number: usize) -> Option<usize> {
        self.core.schedule_remote(self.log.unit(number), None)
    }

    fn run_one(&self, worker: usize) -> bool {
        let unit = self.core.next(&self.locals[worker], &self.host);
        unit.map(crate::task::Unit::run).is_some()
    }

    fn run_all(&self, worker: usize) -> Vec<usize> {
        while self.run_one(worker) {}
        self.log.take()
    }

    fn sleep(&self, worker: usize) -> Sleep {
        assert!(!self.run_one(worker));
        self.core.sleep(&self.locals[worker])
    }

    fn woken(&self) -> Vec<usize> {
        self.host.0.take()
    }
}

#[test]
fn a_single_local_wake_signals_nobody_and_the_second_one_does() {
    let bench = bench(2, POLICY);
    assert_eq!(bench.sleep(1), Sleep::Asleep);
    bench.wake_local(0, 1);
    assert!(bench.woken().is_empty());
    bench.wake_local(0, 2);
    assert_eq!(bench.woken(), [1]);
    // The latest runs first; the one before it is where others find it.
    bench.core.rise(&bench.locals[1]);
    assert!(bench.run_one(0));
    assert_eq!(bench.log.take(), [2]);
    assert_eq!(bench.run_all(1), [1]);
}

#[test]
fn a_wake_from_elsewhere_signals_at_once() {
    let bench = bench(2, POLICY);
    assert_eq!(bench.sleep(1), Sleep::Asleep);
    assert_eq!(bench.inject(0), Some(1));
    assert_eq!(bench.inject(1), None, "the roused worker looks for both");
}

#[test]
fn a_lone_yield_signals_nobody_and_one_behind_others_does() {
    let bench = bench(2, POLICY);
    assert_eq!(bench.sleep(1), Sleep::Asleep);
    bench.yield_local(0, 1);
    assert!(bench.woken().is_empty());
    bench.yield_local(0, 2);
    assert_eq!(bench.woken(), [1]);
    assert_eq!(bench.run_all(0), [1, 2]);
}

#[test]
fn the_lifo_word_has_its_runs_and_then_goes_behind() {
    let bench = bench(1, POLICY);
    bench.yield_local(0, 100);
    let mut order = Vec::new();
    for i in 0..=limits::LIFO_RUNS {
        bench.wake_local(0, i);
        assert!(bench.run_one(0));
        order.extend(bench.log.take());
    }
    let mut expected: Vec<usize> = (0..limits::LIFO_RUNS).collect();
    expected.push(100);
    assert_eq!(order, expected);
    assert_eq!(bench.run_all(0), [limits::LIFO_RUNS]);
}

#[test]
fn without_lifo_runs_units_run_in_order() {
    let bench = bench(
        1,
        Policy {
            lifo_runs: 0,
            ..POLICY
        },
    );
    for i in 0..4 {
        bench.wake_local(0, i);
    }
    assert_eq!(bench.run_all(0), [0, 1, 2, 3]);
}

#[test]
fn every_so_many_picks_the_global_queue_goes_first() {
    let bench = bench(
        1,
        Policy {
            global_queue_interval: 3,
            ..POLICY
        },
    );
    for i in 0..5 {
        bench.yield_local(0, i);
    }
    bench.inject(100);
    assert_eq!(bench.run_all(0), [0, 1, 100, 2, 3, 4]);
}

#[test]
fn outside_work_gets_its_share_of_a_worker_that_never_runs_dry() {
    let bench = bench(
        1,
        Policy {
            global_queue_interval: 3,
            ..POLICY
        },
    );
    for i in 0..5 {
        bench.yield_local(0, i);
    }
    for i in 0..2 * limits::GLOBAL_BATCH {
        bench.inject(100 + i);
    }
    for _ in 0..3 {
        assert!(bench.run_one(0));
    }
    let left = bench.core.injector().len();
    assert_eq!(left, limits::GLOBAL_BATCH, "one share, and no more");
    assert!(bench.run_one(0));
    assert_eq!(bench.log.take(), [0, 1, 100, 2], "behind what waits here");
}

#[test]
fn a_look_at_the_global_queue_takes_a_share() {
    let bench = bench(2, POLICY);
    for i in 0..8 {
        bench.inject(i);
    }
    assert!(bench.run_one(0));
    assert_eq!(bench.core.injector().len(), 8 - (8 / 2 + 1));
    assert_eq!(bench.core.slot(&bench.locals[0]).ring().len(), 4);
}

#[test]
fn a_worker_without_work_steals_half() {
    let bench = bench(2, POLICY);
    for i in 0..6 {
        bench.yield_local(0, i);
    }
    assert!(bench.run_one(1));
    assert_eq!(bench.log.take(), [0]);
    assert_eq!(bench.core.slot(&bench.locals[1]).ring().len(), 2);
    assert_eq!(bench.core.slot(&bench.locals[1]).stats.steals.get(), 3);
}

#[test]
fn the_last_searcher_wakes_another_only_for_more_work() {
    let bench = bench(3, POLICY);
    assert_eq!(bench.sleep(1), Sleep::Asleep);
    assert_eq!(bench.sleep(2), Sleep::Asleep);
    assert_eq!(bench.inject(0), Some(2));
    bench.core.rise(&bench.locals[2]);
    assert!(bench.run_one(2));
    assert!(bench.woken().is_empty());
    assert_eq!(bench.sleep(2), Sleep::Asleep);
    assert_eq!(bench.inject(1), Some(2));
    bench.inject(2);
    bench.inject(3);
    bench.core.rise(&bench.locals[2]);
    assert!(bench.run_one(2));
    assert_eq!(bench.woken(), [1]);
}

#[test]
fn work_that_came_before_the_registration_keeps_the_worker_up() {
    let bench = bench(2, POLICY);
    assert!(!bench.run_one(0));
    bench.inject(0);
    assert_eq!(bench.core.sleep(&bench.locals[0]), Sleep::Work);
    assert_eq!(bench.run_all(0), [0]);
    assert_eq!(bench.core.idle().sleeping(), 0);
}

#[test]
fn a_hand_over_moves_ring_and_lifo_word_and_signals() {
    let bench = bench(2, POLICY);
    bench.yield_local(0, 0);
    bench.wake_local(0, 1);
    assert!(bench.core.idle().try_search());
    let _ = bench.core.idle().sleep(1, true);
    assert_eq!(bench.core.hand_over(0, &bench.host), 2);
    assert_eq!(bench.woken(), [1]);
    assert_eq!(bench.core.hand_over(0, &bench.host), 0);
    assert_eq!(bench.run_all(1), [0, 1]);
}

#[test]
fn a_worker_that_leaves_leaves_nothing_behind() {
    let bench = bench(2, POLICY);
    bench.yield_local(0, 0);
    bench.wake_local(0, 1);
    bench.core.leave(&bench.locals[0], &bench.host);
    assert!(!bench.core.slot(&bench.locals[0]).has_work());
    assert_eq!(bench.run_all(1), [0, 1]);
}

#[test]
fn the_same_seed_gives_the_same_order_and_others_give_others() {
    let order = |seed| {
        let bench = bench(
            1,
            Policy {
                seed: Some(seed),
                ..POLICY
            },
        );
        for i in 0..10 {
            bench.yield_local(0, i);
        }
        (10..20).for_each(|i| {
            bench.inject(i);
        });
        bench.wake_local(0, 20);
        bench.run_all(0)
    };
    assert_eq!(order(1), order(1));
    assert_ne!(order(1), order(2));
    let mut all = order(3);
    all.sort_unstable();
    assert_eq!(all, (0..21).collect::<Vec<_>>());
}

#[test]
fn background_units_run_after_all_others_wherever_those_wait() {
    let bench = bench(2, POLICY);
    assert_eq!(bench.background(9), None);
    bench.inject(1);
    bench.yield_local(0, 2);
    bench.yield_local(1, 3);
    bench.wake_local(0, 4);
    let order = bench.run_all(0);
    assert_eq!((order.len(), order.last()), (5, Some(&9)));
    assert!(!bench.core.has_visible());
}

#[test]
fn a_background_unit_goes_first_once_in_an_interval_of_picks() {
    for global_queue_interval in [1, limits::GLOBAL_INTERVAL] {
        let bench = bench(
            1,
            Policy {
                global_queue_interval,
                ..POLICY
            },
        );
        let interval = limits::BACKGROUND_INTERVAL as usize;
        (0..4).for_each(|_| assert_eq!(bench.background(100), None));
        let mut picks = Vec::new();
        for i in 0..4 * interval {
            // As much as a worker can hold in each place.
            bench.wake_local(0, 0);
            bench.yield_local(0, 0);
            bench.inject(0);
            assert!(bench.run_one(0));
            if bench.log.take() == [100] {
                picks.push(i + 1);
            }
        }
        assert_eq!(picks, [interval, 2 * interval, 3 * interval, 4 * interval]);
        bench.run_all(0);
    }
}

#[test]
fn a_background_unit_wakes_a_sleeper_unless_its_own_worker_takes_it_next() {
    let bench = bench(2, POLICY);
    assert_eq!(bench.sleep(1), Sleep::Asleep);
    bench.background_local(0, 1);
    assert!(bench.woken().is_empty(), "it is what worker 0 runs next");
    bench.background_local(0, 2);
    assert_eq!(bench.woken(), [1]);
    bench.core.rise(&bench.locals[1]);
    assert_eq!(bench.run_all(0), [1, 2]);
    assert!(!bench.run_one(1));
    assert_eq!(bench.core.sleep(&bench.locals[1]), Sleep::Asleep);
    bench.wake_local(0, 3);
    bench.background_local(0, 4);
    assert_eq!(bench.woken(), [1], "worker 0 has something else to do");
    bench.core.rise(&bench.locals[1]);
    assert_eq!(bench.run_all(1), [4]);
    assert_eq!(bench.run_all(0), [3]);
    assert_eq!(bench.sleep(1), Sleep::Asleep);
    assert_eq!(bench.background(5), Some(1), "from outside at once");
    bench.core.rise(&bench.locals[1]);
    assert_eq!(bench.run_all(1), [5]);
}

#[test]
fn a_worker_that_is_about_to_block_signals_for_what_it_would_take_next() {
    let bench = bench(2, POLICY);
    let wakes = [
        Bench::wake_local,
        Bench::yield_local,
        Bench::background_local,
    ];
    for wake in wakes {
        assert_eq!(bench.sleep(1), Sleep::Asleep);
        wake(&bench, 0, 1);
        assert!(bench.woken().is_empty());
        bench.core.before_blocking(&bench.locals[0], &bench.host);
        assert_eq!(bench.woken(), [1]);
        bench.core.rise(&bench.locals[1]);
        assert_eq!(bench.run_all(1), [1]);
    }
}

#[test]
fn a_worker_does_not_sleep_on_a_background_unit() {
    let bench = bench(1, POLICY);
    assert!(!bench.run_one(0));
    bench.background(1);
    assert_eq!(bench.core.sleep(&bench.locals[0]), Sleep::Work);
    assert_eq!(bench.run_all(0), [1]);
}

#[test]
fn without_workers_background_units_are_taken_too() {
    let bench = bench(1, POLICY);
    bench.background(1);
    bench.inject(2);
    while let Some(unit) = bench.core.take_any() {
        unit.run();
    }
    assert_eq!(bench.log.take(), [2, 1]);
    bench.background(3);
    let Bench {
        core, locals, log, ..
    } = bench;
    drop((core, locals));
    assert_eq!(log.holders(), 1, "the queue drops what it holds");
}
