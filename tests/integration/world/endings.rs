//! Laws 10 and 11: each world ends once, whatever fails.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use greenroom::world::{
    End, Failure, Handlers, Held, Program, Run, Scope, Session, Status, Step, World,
};

use super::support::{FIRST, Fold, Token, left_alone};

type Ends = Arc<Mutex<Vec<(u64, &'static str)>>>;

fn kind(end: &End<Fold>) -> &'static str {
    match end {
        End::Result(_) => "result",
        End::Error(Failure::Program(_)) => "program",
        End::Error(Failure::Handler(_)) => "handler",
        End::Error(Failure::Panic(_)) => "panic",
        End::Abandoned => "abandoned",
    }
}

/// Notes all ends, by world.
fn noting(handlers: Handlers<Fold>) -> (Handlers<Fold>, Ends) {
    let ends = Ends::default();
    let noted = ends.clone();
    let handlers = handlers.on_end(move |world, end| {
        let entry = (world.lineage().id.as_u64(), kind(end));
        noted.lock().expect("a lock").push(entry);
    });
    (handlers, ends)
}

fn kinds(ends: &Ends) -> Vec<&'static str> {
    ends.lock()
        .expect("a lock")
        .iter()
        .map(|end| end.1)
        .collect()
}

#[test]
fn each_way_to_end_is_told_once() {
    let (handlers, ends) = noting(left_alone());
    let mut run = Run::start(World::new(), Fold::of(1), &handlers);
    run.fork().expect("pending").abandon();
    drop(run.fork().expect("pending"));
    run.resume(1).expect("pending");
    drop(run);
    let program = Fold {
        fails_at: Some(0),
        ..Fold::of(1)
    };
    let run = Run::start(World::new(), program, &handlers);
    assert_eq!(run.status(), Status::Error);
    drop(run);
    assert_eq!(
        kinds(&ends),
        ["abandoned", "abandoned", "result", "program"]
    );
    let mut ids: Vec<u64> = ends
        .lock()
        .expect("a lock")
        .iter()
        .map(|end| end.0)
        .collect();
    ids.dedup();
    assert_eq!(ids.len(), 4);
}

#[test]
fn a_handler_that_fails_before_it_answers_fails_the_run_once() {
    let fails = Handlers::<Fold>::new().on_any(|_savepoint| Err::<(), _>("as told"));
    let (handlers, ends) = noting(fails);
    let run = Run::start(World::new(), Fold::of(3), &handlers);
    assert_eq!(run.status(), Status::Error);
    let (_, end) = run.into_end().expect("it has ended");
    assert!(matches!(end, End::Error(Failure::Handler(error)) if error.to_string() == "as told"));
    assert_eq!(kinds(&ends), ["handler"]);
}

#[test]
fn a_handler_that_panics_before_it_answers_fails_the_run_with_the_text() {
    let panics = Handlers::<Fold>::new().on_any(|_savepoint| -> () { panic!("as told") });
    let (handlers, ends) = noting(panics);
    let run = Run::start(World::new(), Fold::of(3), &handlers);
    let (_, end) = run.into_end().expect("it has ended");
    assert!(matches!(end, End::Error(Failure::Panic(text)) if text == "as told"));
    assert_eq!(kinds(&ends), ["panic"]);
}

/// What a program offers that panics when it is dropped.
#[derive(Debug, Clone)]
struct Fragile;

impl Drop for Fragile {
    fn drop(&mut self) {
        std::panic::panic_any("as told");
    }
}

#[derive(Debug, Clone)]
struct Offering;

impl From<Fragile> for () {
    fn from(fragile: Fragile) {
        std::mem::forget(fragile);
    }
}

impl Program for Offering {
    type Payload = Fragile;
    type Value = ();
    type Output = ();
    type Error = Infallible;

    fn step(&mut self, _: &mut Scope<'_>, _: Option<()>) -> Step<Self> {
        Step::savepoint(FIRST, Fragile)
    }
}

