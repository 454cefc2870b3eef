//! Laws 1, 2, 5 and 7: what savepoints do to a computation, and in which world.

use greenroom::world::{Address, Entry, ForkError, Handlers, Held, Run, Site, Status, World};
use std::sync::{Arc, Mutex};

use super::support::{FIRST, Fold, SECOND, fold, left_alone, started};

const TRACE: Entry<Vec<(Address, u64)>> = Entry::named("trace");

fn folded(values: impl IntoIterator<Item = u64>) -> u64 {
    values.into_iter().fold(0, fold)
}

/// Notes where it was, and resumes with ten times what is offered.
fn tenfold() -> Handlers<Fold> {
    Handlers::<Fold>::new().on_any(|mut savepoint| {
        let address = savepoint.address();
        let (payload, world) = savepoint.split();
        let value = 10 * payload;
        match world.get_mut(TRACE) {
            Some(trace) => trace.push((address, value)),
            None => world.insert(TRACE, vec![(address, value)]),
        }
        savepoint.resume(value);
    })
}

#[test]
fn without_a_handler_a_site_gives_what_it_offers_and_is_no_savepoint() {
    let other = Handlers::<Fold>::new().on(Site::named("elsewhere"), |savepoint| {
        savepoint.abandon();
    });
    for handlers in [Handlers::new(), other] {
        let run = Run::start(World::new(), Fold::of(5), &handlers);
        assert_eq!(run.output(), Some(&folded(0..5)));
        assert_eq!(run.counts().expect("not abandoned").published, 0);
    }
}

#[test]
fn an_exact_handler_goes_before_that_for_any_site() {
    let handlers = tenfold().on(SECOND, |savepoint| savepoint.resume(7));
    let run = Run::start(World::new(), Fold::of(4), &handlers);
    assert_eq!(run.output(), Some(&folded([0, 7, 20, 7])));
}

#[test]
fn a_run_and_its_fork_with_the_same_values_agree_in_result_trace_and_addresses() {
    let mut run = started(6);
    run.resume(3).expect("pending");
    let mut fork = run.fork().expect("pending");
    for run in [&mut run, &mut fork] {
        run.set_handlers(&tenfold());
        run.resume(4).expect("pending");
    }
    assert_eq!(run.output(), fork.output());
    assert_eq!(run.output(), Some(&folded([3, 4, 20, 30, 40, 50])));
    let trace = |run: &Run<Fold>| run.world().and_then(|world| world.get(TRACE)).cloned();
    assert_eq!(trace(&run), trace(&fork));
    assert_eq!(trace(&run).expect("four sites").len(), 4);
}

#[test]
fn a_structural_address_is_the_site_and_its_count() {
    let mut run = started(3);
    let mut addresses = Vec::new();
    while let Some((_, address)) = run.point() {
        addresses.push(address);
        run.resume(0).expect("pending");
    }
    let expected = [
        Address::of(FIRST, 1),
        Address::of(SECOND, 1),
        Address::of(FIRST, 2),
    ];
    assert_eq!(addresses, expected);
}

#[test]
fn a_site_without_a_handler_counts_all_the_same() {
    let only_first = Handlers::<Fold>::new().on(FIRST, |_savepoint| ());
    let mut run = Run::start(World::new(), Fold::of(5), &only_first);
    run.set_handlers(&left_alone());
    run.resume(0).expect("pending");
    assert_eq!(run.point(), Some((SECOND, Address::of(SECOND, 1))));
    let mut run = Run::start(World::new(), Fold::of(5), &only_first);
    run.resume(0).expect("pending");
    run.set_handlers(&left_alone());
    run.resume(0).expect("pending");
    assert_eq!(run.point(), Some((SECOND, Address::of(SECOND, 2))));
}

#[test]
fn forks_inherit_handlers_and_may_replace_them_in_their_own_copy() {
    let mut run = started(2);
    let (mut same, mut other) = (run.fork().expect("pending"), run.fork().expect("pending"));
    other.set_handlers(&tenfold());
    for run in [&mut run, &mut same, &mut other] {
        run.resume(1).expect("pending");
    }
    assert_eq!(run.status(), Status::Suspended);
    assert_eq!(same.status(), Status::Suspended);
    assert_eq!(other.output(), Some(&folded([1, 10])));
}

#[test]
fn a_handler_may_replace_the_handlers_of_its_world() {
    let handlers = Handlers::<Fold>::new().on_any(|mut savepoint| {
        savepoint.set_handlers(tenfold());
        savepoint.resume(1);
    });
    let run = Run::start(World::new(), Fold::of(3), &handlers);
    assert_eq!(run.output(), Some(&folded([1, 10, 20])));
}

