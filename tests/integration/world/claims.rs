//! Laws 4 and 6: who claims a savepoint that many want.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::thread;

use greenroom::world::{ForkError, Session, Status, World};

use super::support::{Fold, left_alone};

const ROUNDS: usize = 200;

/// Runs it on so many threads at once, and gives what each has found.
fn race<R: Send>(threads: usize, racer: impl Fn(usize) -> R + Sync) -> Vec<R> {
    let barrier = Barrier::new(threads);
    thread::scope(|scope| {
        let racers: Vec<_> = (0..threads)
            .map(|index| {
                let (barrier, racer) = (&barrier, &racer);
                scope.spawn(move || {
                    barrier.wait();
                    racer(index)
                })
            })
            .collect();
        let results = racers
            .into_iter()
            .map(|racer| racer.join().expect("no panic"));
        results.collect()
    })
}

#[test]
fn of_threads_that_race_to_resume_or_abandon_exactly_one_wins() {
    for _ in 0..ROUNDS {
        let ends = Arc::new(AtomicUsize::new(0));
        let counted = ends.clone();
        let handlers = left_alone().on_end(move |_, _| {
            counted.fetch_add(1, Ordering::SeqCst);
        });
        let session = Session::new(handlers);
        let run = session.open(World::new(), Fold::of(1)).expect("open");
        let held = run.hold().expect("suspended");
        let won = race(4, |index| match index % 2 {
            0 => held.resume(1).is_ok(),
            _ => held.abandon().is_ok(),
        });
        assert_eq!(won.iter().filter(|won| **won).count(), 1);
        assert_eq!(ends.load(Ordering::SeqCst), 1);
        assert_eq!(session.metrics().worlds, 0);
    }
}

#[test]
fn a_fork_that_races_a_resume_is_pending_or_refused_and_leases_return() {
    let (mut forked, mut refused) = (0, 0);
    for _ in 0..ROUNDS {
        let session = Session::new(left_alone());
        let run = session.open(World::new(), Fold::of(1)).expect("open");
        let held = run.hold().expect("suspended");
        let forks = race(4, |index| {
            if index == 0 {
                held.resume(1).expect("the only one to resume");
                return None;
            }
            Some(held.fork())
        });
        for fork in forks.into_iter().flatten() {
            match fork {
                Ok(mut fork) => {
                    forked += 1;
                    assert_eq!(fork.resume(7), Ok(Status::Result));
                    assert_eq!(fork.output(), Some(&7));
                }
                Err(error) => {
                    refused += 1;
                    assert_eq!(error, ForkError::NotPending);
                }
            }
        }
        assert_eq!(session.metrics().worlds, 0);
    }
    assert_eq!(forked + refused, 3 * ROUNDS);
}

#[test]
fn a_claimed_savepoint_is_its_owners_alone() {
    let session = Session::new(left_alone());
    let run = session.open(World::new(), Fold::of(2)).expect("open");
    let held = run.hold().expect("suspended");
    let mut run = held.claim().expect("pending");
    assert!(held.claim().is_none() && held.fork().is_err());
    assert_eq!(session.metrics().pending, 0);
    assert_eq!(run.resume(1), Ok(Status::Suspended));
    assert_eq!(run.resume(1), Ok(Status::Result));
}
