//! What several of these modules need.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use greenroom::Runtime;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Tells a hang from an answer; no test rests on its length.
pub(crate) const LONG: Duration = Duration::from_secs(30);

pub(crate) fn multi(workers: usize) -> Runtime {
    Runtime::builder().worker_threads(workers).build().unwrap()
}

pub(crate) fn single() -> Runtime {
    Runtime::builder().current_thread().build().unwrap()
}

/// Both kinds of runtimes.
pub(crate) fn both() -> [Runtime; 2] {
    [single(), multi(2)]
}

pub(crate) fn tokio_multi(workers: usize) -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(workers)
        .enable_all()
        .build()
        .unwrap()
}

pub(crate) fn tokio_single() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

/// Computes until it is so; says whether that was in time. It never ends a poll.
pub(crate) fn spin_until_that(holds: impl Fn() -> bool, limit: Duration) -> bool {
    let began = Instant::now();
    while !holds() {
        if began.elapsed() > limit {
            return false;
        }
        spin_loop();
    }
    true
}

/// Computes until the flag is set; says whether that was in time.
pub(crate) fn spin_until(flag: &AtomicBool, limit: Duration) -> bool {
    spin_until_that(|| flag.load(Ordering::Acquire), limit)
}

/// Fails instead of hanging.
pub(crate) async fn within<F: Future>(what: &str, future: F) -> F::Output {
    match tokio::time::timeout(LONG, future).await {
        Ok(output) => output,
        Err(_) => panic!("{what} did not come"),
    }
}

/// Counts how many of its guards are alive, and how many have been dropped.
#[derive(Clone, Default)]
pub(crate) struct Drops(Arc<AtomicUsize>);

pub(crate) struct Guard(Arc<AtomicUsize>);

impl Drops {
    pub(crate) fn guard(&self) -> Guard {
        Guard(Arc::clone(&self.0))
    }

    pub(crate) fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// An event of the crate's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    pub(crate) target: &'static str,
    pub(crate) fields: BTreeMap<&'static str, String>,
}

/// Writes down the events of level ERROR, in order.
#[derive(Clone, Default)]
pub(crate) struct Notes(Arc<Mutex<Vec<Note>>>);

impl Notes {
    pub(crate) fn all(&self) -> Vec<Note> {
        self.0.lock().unwrap().clone()
    }
}

impl Visit for Note {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.fields.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.fields.insert(field.name(), value.to_owned());
    }
}

impl Subscriber for Notes {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() == tracing::Level::ERROR
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut note = Note {
            target: event.metadata().target(),
            fields: BTreeMap::new(),
        };
        event.record(&mut note);
        self.0.lock().unwrap().push(note);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}
