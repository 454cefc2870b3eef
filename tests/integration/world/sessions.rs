//! Law 12, and how a session finds out that it is done.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};
use std::task::{Context, Poll, Waker};
use std::thread;

use greenroom::world::{Closing, ForkError, Handlers, Session, Status, World};

use super::support::{Fold, Token, left_alone};

fn is_done(future: impl Future<Output = ()>) -> bool {
    let mut context = Context::from_waker(Waker::noop());
    pin!(future).poll(&mut context) == Poll::Ready(())
}

#[test]
fn an_empty_session_closes_at_once_and_takes_nothing_more() {
    let session = Session::new(left_alone());
    assert!(is_done(session.close()));
    assert!(session.is_closing());
    let refused = session.open(World::new(), Fold::of(1));
    assert!(matches!(refused, Err(Closing)));
    assert!(is_done(session.close()));
}

#[test]
fn a_close_abandons_what_is_held_newest_first_and_waits_for_owners() {
    let order = Arc::new(std::sync::Mutex::new(Vec::new()));
    let noted = order.clone();
    let handlers = left_alone().on_end(move |world, _| {
        noted.lock().expect("a lock").push(world.lineage().id);
    });
    let session = Session::new(handlers);
    let mut run = session.open(World::new(), Fold::of(2)).expect("open");
    let forks: Vec<_> = (0..3).map(|_| run.fork().expect("open")).collect();
    let id = |run: &greenroom::world::Run<Fold>| run.world().expect("suspended").lineage().id;
    let mut ids: Vec<_> = forks.iter().map(id).collect();
    let helds: Vec<_> = forks
        .into_iter()
        .map(|fork| fork.hold().expect("suspended"))
        .collect();
    let mut close = pin!(session.close());
    let mut context = Context::from_waker(Waker::noop());
    ids.reverse();
    assert_eq!(*order.lock().expect("a lock"), ids);
    assert!(helds.iter().all(|held| held.resume(1).is_err()));
    assert_eq!(close.as_mut().poll(&mut context), Poll::Pending);
    assert!(matches!(run.fork(), Err(ForkError::Closing)));
    drop(run);
    assert_eq!(close.as_mut().poll(&mut context), Poll::Ready(()));
}

#[test]
fn a_run_in_a_session_that_closes_is_abandoned_at_its_next_savepoint() {
    let session = Session::new(left_alone());
    let mut run = session.open(World::new(), Fold::of(2)).expect("open");
    let close = session.close();
    assert_eq!(run.resume(1), Ok(Status::Abandoned));
    assert!(run.world().is_none());
    assert!(is_done(close));
}

#[test]
fn a_savepoint_held_in_a_session_that_closes_is_abandoned() {
    let session = Session::new(left_alone());
    let run = session.open(World::new(), Fold::of(2)).expect("open");
    let close = session.close();
    let held = run.hold().expect("suspended");
    assert!(!held.is_pending());
    assert!(is_done(close));
}

#[test]
fn a_check_reads_and_exchanges_only_when_nobody_is_left() {
    let session = Session::new(left_alone());
    let mut run = session.open(World::new(), Fold::of(2)).expect("open");
    let forks: Vec<_> = (0..100).map(|_| run.fork().expect("open")).collect();
    drop(session.close());
    drop(forks);
    let metrics = session.metrics();
    assert_eq!((metrics.checks, metrics.exchanges), (101, 0));
    drop(run);
    let metrics = session.metrics();
    assert_eq!((metrics.checks, metrics.exchanges), (102, 1));
}

#[test]
fn the_waker_of_a_close_is_called_at_the_end() {
    struct Count(AtomicUsize);
    impl std::task::Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }
    let session = Session::new(left_alone());
    let run = session.open(World::new(), Fold::of(2)).expect("open");
    let woken = Arc::new(Count(AtomicUsize::new(0)));
    let waker = Waker::from(woken.clone());
    let mut close = pin!(session.close());
    for _ in 0..3 {
        assert!(
            close
                .as_mut()
                .poll(&mut Context::from_waker(&waker))
                .is_pending()
        );
    }
    drop(run);
    assert_eq!(woken.0.load(Ordering::SeqCst), 1);
}

/// Holds each savepoint, and has another thread resume it, or fork it, or give it up.
fn busy(session: &Session<Fold>, token: &Token) {
    for turn in 0..20 {
        let Ok(run) = session.open(World::new(), Fold::with(3, token)) else {
            return;
        };
        let Ok(held) = run.hold() else {
            continue;
        };
        if let Ok(fork) = held.fork() {
            drop(fork.hold());
        }
        match turn % 3 {
            0 => drop(held.abandon()),
            _ => drop(held.resume(turn)),
        }
    }
}

#[test]
fn a_close_that_races_everything_ends_with_no_world_and_every_destructor_run() {
    for _ in 0..50 {
        let token = Token::new();
        let (begun, ended) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
        let counted = ended.clone();
        let handlers = Handlers::<Fold>::new()
            .on_any(|savepoint| drop(savepoint.fork()))
            .on_end(move |_, _| {
                counted.fetch_add(1, Ordering::SeqCst);
            });
        let session = Session::new(handlers);
        let barrier = Barrier::new(4);
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    barrier.wait();
                    busy(&session, &token);
                    begun.fetch_add(1, Ordering::SeqCst);
                });
            }
            barrier.wait();
            drop(session.close());
        });
        let metrics = session.metrics();
        assert_eq!((metrics.worlds, metrics.pending), (0, 0));
        assert!(is_done(session.close()));
        assert_eq!(token.alive(), 1);
        assert!(metrics.exchanges <= 2, "{metrics:?}");
    }
}
