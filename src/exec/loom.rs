//! Models of the protocols between workers. README.md has the steps by name.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use loom::sync::Notify;
use loom::thread;

use super::core::{Core, Host, Local, Policy, Sleep};
use super::drain::Drain;
use super::owned::Owned;
use crate::id::Id;
use crate::task::{Header, Schedule, Unit, new_task};

struct Nowhere;

impl Schedule for Nowhere {
    fn schedule(&self, unit: Unit) {
        drop(unit);
    }

    fn schedule_yielded(&self, unit: Unit) {
        drop(unit);
    }

    fn schedule_background(&self, unit: Unit) {
        drop(unit);
    }

    fn unbind(&self, _header: &Header) -> Option<Unit> {
        None
    }
}

fn unit() -> Unit {
    new_task(async {}, Arc::new(Nowhere), Id::next()).0
}

/// A core whose workers are threads of the model.
struct Bench {
    core: Core,
    wakes: Vec<Notify>,
}

impl Host for Bench {
    fn wake(&self, slot: usize) {
        self.wakes[slot].notify();
    }
}

impl Bench {
    fn new(workers: usize) -> (Arc<Self>, Vec<Local>) {
        let policy = Policy {
            global_queue_interval: 61,
            lifo_runs: 3,
            seed: None,
        };
        let (core, locals) = Core::new(workers, 0, policy);
        let wakes = (0..workers).map(|_| Notify::new()).collect();
        (Arc::new(Self { core, wakes }), locals)
    }

    fn push_background(&self) {
        if let Some(slot) = self.core.background_remote(unit()) {
            self.wake(slot);
        }
    }

    fn push(&self) {
        if let Some(slot) = self.core.schedule_remote(unit(), None) {
            self.wake(slot);
        }
    }

    /// What a worker does until it has a unit to run. A wake that is lost is a deadlock here.
    fn find(&self, local: &Local) -> Unit {
        loop {
            self.core.rise(local);
            if let Some(unit) = self.core.next(local, self) {
                return unit;
            }
            if self.core.sleep(local) == Sleep::Asleep {
                self.wakes[local.slot()].wait();
            }
        }
    }
}

/// Explores all interleavings, or those with so many preemptions where all are too many.
fn model(preemptions: Option<usize>, f: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = preemptions;
    builder.check(f);
}

#[test]
fn a_push_reaches_a_worker_that_goes_to_sleep() {
    model(None, || {
        let (bench, mut locals) = Bench::new(1);
        let local = locals.remove(0);
        let worker = {
            let bench = Arc::clone(&bench);
            thread::spawn(move || drop(bench.find(&local)))
        };
        bench.push();
        worker.join().unwrap();
    });
}

#[test]
fn a_background_push_reaches_a_worker_that_goes_to_sleep() {
    model(None, || {
        let (bench, mut locals) = Bench::new(1);
        let local = locals.remove(0);
        let worker = {
            let bench = Arc::clone(&bench);
            thread::spawn(move || drop(bench.find(&local)))
        };
        bench.push_background();
        worker.join().unwrap();
    });
}

/// As the next, where one of the units is a background unit.
#[test]
fn a_push_and_a_background_push_reach_two_workers_that_go_to_sleep() {
    model(Some(2), || {
        let (bench, locals) = Bench::new(2);
        let workers: Vec<_> = locals
            .into_iter()
            .map(|local| {
                let bench = Arc::clone(&bench);
                thread::spawn(move || drop(bench.find(&local)))
            })
            .collect();
        bench.push_background();
        bench.push();
        for worker in workers {
            worker.join().unwrap();
        }
    });
}

/// A worker that wakes a background unit and another one, and then computes for ever.
#[test]
fn a_background_unit_behind_another_reaches_a_worker_that_goes_to_sleep() {
    model(None, || {
        let (bench, mut locals) = Bench::new(2);
        let other = locals.remove(1);
        let worker = {
            let bench = Arc::clone(&bench);
            thread::spawn(move || drop(bench.find(&other)))
        };
        bench.core.schedule_local(&locals[0], unit(), &*bench);
        bench.core.background_local(&locals[0], unit(), &*bench);
        worker.join().unwrap();
    });
}

/// Each worker takes one unit and is busy with it for ever, so the other unit must reach the
/// other worker: by the last look, the wake of the last searcher, or a steal.
#[test]
fn two_pushes_reach_two_workers_that_go_to_sleep() {
    model(Some(2), || {
        let (bench, locals) = Bench::new(2);
        let workers: Vec<_> = locals
            .into_iter()
            .map(|local| {
                let bench = Arc::clone(&bench);
                thread::spawn(move || drop(bench.find(&local)))
            })
            .collect();
        bench.push();
        bench.push();
        for worker in workers {
            worker.join().unwrap();
        }
    });
}

