//! The loop that runs a program from savepoint to savepoint.

use super::body::Answer;
use super::end::{End, Failure, Status};
use super::handlers::Handlers;
use super::program::{Program, Scope, Step};
use super::savepoint::{Savepoint, Slot};
use crate::contain::{catch, contain, discard, text_of};
use crate::error::BoxError;

/// Whose code is running.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Program,
    Handler,
}

/// One drive of a run.
struct Drive<'a, P: Program> {
    slot: &'a mut Slot<P>,
    handlers: Handlers<P>,
    phase: Phase,
    left: usize,
    /// How the run ends, if it does: kept aside, so that what is passed at each stop is small.
    end: Option<End<P>>,
}

/// Runs it until it stops, or for so many steps.
pub(super) fn drive<P: Program>(slot: &mut Slot<P>, steps: usize) -> Status {
    let Some(handlers) = slot.live.get_mut().and_then(|body| body.handlers.take()) else {
        return Status::Held;
    };
    let mut drive = Drive {
        slot,
        handlers,
        phase: Phase::Program,
        left: steps,
        end: None,
    };
    let status = loop {
        let stop = match catch(|| drive.run()) {
            Ok(stop) => stop,
            Err(payload) => {
                let text = text_of(&payload).to_owned();
                discard(payload);
                drive.panicked(text)
            }
        };
        if let Some(status) = stop {
            break status;
        }
    };
    drive.stop(status)
}

impl<P: Program> Drive<'_, P> {
    /// Steps until there is a reason to stop.
    #[inline]
    fn run(&mut self) -> Option<Status> {
        let Some(body) = self.slot.live.get_mut() else {
            return Some(Status::Held);
        };
        let mut value = match body.answer.take() {
            Answer::Begin => None,
            Answer::Resume(value) => Some(value),
            Answer::Abandon => return self.ends(End::Abandoned),
            Answer::None => return Some(Status::Suspended),
        };
        loop {
            let Some(body) = self.slot.live.get_mut() else {
                return Some(Status::Held);
            };
            if self.left == 0 {
                body.answer = value.map_or(Answer::Begin, Answer::Resume);
                return Some(Status::Ready);
            }
            self.left -= 1;
            body.sequence += 1;
            let Some(program) = &mut body.program else {
                return Some(Status::Held);
            };
            let mut scope = Scope::new(&mut body.world, &mut body.frame);
            let (site, id, payload) = match program.step(&mut scope, value) {
                Step::Done(output) => return self.ends(End::Result(output)),
                Step::Failed(error) => return self.ends(End::Error(Failure::Program(error))),
                Step::Savepoint { site, id, payload } => (site, id, payload),
            };
            if let Some(handlers) = body.handlers.take() {
                self.handlers = handlers;
            }
            let Some(handler) = self.handlers.find(site) else {
                if id.is_none() {
                    body.frame.next(site);
                }
                value = Some(payload.into());
                continue;
            };
            let address = body.publish(site, id, payload);
            // Read after publication: who closes raises the flag, and then looks for what is held.
            if body.is_closing() {
                return self.ends(End::Abandoned);
            }
            self.phase = Phase::Handler;
            let result = handler(Savepoint::new(self.slot, &self.handlers, (site, address)));
            self.phase = Phase::Program;
            match self.answered(result) {
                Ok(next) => value = Some(next),
                Err(stop) => return stop,
            }
        }
    }

    /// What a handler has left: the value to go on with, or why there is none.
    #[inline]
    fn answered(&mut self, result: Result<(), BoxError>) -> Result<P::Value, Option<Status>> {
        if let Err(error) = result
            && let Some(stop) = self.failed(Failure::Handler(error))
        {
            return Err(Some(stop));
        }
        let Some(body) = self.slot.live.get_mut() else {
            return Err(Some(Status::Held));
        };
        match body.answer.take() {
            Answer::Resume(value) => {
                body.counts.inline += 1;
                Ok(value)
            }
            Answer::Abandon => {
                body.counts.inline += 1;
                Err(self.ends(End::Abandoned))
            }
            Answer::None | Answer::Begin => {
                body.counts.suspended += 1;
                Err(Some(Status::Suspended))
            }
        }
    }

    /// Stops by an end, which is told when user code is no longer on the stack.
    fn ends(&mut self, end: End<P>) -> Option<Status> {
        let status = match end {
            End::Result(_) => Status::Result,
            End::Error(_) => Status::Error,
            End::Abandoned => Status::Abandoned,
        };
        self.end = Some(end);
        Some(status)
    }

    /// A handler has failed: so does the run, if nobody else has its savepoint.
    fn failed(&mut self, failure: Failure<P::Error>) -> Option<Status> {
        if let Some(held) = self.slot.held.take() {
            match held.claim() {
                Some(run) => self.slot.live = run.into_live(),
                None => {
                    report(&failure);
                    return None;
                }
            }
        }
        let body = self.slot.live.get_mut()?;
        if matches!(body.answer, Answer::None) {
            return self.ends(End::Error(failure));
        }
        report(&failure);
        None
    }

    /// Somebody's code has panicked. None: the run goes on.
    fn panicked(&mut self, text: String) -> Option<Status> {
        let failure = Failure::Panic(text);
        match std::mem::replace(&mut self.phase, Phase::Program) {
            Phase::Program => self.ends(End::Error(failure)),
            Phase::Handler => self.failed(failure),
        }
    }

    fn stop(self, status: Status) -> Status {
        let Self {
            slot,
            handlers,
            end,
            ..
        } = self;
        slot.held = None;
        let Some(body) = slot.live.get_mut() else {
            return Status::Held;
        };
        body.handlers.get_or_insert(handlers);
        match end {
            None => (),
            Some(End::Abandoned) => slot.live.abandon(),
            Some(end) => {
                let point = body.point.take();
                contain(|| drop(point));
                body.finish(end);
            }
        }
        status
    }
}

fn report<E>(failure: &Failure<E>) {
    let text = match failure {
        Failure::Program(_) => "its program",
        Failure::Handler(error) => &error.to_string(),
        Failure::Panic(text) => text,
    };
    crate::trace::handler_failed(text);
}

impl<E> From<BoxError> for Failure<E> {
    fn from(error: BoxError) -> Self {
        Self::Handler(error)
    }
}
