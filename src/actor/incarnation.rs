//! What belongs to an actor's incarnation and ends with it: its timers, tasks, streams, monitors.
//!
//! Few actors have any, so it is made at first need. It ends when the actor does, or begins again
//! with a new state: after the last handler and the state have gone, and before anything else of
//! the actor runs. Nothing in it keeps the actor.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context as TaskContext, Poll};

use pin_project_lite::pin_project;

use super::cell::Head;
use super::context::Context;
use super::monitor::Monitors;
use super::timers::Alarms;
use crate::exec;
use crate::sync::Mutex;
use crate::task::{AbortHandle, JoinHandle};

#[derive(Default)]
pub(super) struct Incarnation {
    pub(super) alarms: Alarms,
    pub(super) monitors: Monitors,
    /// No user code runs under this lock.
    tasks: Mutex<Tasks>,
}

#[derive(Default)]
struct Tasks {
    last: u64,
    /// `None` between a task's spawn and its entry.
    live: HashMap<u64, Option<AbortHandle>>,
}

impl Incarnation {
    /// Spawns a task that is aborted when the incarnation ends.
    #[track_caller]
    pub(super) fn spawn<F>(self: &Arc<Self>, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        let number = {
            let mut tasks = self.tasks.lock();
            tasks.last += 1;
            let number = tasks.last;
            tasks.live.insert(number, None);
            number
        };
        let leave = Leave {
            incarnation: Arc::downgrade(self),
            number,
        };
        let task = exec::spawn(Bound {
            future,
            _leave: leave,
        });
        // It may have ended already.
        if let Some(entry) = self.tasks.lock().live.get_mut(&number) {
            *entry = Some(task.abort_handle());
        }
        task
    }

    /// Ends what belongs to it: drops timers, aborts tasks. Never unwinds.
    fn end(&self) {
        let tasks = std::mem::take(&mut self.tasks.lock().live);
        for task in tasks.into_values().flatten() {
            task.abort();
        }
        self.alarms.end();
        self.monitors.end();
    }
}

pin_project! {
    /// A task's future, and that it leaves the list of tasks when it has gone.
    struct Bound<F> {
        #[pin]
        future: F,
        _leave: Leave,
    }
}

impl<F: Future> Future for Bound<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<F::Output> {
        self.project().future.poll(cx)
    }
}

struct Leave {
    incarnation: Weak<Incarnation>,
    number: u64,
}

impl Drop for Leave {
    fn drop(&mut self) {
        if let Some(incarnation) = self.incarnation.upgrade() {
            let entry = incarnation.tasks.lock().live.remove(&self.number);
            drop(entry);
        }
    }
}

impl Head {
    /// The incarnation, if something belongs to it.
    pub(super) fn incarnation(&self) -> Option<Arc<Incarnation>> {
        self.extras()?.incarnation.lock().clone()
    }

    /// Ends the incarnation: to be called when its last handler and its state have gone.
    pub(super) fn end_incarnation(&self) {
        let Some(extras) = self.extras() else { return };
        let ended = extras.incarnation.lock().take();
        if let Some(ended) = ended {
            ended.end();
        }
    }
}

impl<A> Context<A> {
    /// The incarnation, so that something can belong to it.
    pub(super) fn belongings(&self) -> Arc<Incarnation> {
        let extras = self.head().extras_or_make();
        let mut incarnation = extras.incarnation.lock();
        Arc::clone(incarnation.get_or_insert_default())
    }
}