#[test]
fn a_handler_forks_its_savepoint_and_then_resumes_it() {
    let forks: Arc<Mutex<Vec<Run<Fold>>>> = Arc::default();
    let taken = forks.clone();
    let handlers = Handlers::<Fold>::new().on_any(move |mut savepoint| {
        savepoint.world().insert(TRACE, Vec::new());
        let fork = savepoint.fork().expect("no session closes");
        taken.lock().expect("a lock").push(fork);
        savepoint.world().remove(TRACE);
        savepoint.resume(1);
    });
    let run = Run::start(World::new(), Fold::of(2), &handlers);
    assert_eq!(run.output(), Some(&folded([1, 1])));
    assert!(run.world().expect("done").is_empty());
    let mut forks = std::mem::take(&mut *forks.lock().expect("a lock"));
    assert_eq!(forks.len(), 2);
    assert!(forks[0].world().expect("suspended").get(TRACE).is_some());
    forks[0].set_handlers(&left_alone());
    forks[0].resume(5).expect("pending");
    forks[0].resume(6).expect("pending");
    assert_eq!(forks[0].output(), Some(&folded([5, 6])));
}

#[test]
fn consuming_in_one_world_says_nothing_about_another() {
    let mut run = started(1);
    let fork = run.fork().expect("pending");
    let held = run.hold().expect("suspended");
    fork.abandon();
    assert!(held.is_pending());
    let mut fork = held.fork().expect("pending");
    held.abandon().expect("pending");
    assert!(!held.is_pending());
    assert!(matches!(held.fork(), Err(ForkError::NotPending)));
    fork.resume(2).expect("pending");
    assert_eq!(fork.output(), Some(&folded([2])));
}

#[test]
fn a_handle_names_its_occurrence_and_no_later_one_of_the_address() {
    let helds: Arc<Mutex<Vec<Held<Fold>>>> = Arc::default();
    let taken = helds.clone();
    let handlers = Handlers::<Fold>::new().on_any(move |savepoint| {
        let held = savepoint.hold();
        taken.lock().expect("a lock").push(held);
    });
    let program = Fold {
        id: Some(4),
        ..Fold::of(4)
    };
    let run = Run::start(World::new(), program, &handlers);
    assert_eq!(run.status(), Status::Held);
    let held = |index: usize| helds.lock().expect("a lock")[index].clone();
    held(0).resume(1).expect("pending");
    held(1).resume(1).expect("pending");
    let (old, new) = (held(0), held(2));
    assert_eq!((old.site(), old.address()), (new.site(), new.address()));
    assert_ne!(old, new);
    assert_eq!(old.resume(8).expect_err("consumed").into_value(), 8);
    old.abandon().expect_err("consumed");
    assert!(old.fork().is_err() && old.claim().is_none());
    assert!(new.fork().is_ok());
    new.resume(1).expect("pending");
}

#[test]
fn a_run_that_does_not_wait_is_neither_answered_nor_forked() {
    let mut run = started(1);
    run.resume(1).expect("pending");
    assert_eq!(run.status(), Status::Result);
    assert_eq!(run.resume(2).expect_err("done").into_value(), 2);
    assert!(matches!(run.fork(), Err(ForkError::NotPending)));
    let run = run.hold().expect_err("done");
    let (_world, end) = run.into_end().expect("done");
    assert!(matches!(end, greenroom::world::End::Result(1)));
}

#[test]
fn what_a_clone_shares_is_shared_by_worlds() {
    const SHARED: Entry<Arc<Mutex<u64>>> = Entry::named("shared");
    let mut world = World::new();
    world.insert(SHARED, Arc::default());
    let mut fork = world.fork();
    *fork
        .get_mut(SHARED)
        .expect("inserted")
        .lock()
        .expect("a lock") = 1;
    let seen = world
        .get(SHARED)
        .map(|shared| *shared.lock().expect("a lock"));
    assert_eq!(seen, Some(1));
}

#[test]
fn what_a_handler_keeps_is_shared_by_worlds() {
    let calls: Arc<Mutex<u64>> = Arc::default();
    let counts = calls.clone();
    let mut run = started(2);
    let mut fork = run.fork().expect("pending");
    let handlers = Handlers::<Fold>::new().on_any(move |savepoint| {
        *counts.lock().expect("a lock") += 1;
        savepoint.resume(0);
    });
    for run in [&mut run, &mut fork] {
        run.set_handlers(&handlers);
        run.resume(0).expect("pending");
    }
    assert_eq!(*calls.lock().expect("a lock"), 2);
}
