//! The thread that finds the circles which were not found as they closed.
//!
//! It looks every [`WAIT_TICK`] while anything waits, and sleeps else. It sleeps as long as its
//! last look took at least, so that it never takes more than half of a core. It holds no runtime,
//! and keeps no process running. At each look it judges the waits that had begun at the look before
//! and go on: they have all gone on at one time, so a circle of them is one.

use std::sync::OnceLock;
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use super::{Deadlock, EDGES, tell};
use crate::edges::circles;
use crate::edges::rest::Rest;
use crate::limits::WAIT_TICK;

static REST: Rest = Rest::new();
static THREAD: OnceLock<Option<Thread>> = OnceLock::new();

/// A wait has begun.
#[inline]
pub(super) fn attend() {
    if REST.end() {
        wake();
    }
}

#[cold]
fn wake() {
    if let Some(thread) = THREAD.get_or_init(start) {
        thread.unpark();
    }
}

fn start() -> Option<Thread> {
    let scanner = thread::Builder::new()
        .name("greenroom-waits".into())
        .spawn(run);
    // Without a thread, circles that were not found as they closed are not found.
    scanner.ok().map(|handle| handle.thread().clone())
}

fn run() {
    let mut before = 0;
    let mut took = Duration::ZERO;
    loop {
        thread::sleep(WAIT_TICK.max(took));
        let mark = EDGES.mark();
        let began = Instant::now();
        if !look(before) {
            REST.begin(&EDGES);
        }
        took = began.elapsed();
        while REST.lasts() {
            thread::park();
        }
        before = mark;
    }
}

/// Judges the waits with numbers up to this one. Says whether anything waits.
fn look(before: u64) -> bool {
    let mut sights = Vec::new();
    let any = EDGES.sweep(before, &mut sights);
    let circles = circles(sights);
    for found in &circles.lasting {
        EDGES.condemn(found);
    }
    for found in &circles.limited {
        if let Some(circle) = EDGES.news(found) {
            tell(&Deadlock::new(circle));
        }
    }
    any
}
