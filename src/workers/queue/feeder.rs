//! A feeder: a task that hands one worker its jobs, one by one, and replaces the worker.

use std::pin::pin;
use std::sync::Arc;

use tokio::time::{timeout, timeout_at};

use super::super::error::PoolError;
use super::super::seats::raw;
use super::entry::{Entry, JobResult};
use super::error::{Discard, JobError};
use super::line::{Line, Outcome, Phase, Turn};
use super::steward::Steward;
use crate::actor::{
    AskError, AskResult, ExitReason, Handler, Identity, Interrupted, Local, NotHandled, Refusal,
};
use crate::contain::catch;

pub(super) struct Feeder<A: Handler<J>, J: Send + 'static> {
    line: Arc<Line<A, J>>,
    worker: Option<A::Handle<Local>>,
    /// The worker before, which has ended and is not replaced yet.
    fallen: Option<(Identity, ExitReason)>,
    has_left: bool,
}

/// A job that is being done, counted as long as it is.
struct Running<'l, A: Handler<J>, J: Send + 'static> {
    line: &'l Line<A, J>,
    outcome: Option<Outcome>,
}

impl<A: Handler<J>, J: Send + 'static> Drop for Running<'_, A, J> {
    fn drop(&mut self) {
        self.line.finish(self.outcome);
    }
}

impl<A: Handler<J>, J: Send + 'static> Drop for Feeder<A, J> {
    fn drop(&mut self) {
        self.line.leave(self.has_left);
    }
}

impl<A: Handler<J>, J: Send + 'static> Feeder<A, J> {
    /// One that the line has counted.
    pub(super) fn new(line: Arc<Line<A, J>>) -> Self {
        Self {
            line,
            worker: None,
            fallen: None,
            has_left: false,
        }
    }

    pub(super) async fn run(mut self) {
        while let Some(entry) = self.next().await {
            self.work(entry).await;
        }
        if let Some(worker) = self.worker.take() {
            raw::<A>(&worker).shutdown().await;
        }
    }

    async fn next(&mut self) -> Option<Entry<A, J>> {
        loop {
            let mut news = pin!(self.line.work().notified());
            // Before it looks: what comes meanwhile wakes it.
            news.as_mut().enable();
            match self.line.turn() {
                Turn::Job(entry) => return Some(entry),
                Turn::Wait => news.await,
                // News or not, it looks again.
                Turn::WaitUntil(at) => drop(timeout_at(at, news).await),
                Turn::Leave => {
                    self.has_left = true;
                    return None;
                }
            }
        }
    }

    async fn work(&mut self, entry: Entry<A, J>) {
        let line = Arc::clone(&self.line);
        let mut running = Running {
            line: &line,
            outcome: None,
        };
        let Entry { job, asker, place } = entry;
        drop(place);
        match self.attempts(job).await {
            Ok(result) => {
                running.outcome = Some(match &result {
                    Ok(_) | Err(JobError::Ask(AskError::Handler(_))) => Outcome::Done,
                    Err(JobError::Stuck { .. }) => Outcome::Stuck,
                    Err(_) => Outcome::Crashed,
                });
                // Counted before anybody hears of it.
                drop(running);
                if let Some(asker) = asker {
                    // It may have gone.
                    let _ = asker.send(result);
                }
            }
            Err((failure, job)) => {
                running.outcome = Some(Outcome::Discarded);
                drop(running);
                line.close(Phase::Failed(failure));
                line.discard(job, asker, Discard::Failed);
            }
        }
    }

    /// Has the job done, by as many workers as it takes and may take. An error if there is none.
    async fn attempts(&mut self, mut job: J) -> Result<JobResult<A, J>, (PoolError, J)> {
        let mut retries = self.line.options.retries;
        loop {
            let worker = match self.worker() {
                Ok(worker) => worker,
                Err(failure) => return Err((failure, job)),
            };
            let copy = self.line.options.copy.filter(|_| retries > 0);
            // A job whose clone panics is done once.
            let copied = copy.and_then(|copy| catch(|| copy(&job)).ok());
            let Some(result) = self.ask(&worker, job).await else {
                let limit = self.line.options.limit.unwrap_or_default();
                let worker = raw::<A>(&worker).identity();
                return Ok(Err(JobError::Stuck { worker, limit }));
            };
            job = match (result, copied) {
                (Err(AskError::NotHandled(error)), _) if has_ended(&error) => {
                    // Before it began this job: the next worker has it.
                    if let Refusal::Ended(reason) = error.refusal() {
                        self.fall(error.actor().clone(), reason.clone());
                    }
                    // Two never sit in one seat.
                    raw::<A>(&worker).join().await;
                    match error.into_message() {
                        Ok(job) => job,
                        Err(error) => return Ok(Err(JobError::Ask(AskError::NotHandled(error)))),
                    }
                }
                // As it is said where this task has ended first.
                (Err(AskError::Interrupted(error)), _) if is_over(&error) => {
                    return Ok(Err(JobError::Discarded(Discard::RuntimeGone)));
                }
                (Err(AskError::Interrupted(_)), Some(copied)) => {
                    self.line.note_retry();
                    retries -= 1;
                    copied
                }
                (result, _) => return Ok(result.map_err(JobError::Ask)),
            };
        }
    }

    /// Asks the worker; `None` if it took too long, and was killed.
    async fn ask(&mut self, worker: &A::Handle<Local>, job: J) -> Option<AskResult<A, J>> {
        let Some(limit) = self.line.options.limit else {
            return Some(raw::<A>(worker).ask(job).await);
        };
        let asking = async {
            match raw::<A>(worker).ask(job).enqueue().await {
                Ok(reply) => reply.await,
                Err(error) => {
                    let (actor, refusal) = (error.actor().clone(), error.refusal().clone());
                    let job = Box::new(error.into_message());
                    Err(AskError::refused(actor, refusal, job))
                }
            }
        };
        if let Ok(result) = timeout(limit, asking).await {
            return Some(result);
        }
        let worker = raw::<A>(worker);
        worker.kill();
        self.fall(worker.identity(), ExitReason::Killed);
        None
    }

    fn fall(&mut self, worker: Identity, reason: ExitReason) {
        self.worker = None;
        self.fallen = Some((worker, reason));
    }

    /// The worker, a new one where that has ended.
    fn worker(&mut self) -> Result<A::Handle<Local>, PoolError> {
        if let Some(worker) = &self.worker {
            let worker = worker.clone();
            match raw::<A>(&worker).exit_reason() {
                None => return Ok(worker),
                Some(reason) => self.fall(raw::<A>(&worker).identity(), reason),
            }
        }
        if let Some((worker, reason)) = self.fallen.take()
            && !self.line.restarts.allow()
        {
            return Err(PoolError::Restarts { worker, reason });
        }
        let steward = Arc::new(Steward(Arc::downgrade(&self.line)));
        let worker = self.line.options.plan.worker().overseer(steward);
        let worker = worker.launch();
        let worker = worker.map_err(PoolError::Spawn)?;
        self.worker = Some(worker.clone());
        Ok(worker)
    }
}

fn has_ended(error: &NotHandled) -> bool {
    matches!(error.refusal(), Refusal::Ended(_))
}

/// Whether the worker's runtime has ended.
fn is_over(error: &Interrupted) -> bool {
    matches!(error.reason(), Some(ExitReason::RuntimeGone))
}
