//! Runs that were resumed while their thread was running another: one after the other, not inside
//! each other.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use crate::contain::contain;

type Job = Box<dyn FnOnce()>;

/// What waits on a thread, and whether something on its stack will come to run it.
struct Line {
    is_taken: Cell<bool>,
    jobs: RefCell<VecDeque<Job>>,
}

thread_local! {
    static LINE: Line = const {
        Line {
            is_taken: Cell::new(false),
            jobs: RefCell::new(VecDeque::new()),
        }
    };
}

/// Runs it now, or when the thread's outermost run has come to a stop.
pub(super) fn run(job: impl FnOnce() + 'static) {
    let mut job = Some(job);
    let entered = LINE.try_with(|line| {
        if let Some(job) = job.take() {
            line.jobs.borrow_mut().push_back(Box::new(job));
        }
        drop(Turn::new(line));
    });
    // The thread ends, and its line has ended.
    if let (Err(_), Some(job)) = (entered, job) {
        job();
    }
}

/// While it runs, other runs of this thread wait; then they have their turn.
#[inline]
pub(super) fn outermost<R>(run: impl FnOnce() -> R) -> R {
    let mut run = Some(run);
    let ran = LINE.try_with(|line| {
        let _turn = Turn::new(line);
        run.take().map(|run| run())
    });
    match (ran, run) {
        (Ok(Some(value)), _) => value,
        (_, Some(run)) => run(),
        (_, None) => unreachable!("it was taken, and so it ran"),
    }
}

/// The right to run jobs, if nothing further out on the stack has it.
struct Turn<'a>(Option<&'a Line>);

impl<'a> Turn<'a> {
    #[inline]
    fn new(line: &'a Line) -> Self {
        Self((!line.is_taken.replace(true)).then_some(line))
    }
}

impl Drop for Turn<'_> {
    #[inline]
    fn drop(&mut self) {
        let Some(line) = self.0 else {
            return;
        };
        if !line.jobs.borrow().is_empty() {
            work_off(line);
        }
        line.is_taken.set(false);
    }
}

#[cold]
fn work_off(line: &Line) {
    loop {
        let Some(job) = line.jobs.borrow_mut().pop_front() else {
            break;
        };
        // Each is fenced by itself: one that fails takes no other with it.
        contain(job);
    }
}
