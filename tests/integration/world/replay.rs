//! Async functions as programs: forks run them again.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use greenroom::limits::REPLAY_SITES;
use greenroom::world::{End, Failure, Handlers, Replay, ReplayError, Run, Site, Status, World};

const PICK: Site = Site::named("pick");
const OTHER: Site = Site::named("other");

fn sum(sites: u64, starts: &Arc<AtomicUsize>) -> Replay<u64, u64> {
    let starts = starts.clone();
    Replay::new(move |offers| {
        starts.fetch_add(1, Ordering::SeqCst);
        async move {
            let mut sum = 0;
            for site in 0..sites {
                sum += offers.offer(PICK, site).await;
            }
            sum
        }
    })
}

fn failure(run: Run<Replay<u64, u64>>) -> ReplayError {
    match run.into_end().expect("it has ended").1 {
        End::Error(Failure::Program(error)) => error,
        end => panic!("{end:?}"),
    }
}

fn left_alone() -> Handlers<Replay<u64, u64>> {
    Handlers::<Replay<u64, u64>>::new().on_any(|_savepoint| ())
}

#[test]
fn a_function_is_run_once_and_once_more_for_each_fork_that_goes_on() {
    let starts = Arc::default();
    let mut run = Run::start(World::new(), sum(100, &starts), &left_alone());
    for value in 0..50 {
        run.resume(value).expect("pending");
    }
    assert_eq!(starts.load(Ordering::SeqCst), 1);
    let mut fork = run.fork().expect("pending");
    let anchor = fork.fork().expect("pending");
    assert_eq!(starts.load(Ordering::SeqCst), 1);
    for run in [&mut run, &mut fork] {
        while run.resume(1).is_ok() {}
        assert_eq!(run.output(), Some(&(1225 + 50)));
    }
    assert_eq!(starts.load(Ordering::SeqCst), 2);
    drop(anchor);
    assert_eq!(starts.load(Ordering::SeqCst), 2);
}

#[test]
fn a_function_that_comes_to_another_site_when_it_is_run_again_fails() {
    let runs = AtomicUsize::new(0);
    let program = Replay::new(move |offers| {
        let site = if runs.fetch_add(1, Ordering::SeqCst) == 0 {
            PICK
        } else {
            OTHER
        };
        async move { offers.offer(site, 1_u64).await + offers.offer(PICK, 1).await }
    });
    for answers in [0, 1] {
        let mut run = Run::start(World::new(), program.clone(), &left_alone());
        for _ in 0..answers {
            run.resume(1).expect("pending");
        }
        let mut fork = run.fork().expect("pending");
        if fork.resume(1).expect("pending") == Status::Error {
            assert_eq!(failure(fork), ReplayError::Diverged);
            return;
        }
    }
    panic!("no fork has noticed");
}

#[test]
fn a_function_that_awaits_something_else_fails() {
    let program = Replay::new(|offers| async move {
        std::future::pending::<()>().await;
        offers.offer(PICK, 0).await
    });
    let run = Run::start(World::new(), program, &left_alone());
    assert_eq!(failure(run), ReplayError::Elsewhere);
}

#[test]
fn no_more_savepoints_are_remembered_than_the_limit() {
    let sites = REPLAY_SITES as u64 + 1;
    let handlers = Handlers::<Replay<u64, u64>>::new().on_any(|savepoint| savepoint.resume(0));
    let run = Run::start(World::new(), sum(sites, &Arc::default()), &handlers);
    assert_eq!(failure(run), ReplayError::TooLong);
    let run = Run::start(World::new(), sum(sites - 1, &Arc::default()), &handlers);
    assert_eq!(run.output(), Some(&0));
}
