//! Laws 8 and 9: a chain of savepoints takes bounded room, in the table and on the stack.

use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

use greenroom::world::{Entry, Handlers, Held, Run, Session, Status, World};

use super::support::{Fold, fold};

const DEPTH: Entry<usize> = Entry::named("depth");

/// Runs it on a thread with little stack.
fn on_a_small_stack(code: impl FnOnce() + Send + 'static) {
    let thread = thread::Builder::new().stack_size(128 * 1024).spawn(code);
    thread
        .expect("a thread")
        .join()
        .expect("no overflow, and no panic");
}

#[test]
fn five_thousand_inline_sites_never_make_an_entry() {
    let session = Session::new(Handlers::<Fold>::new().on_any(|savepoint| savepoint.resume(1)));
    let run = session.open(World::new(), Fold::of(5_000)).expect("open");
    assert_eq!(run.status(), Status::Result);
    let metrics = session.metrics();
    assert_eq!((metrics.pending_peak, metrics.exchanges), (0, 0));
    assert_eq!(
        (metrics.counts.published, metrics.counts.inline),
        (5_000, 5_000)
    );
}

#[test]
fn a_chain_of_held_sites_that_are_resumed_at_once_has_one_entry_at_most() {
    on_a_small_stack(|| {
        let session = Session::new(Handlers::<Fold>::new().on_any(|savepoint| {
            let held = savepoint.hold();
            held.resume(1).expect("pending");
        }));
        let run = session.open(World::new(), Fold::of(5_000)).expect("open");
        assert_eq!(run.status(), Status::Held);
        let metrics = session.metrics();
        assert_eq!((metrics.pending, metrics.pending_peak), (0, 1));
        assert_eq!((metrics.worlds, metrics.counts.held), (0, 5_000));
    });
}

#[test]
fn a_million_inline_resumes_run_on_a_small_stack() {
    on_a_small_stack(|| {
        let handlers = Handlers::<Fold>::new().on_any(|savepoint| savepoint.resume(1));
        let run = Run::start(World::new(), Fold::of(1_000_000), &handlers);
        assert_eq!(
            run.output(),
            Some(&(0..1_000_000).fold(0, |sum, _| fold(sum, 1)))
        );
    });
}

#[test]
fn a_resume_inside_a_handler_returns_before_the_rest_has_run() {
    let order: Arc<Mutex<Vec<&str>>> = Arc::default();
    let (noted, ended) = (order.clone(), order.clone());
    let handlers = Handlers::<Fold>::new()
        .on_any(move |savepoint| {
            savepoint.hold().resume(1).expect("pending");
            noted.lock().expect("a lock").push("resumed");
        })
        .on_end(move |_, _| ended.lock().expect("a lock").push("ended"));
    drop(Run::start(World::new(), Fold::of(1), &handlers));
    assert_eq!(*order.lock().expect("a lock"), ["resumed", "ended"]);
}

#[test]
fn who_resumes_a_run_runs_it() {
    let ran: Arc<Mutex<Vec<ThreadId>>> = Arc::default();
    let (noted, ended) = (ran.clone(), ran.clone());
    fn note(on: &Mutex<Vec<ThreadId>>) {
        on.lock().expect("a lock").push(thread::current().id());
    }
    let handlers = Handlers::<Fold>::new()
        .on_any(move |_savepoint| note(&noted))
        .on_end(move |_, _| note(&ended));
    let run = Run::start(World::new(), Fold::of(2), &handlers);
    let held = run.hold().expect("suspended");
    let there = thread::spawn(move || {
        let mut run = held.claim().expect("pending");
        assert_eq!(run.resume(1), Ok(Status::Suspended));
        (run, thread::current().id())
    });
    let (mut run, there) = there.join().expect("no panic");
    assert_eq!(run.resume(1), Ok(Status::Result));
    let here = thread::current().id();
    assert_eq!(*ran.lock().expect("a lock"), [here, there, here]);
}

#[test]
fn what_waits_on_a_thread_runs_although_another_has_failed() {
    let kept: Arc<Mutex<Vec<Held<Fold>>>> = Arc::default();
    let handlers = Handlers::<Fold>::new()
        .on_any(|_savepoint| ())
        .on_end(|_, _| panic!("told"));
    let held = |sites| {
        let run = Run::start(World::new(), Fold::of(sites), &handlers);
        run.hold().expect("suspended")
    };
    kept.lock().expect("a lock").extend([held(1), held(1)]);
    let resumes = kept.clone();
    let outer = Handlers::<Fold>::new().on_any(move |savepoint| {
        for held in resumes.lock().expect("a lock").iter() {
            held.resume(1).expect("pending");
        }
        savepoint.resume(1);
    });
    let run = Run::start(World::new(), Fold::of(1), &outer);
    assert_eq!(run.status(), Status::Result);
    assert!(
        kept.lock()
            .expect("a lock")
            .iter()
            .all(|held| !held.is_pending())
    );
}

#[greenroom::test]
async fn a_long_run_lets_other_tasks_run_meanwhile() {
    let handlers = Handlers::<Fold>::new().on_any(|savepoint| savepoint.resume(1));
    let mut world = World::new();
    world.insert(DEPTH, 0);
    let mut run = Run::prepare(world, Fold::of(100_000), &handlers);
    let turns = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counted = turns.clone();
    let other = greenroom::spawn(async move {
        loop {
            counted.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            greenroom::yield_now().await;
        }
    });
    assert_eq!(run.complete().await, Status::Result);
    other.abort();
    assert!(turns.load(std::sync::atomic::Ordering::SeqCst) > 10);
}