#[test]
fn what_was_offered_may_panic_when_it_is_dropped_and_the_run_ends_all_the_same() {
    let fails = Handlers::<Offering>::new().on_any(|_savepoint| Err::<(), _>("as told"));
    let run = Run::start(World::new(), Offering, &fails);
    assert_eq!(run.status(), Status::Error);
    let (_, end) = run.into_end().expect("it has ended");
    assert!(matches!(end, End::Error(Failure::Handler(_))), "{end:?}");
}

#[test]
fn a_handler_that_fails_after_it_answered_changes_nothing() {
    let fails = Handlers::<Fold>::new().on_any(|savepoint| {
        savepoint.resume(1);
        Err::<(), _>("as told")
    });
    let panics = Handlers::<Fold>::new().on_any(|savepoint| -> () {
        savepoint.resume(1);
        panic!("as told")
    });
    for handlers in [fails, panics] {
        let (handlers, ends) = noting(handlers);
        let run = Run::start(World::new(), Fold::of(3), &handlers);
        assert_eq!(run.status(), Status::Result);
        assert_eq!(kinds(&ends), ["result"]);
    }
}

#[test]
fn a_handler_that_fails_after_it_held_fails_the_run_unless_another_has_claimed_it() {
    for is_claimed in [false, true] {
        let kept: Arc<Mutex<Option<Held<Fold>>>> = Arc::default();
        let keeps = kept.clone();
        let (handlers, ends) = noting(Handlers::<Fold>::new().on_any(move |savepoint| {
            let held = savepoint.hold();
            *keeps.lock().expect("a lock") = Some(held.clone());
            if is_claimed {
                held.abandon().expect("pending");
            }
            Err::<(), _>("as told")
        }));
        let run = Run::start(World::new(), Fold::of(3), &handlers);
        let held = kept.lock().expect("a lock").take().expect("held");
        assert!(!held.is_pending());
        held.resume(1).expect_err("nothing can re-enter");
        drop((run, held));
        let expected = if is_claimed { "abandoned" } else { "handler" };
        assert_eq!(kinds(&ends), [expected]);
    }
}

#[test]
fn a_handler_for_ends_that_panics_makes_no_second_end() {
    let ends: Arc<Mutex<usize>> = Arc::default();
    let counted = ends.clone();
    let handlers = left_alone().on_end(move |_, _| {
        *counted.lock().expect("a lock") += 1;
        std::panic::panic_any("as told");
    });
    let mut run = Run::start(World::new(), Fold::of(1), &handlers);
    drop(run.fork());
    run.resume(1).expect("pending");
    assert_eq!(run.output(), Some(&1));
    drop(run);
    assert_eq!(*ends.lock().expect("a lock"), 2);
}

#[test]
fn the_programs_destructors_have_run_when_an_abandoned_end_is_told() {
    let token = Token::new();
    let counter = token.clone();
    let seen: Arc<Mutex<Option<usize>>> = Arc::default();
    let sees = seen.clone();
    let handlers = left_alone().on_end(move |_, _| {
        *sees.lock().expect("a lock") = Some(counter.alive());
    });
    let run = Run::start(World::new(), Fold::with(1, &token), &handlers);
    assert_eq!(token.alive(), 3);
    run.abandon();
    assert_eq!(*seen.lock().expect("a lock"), Some(2));
}

#[test]
fn a_held_savepoint_whose_last_handle_goes_is_abandoned() {
    let (handlers, ends) = noting(left_alone());
    let session = Session::new(handlers);
    let run = session.open(World::new(), Fold::of(1)).expect("open");
    let held = run.hold().expect("suspended");
    let clone = held.clone();
    drop(held);
    assert_eq!((session.metrics().pending, kinds(&ends).len()), (1, 0));
    drop(clone);
    assert_eq!(
        (session.metrics().pending, session.metrics().worlds),
        (0, 0)
    );
    assert_eq!(kinds(&ends), ["abandoned"]);
}
