//! The line of jobs, and who takes from it.
//!
//! All that is counted is counted here, under one lock: jobs that wait, those that are being done,
//! and the feeders, each of which hands one worker its jobs. A job's place is a permit of `room`
//! until it is taken. Feeders that find nothing wait for `work`. A notice may be lost with the one
//! that it has woken, so whoever takes a job and leaves others wakes the next.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;

use tokio::sync::{AcquireError, Notify, OwnedSemaphorePermit, Semaphore, TryAcquireError};
use tokio::time::Instant;

use super::super::error::PoolError;
use super::super::restarts::Restarts;
use super::WhenFull;
use super::builder::Options;
use super::entry::{Asker, Entry};
use super::error::{Discard, JobError, QueueError, QueueRefusal};
use super::feeder::Feeder;
use super::rate::Rate;
use crate::actor::{Handler, SpawnErrorKind};
use crate::contain::contain;
use crate::exec::Executor;
use crate::limits::POOL_WORKERS_MAX;
use crate::sync::Mutex;

pub(super) struct Line<A: Handler<J>, J: Send + 'static> {
    pub(super) options: Options<A, J>,
    pub(super) restarts: Restarts,
    room: Arc<Semaphore>,
    work: Notify,
    left: Notify,
    inner: Mutex<Inner<A, J>>,
}

struct Inner<A: Handler<J>, J: Send + 'static> {
    jobs: VecDeque<Entry<A, J>>,
    phase: Phase,
    rate: Option<Rate>,
    /// How many shall take jobs.
    target: usize,
    /// Feeders that have not ended: more than take jobs, where some have yet to end.
    present: usize,
    stats: QueueStats,
}

#[derive(Clone, Debug)]
pub(super) enum Phase {
    Open,
    Draining,
    Failed(PoolError),
}

/// A queue in numbers, from [`WorkQueue::stats`](crate::WorkQueue::stats).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueStats {
    /// Jobs that wait.
    pub queued: usize,
    /// Jobs that are being done.
    pub running: usize,
    /// Workers that take jobs, or may be spawned for one.
    pub workers: usize,
    /// Jobs that were done, also those whose handler returned an error.
    pub done: u64,
    /// Jobs at which a worker crashed, and that were not done again.
    pub crashed: u64,
    /// Jobs that took longer than the limit.
    pub stuck: u64,
    /// Jobs that were discarded before anybody began them.
    pub discarded: u64,
    /// Times that a job was done again.
    pub retried: u64,
    /// Workers that were replaced.
    pub restarts: u64,
}

/// What there is for a feeder.
pub(super) enum Turn<A: Handler<J>, J: Send + 'static> {
    Job(Entry<A, J>),
    Wait,
    WaitUntil(Instant),
    /// It takes no more jobs, and is not counted among those who do.
    Leave,
}

/// How a job ended.
#[derive(Clone, Copy)]
pub(super) enum Outcome {
    Done,
    Crashed,
    Stuck,
    Discarded,
}