/// A worker that wakes two units and then computes for ever: a worker that goes to sleep
/// meanwhile finds the first of them.
#[test]
fn a_displaced_unit_reaches_a_worker_that_goes_to_sleep() {
    model(None, || {
        let (bench, mut locals) = Bench::new(2);
        let other = locals.remove(1);
        let worker = {
            let bench = Arc::clone(&bench);
            thread::spawn(move || drop(bench.find(&other)))
        };
        bench.core.schedule_local(&locals[0], unit(), &*bench);
        bench.core.schedule_local(&locals[0], unit(), &*bench);
        worker.join().unwrap();
    });
}

/// The monitor may take a worker's units while the worker does.
#[test]
fn a_hand_over_and_the_worker_share_the_units() {
    model(None, || {
        let (bench, locals) = Bench::new(2);
        bench.core.schedule_local(&locals[0], unit(), &*bench);
        bench.core.schedule_local(&locals[0], unit(), &*bench);
        let monitor = {
            let bench = Arc::clone(&bench);
            thread::spawn(move || bench.core.hand_over(0, &*bench))
        };
        drop(bench.find(&locals[0]));
        monitor.join().unwrap();
        drop(bench.find(&locals[0]));
        assert!(bench.core.next(&locals[0], &*bench).is_none());
    });
}

/// A worker that goes hands what it has to one that goes to sleep.
#[test]
fn what_a_leaving_worker_has_reaches_a_worker_that_goes_to_sleep() {
    model(None, || {
        let (bench, mut locals) = Bench::new(2);
        let other = locals.remove(1);
        bench.core.schedule_local(&locals[0], unit(), &*bench);
        let worker = {
            let bench = Arc::clone(&bench);
            thread::spawn(move || drop(bench.find(&other)))
        };
        bench.core.leave(&locals[0], &*bench);
        worker.join().unwrap();
    });
}

/// A unit that is scheduled while the last worker goes runs once, by the one or the other.
#[test]
fn a_push_against_the_end_runs_once() {
    model(None, || {
        let (bench, locals) = Bench::new(1);
        let drain = Arc::new(Drain::new());
        let runs = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&runs);
        let count = async move {
            count.fetch_add(1, Ordering::Relaxed);
        };
        let late = new_task(count, Arc::new(Nowhere), Id::next()).0;
        let pusher = {
            let (bench, drain) = (Arc::clone(&bench), Arc::clone(&drain));
            thread::spawn(move || {
                bench.core.schedule_remote(late, None);
                drain.after_push(&bench.core);
            })
        };
        bench.core.leave(&locals[0], &*bench);
        drain.end(&bench.core);
        pusher.join().unwrap();
        assert_eq!(runs.load(Ordering::Relaxed), 1);
    });
}

/// A host drops its two workers at once; one of them has just woken two units, of which one is in
/// the LIFO word and another where both may take it from.
#[test]
fn what_workers_have_that_are_dropped_at_once_runs_once() {
    model(Some(3), || {
        let (bench, mut locals) = Bench::new(2);
        let other = locals.remove(1);
        let drain = Arc::new(Drain::new());
        let runs = [(); 2].map(|()| Arc::new(AtomicUsize::new(0)));
        for count in &runs {
            let count = Arc::clone(count);
            let note = async move {
                count.fetch_add(1, Ordering::Relaxed);
            };
            let unit = new_task(note, Arc::new(Nowhere), Id::next()).0;
            bench.core.schedule_local(&locals[0], unit, &*bench);
        }
        let dropped = {
            let (bench, drain) = (Arc::clone(&bench), Arc::clone(&drain));
            thread::spawn(move || {
                bench.core.leave(&other, &*bench);
                drain.end(&bench.core);
            })
        };
        bench.core.leave(&locals[0], &*bench);
        drain.end(&bench.core);
        dropped.join().unwrap();
        assert_eq!(runs.map(|count| count.load(Ordering::Relaxed)), [1, 1]);
    });
}

#[test]
fn a_unit_is_refused_or_seen_by_the_closer() {
    model(None, || {
        let owned = Arc::new(Owned::new(1));
        let unit = unit();
        let closer = {
            let owned = Arc::clone(&owned);
            thread::spawn(move || owned.close().len())
        };
        let bound = owned.bind(&unit).is_ok();
        assert_eq!(closer.join().unwrap(), usize::from(bound));
        drop(owned.unbind(unit.header()));
        assert!(owned.is_empty());
    });
}