impl<A: Handler<J>, J: Send + 'static> Line<A, J> {
    pub(super) fn new(
        options: Options<A, J>,
        restarts: Restarts,
        rate: Option<Rate>,
        capacity: usize,
    ) -> Self {
        let inner = Inner {
            jobs: VecDeque::new(),
            phase: Phase::Open,
            rate,
            target: 0,
            present: 0,
            stats: QueueStats::default(),
        };
        Self {
            options,
            restarts,
            room: Arc::new(Semaphore::new(capacity)),
            work: Notify::new(),
            left: Notify::new(),
            inner: Mutex::new(inner),
        }
    }

    /// Sees to it that so many take jobs.
    pub(super) fn staff(self: &Arc<Self>, workers: usize) -> Result<(), PoolError> {
        if workers == 0 || workers > POOL_WORKERS_MAX {
            return Err(PoolError::Size(workers));
        }
        let executor = Executor::current();
        let executor = executor.map_err(|_| PoolError::Spawn(SpawnErrorKind::NoRuntime))?;
        if executor.is_closed() {
            return Err(PoolError::Spawn(SpawnErrorKind::RuntimeGone));
        }
        let missing = {
            let mut inner = self.inner.lock();
            match &inner.phase {
                Phase::Open => {}
                Phase::Draining => return Err(PoolError::Ended),
                Phase::Failed(failure) => return Err(failure.clone()),
            }
            let missing = workers.saturating_sub(inner.stats.workers);
            inner.target = workers;
            inner.stats.workers += missing;
            inner.present += missing;
            missing
        };
        for _ in 0..missing {
            let feeder = Feeder::new(Arc::clone(self));
            drop(crate::exec::spawn(feeder.run()));
        }
        self.work.notify_waiters();
        Ok(())
    }

    /// Puts a job in, waiting for a place if that is what is done.
    pub(super) async fn submit(
        &self,
        job: J,
        asker: Option<Asker<A, J>>,
    ) -> Result<(), QueueError<J>> {
        let waits = self.options.when_full == WhenFull::Wait;
        let (job, asker) = match self.attempt(job, asker) {
            Ok(()) => return Ok(()),
            Err((QueueRefusal::Full, job, asker)) if waits => (job, asker),
            Err((refusal, job, _)) => return Err(QueueError::new(refusal, job)),
        };
        let place: Result<_, AcquireError> = Arc::clone(&self.room).acquire_owned().await;
        let Ok(place) = place else {
            return Err(QueueError::new(self.refusal(), job));
        };
        let entry = Entry { job, asker, place };
        self.push(entry)
            .map_err(|entry| QueueError::new(self.refusal(), entry.job))
    }

    /// Puts a job in, now or not at all.
    pub(super) fn try_submit(
        &self,
        job: J,
        asker: Option<Asker<A, J>>,
    ) -> Result<(), QueueError<J>> {
        let attempt = self.attempt(job, asker);
        attempt.map_err(|(refusal, job, _)| QueueError::new(refusal, job))
    }

    #[allow(clippy::type_complexity)] // the parts of a job, handed back
    fn attempt(
        &self,
        job: J,
        asker: Option<Asker<A, J>>,
    ) -> Result<(), (QueueRefusal, J, Option<Asker<A, J>>)> {
        let place = match Arc::clone(&self.room).try_acquire_owned() {
            Ok(place) => place,
            Err(TryAcquireError::Closed) => return Err((self.refusal(), job, asker)),
            Err(TryAcquireError::NoPermits) => match self.options.when_full {
                WhenFull::Wait | WhenFull::Reject => {
                    return Err((QueueRefusal::Full, job, asker));
                }
                WhenFull::DropNewest => {
                    self.discard(job, asker, Discard::Newest);
                    return Ok(());
                }
                WhenFull::DropOldest => match self.oust() {
                    Some(place) => place,
                    // All places are of jobs that are on their way in, and came before.
                    None => {
                        self.discard(job, asker, Discard::Newest);
                        return Ok(());
                    }
                },
            },
        };
        let entry = Entry { job, asker, place };
        self.push(entry)
            .map_err(|entry| (self.refusal(), entry.job, entry.asker))
    }

    fn push(&self, entry: Entry<A, J>) -> Result<(), Entry<A, J>> {
        {
            let mut inner = self.inner.lock();
            if !matches!(inner.phase, Phase::Open) {
                return Err(entry);
            }
            inner.jobs.push_back(entry);
        }
        self.work.notify_one();
        Ok(())
    }

    /// Discards the oldest job, for its place.
    fn oust(&self) -> Option<OwnedSemaphorePermit> {
        let oldest = self.inner.lock().jobs.pop_front()?;
        self.discard(oldest.job, oldest.asker, Discard::Oldest);
        Some(oldest.place)
    }

    pub(super) fn discard(&self, job: J, asker: Option<Asker<A, J>>, why: Discard) {
        self.inner.lock().stats.discarded += 1;
        if let Some(asker) = asker {
            // It may have gone.
            let _ = asker.send(Err(JobError::Discarded(why)));
        }
        contain(|| match &self.options.discarded {
            Some(hook) => hook(job, why),
            None => drop(job),
        });
    }

    fn refusal(&self) -> QueueRefusal {
        match &self.inner.lock().phase {
            Phase::Open => QueueRefusal::Full,
            Phase::Draining => QueueRefusal::Draining,
            Phase::Failed(failure) => QueueRefusal::Failed(failure.clone()),
        }
    }

    /// What there is for a feeder, now.
    pub(super) fn turn(&self) -> Turn<A, J> {
        let mut forsaken = Vec::new();
        let (turn, has_more) = {
            let mut inner = self.inner.lock();
            let turn = inner.turn(&mut forsaken);
            (turn, !inner.jobs.is_empty())
        };
        if has_more && matches!(turn, Turn::Job(_) | Turn::Leave) {
            self.work.notify_one();
        }
        for entry in forsaken {
            self.discard(entry.job, entry.asker, Discard::AskerGone);
        }
        turn
    }

    pub(super) fn work(&self) -> &Notify {
        &self.work
    }

    /// A job that was taken has ended.
    pub(super) fn finish(&self, outcome: Option<Outcome>) {
        let stats = &mut self.inner.lock().stats;
        stats.running -= 1;
        match outcome {
            Some(Outcome::Done) => stats.done += 1,
            Some(Outcome::Crashed) => stats.crashed += 1,
            Some(Outcome::Stuck) => stats.stuck += 1,
            // It counts itself. Or its feeder was dropped, and the runtime is ending.
            Some(Outcome::Discarded) | None => {}
        }
    }

    pub(super) fn note_retry(&self) {
        self.inner.lock().stats.retried += 1;
    }

    /// A feeder has ended. One that has not left before was dropped: the runtime is ending.
    pub(super) fn leave(&self, has_left: bool) {
        let is_deserted = {
            let mut inner = self.inner.lock();
            inner.present -= 1;
            if !has_left {
                inner.stats.workers -= 1;
            }
            !has_left && inner.stats.workers == 0
        };
        if is_deserted {
            self.close(Phase::Failed(PoolError::Spawn(SpawnErrorKind::RuntimeGone)));
        }
        self.left.notify_waiters();
    }

    /// Takes no more jobs; when it has failed those that wait are discarded.
    pub(super) fn close(&self, phase: Phase) {
        let has_failed = matches!(phase, Phase::Failed(_));
        let rest = {
            let mut inner = self.inner.lock();
            match inner.phase {
                Phase::Failed(_) => {}
                Phase::Draining if !has_failed => {}
                Phase::Open | Phase::Draining => inner.phase = phase,
            }
            match has_failed {
                true => std::mem::take(&mut inner.jobs),
                false => VecDeque::new(),
            }
        };
        self.room.close();
        self.work.notify_waiters();
        for entry in rest {
            self.discard(entry.job, entry.asker, Discard::Failed);
        }
    }

    /// Until all feeders have ended.
    pub(super) async fn until_left(&self) {
        loop {
            let mut left = pin!(self.left.notified());
            left.as_mut().enable();
            if self.inner.lock().present == 0 {
                return;
            }
            left.await;
        }
    }

    pub(super) fn stats(&self) -> QueueStats {
        let restarts = self.restarts.count();
        let inner = self.inner.lock();
        QueueStats {
            queued: inner.jobs.len(),
            restarts,
            ..inner.stats
        }
    }

    pub(super) fn failure(&self) -> Option<PoolError> {
        match &self.inner.lock().phase {
            Phase::Failed(failure) => Some(failure.clone()),
            Phase::Open | Phase::Draining => None,
        }
    }
}

impl<A: Handler<J>, J: Send + 'static> Inner<A, J> {
    fn turn(&mut self, forsaken: &mut Vec<Entry<A, J>>) -> Turn<A, J> {
        let is_open = matches!(self.phase, Phase::Open);
        if is_open && self.stats.workers > self.target {
            return self.dismiss();
        }
        while let Some(entry) = self.jobs.front() {
            if !entry.is_forsaken()
                && let Some(rate) = &mut self.rate
                && let Err(at) = rate.take(Instant::now())
            {
                return Turn::WaitUntil(at);
            }
            let Some(entry) = self.jobs.pop_front() else {
                break;
            };
            if entry.is_forsaken() {
                forsaken.push(entry);
                continue;
            }
            self.stats.running += 1;
            return Turn::Job(entry);
        }
        if is_open { Turn::Wait } else { self.dismiss() }
    }

    fn dismiss(&mut self) -> Turn<A, J> {
        self.stats.workers -= 1;
        Turn::Leave
    }
}
