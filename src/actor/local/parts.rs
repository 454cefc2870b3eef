//! The parts of an ask or tell, pinned where they must be.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::Instant;

use crate::actor::envelope::{OutcomeOf, Parcel};
use crate::actor::error::{AskError, Refusal, TellError};
use crate::actor::identity::Identity;
use crate::actor::inline::{self, Ran};
use crate::actor::nesting;
use crate::actor::outcome::Outcome;
use crate::actor::running::Running;
use crate::actor::sending::{Seal, Sending};
use crate::actor::strong::Strong;
use crate::actor::timed::Due;
use crate::actor::timeout::{Timeout, TimeoutState};
use crate::actor::traits::Handler;
use crate::actor::waits::{Deadlock, Errand, Watch};
use crate::edges::Probe;
use crate::mailbox::Refused;
use crate::reply::{self, GivenUp, Receiver, Timer};

/// What is done at the first poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::actor) enum Step {
    /// The message is handled here and now, if that may be, or queued; then its reply is awaited.
    Ask,
    /// It is queued, and its reply awaited.
    Queue,
    /// It is queued, and that is all.
    Enqueue,
}

pub(in crate::actor) struct Parts<'a, M: Send + 'static> {
    pub(in crate::actor) receiver: &'a mut Receiver,
    pub(in crate::actor) accepted: &'a mut bool,
    pub(in crate::actor) watch: Watch,
    pub(in crate::actor) sending: Pin<&'a mut Sending<M>>,
    pub(in crate::actor) target: &'a Strong,
}

impl<'a, M: Send + 'static> Parts<'a, M> {
    fn errand(&self) -> Errand<'a> {
        Errand {
            target: self.target.head(),
            message: std::any::type_name::<M>,
        }
    }

    /// The circle that the ask would close, were it sent.
    #[inline]
    pub(super) fn foresee<A: Handler<M>>(&self) -> Option<Deadlock> {
        if self.sending.is_unsent() {
            self.watch.foresee(self.errand(), A::REENTRANT)
        } else {
            None
        }
    }

    /// Queues the message, with a way back for its reply, unless that was done.
    ///
    /// One that `may_expire` may get a limit when it is queued.
    #[inline]
    pub(super) fn poll_accept<A: Handler<M>>(
        &mut self,
        may_expire: bool,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), (Refusal, M)>> {
        if *self.accepted {
            return Poll::Ready(Ok(()));
        }
        let way_back = || {
            let (end, waiting) = match may_expire {
                false => reply::channel::<OutcomeOf<A, M>>(),
                true => reply::limited::<OutcomeOf<A, M>>(None, None),
            };
            *self.receiver = waiting;
            Some(end)
        };
        let sending = self.sending.as_mut();
        let seal = Parcel::seal::<A>;
        let polled = match may_expire {
            // The reply is what costs.
            false => sending.poll_place(self.target, seal, way_back, cx),
            true => sending.poll_send(self.target, seal, way_back, cx),
        };
        let refusal = match polled {
            Poll::Ready(Ok(())) => {
                *self.accepted = true;
                return Poll::Ready(Ok(()));
            }
            Poll::Ready(Err(refused)) => refusal(self.target, refused),
            Poll::Pending => {
                // Only an ask that goes on waits for the reply as well.
                let waits = if may_expire {
                    self.pending_send(cx)
                } else {
                    self.pending(cx)
                };
                match waits {
                    None => return Poll::Pending,
                    Some(deadlock) => Refusal::Deadlock(deadlock),
                }
            }
        };
        Poll::Ready(self.take_back(refusal))
    }

    /// Takes the message back, unless it was granted its slot just now.
    #[cold]
    pub(super) fn take_back(&mut self, refusal: Refusal) -> Result<(), (Refusal, M)> {
        match self.sending.as_mut().cancel() {
            Some(message) => {
                *self.receiver = Receiver::none();
                Err((refusal, message))
            }
            None => {
                *self.accepted = true;
                Ok(())
            }
        }
    }

    /// Makes the way back of an ask with a limit, its own or that of the handler which polls it,
    /// and handles its message inline, if that may be. Fails if there is no time left.
    #[cold]
    pub(in crate::actor) fn begin_limited<A: Handler<M>>(
        &mut self,
        own: Option<Due>,
        step: Step,
    ) -> Result<(), (Refusal, M)> {
        if !self.sending.is_unsent() {
            return Ok(());
        }
        if own.is_some_and(|own| own.is_past) {
            return self.take_back(Refusal::Expired);
        }
        let own = own.map(|own| own.at);
        let theirs = handlers_deadline().filter(|theirs| own.is_none_or(|own| *theirs < own));
        let timer = match theirs.map(Timer::new) {
            None => None,
            Some(Some(timer)) => Some(timer),
            Some(None) => return self.take_back(Refusal::Expired),
        };
        let deadline = theirs.or(own);
        // What is detached goes on without its asker, and so without the deadline.
        let seen = deadline.filter(|_| !A::DETACHED);
        let (end, waiting) = match deadline {
            // The mark of a handler around this one has led here.
            None if step != Step::Enqueue => reply::channel::<OutcomeOf<A, M>>(),
            _ => reply::limited::<OutcomeOf<A, M>>(seen, timer),
        };
        *self.receiver = waiting;
        let mut way_back = Some(end);
        if step == Step::Ask {
            let _unbarred = nesting::unbar();
            let mut barred = None;
            let begin = || {
                barred = seen.map(|_| nesting::bar());
                way_back.take()
            };
            let ran = inline::ask::<A, M>(self.target, self.sending.as_mut(), begin);
            drop(barred);
            if !matches!(ran, Ran::No) {
                self.receiver.note_start();
                *self.accepted = true;
            }
        }
        if *self.accepted {
            return Ok(());
        }
        if step != Step::Enqueue
            && let Some(deadlock) = self.foresee::<A>()
        {
            return self.take_back(Refusal::Deadlock(deadlock));
        }
        let seal = |message| Parcel::seal::<A>(message, way_back);
        self.sending.as_mut().seal(seal);
        Ok(())
    }

    /// Gives the limit that the ask has inherited, when it has passed.
    #[inline]
    pub(super) fn poll_timer(&mut self, cx: &mut Context<'_>) -> Poll<Duration> {
        match self.receiver.timer() {
            None => Poll::Pending,
            Some(timer) => timer.poll(cx),
        }
    }

    #[cold]
    pub(super) fn refused<E>(&self, refusal: Refusal, message: M) -> AskError<E> {
        AskError::refused(self.target.head().identity(), refusal, Box::new(message))
    }

    /// The ask waits. Gives the circle that this closes, if it is to fail of it.
    #[inline]
    pub(super) fn pending(&mut self, cx: &mut Context<'_>) -> Option<Deadlock> {
        let errand = self.errand();
        let wait = self.sending.as_mut().wait()?;
        let probe = Probe::Reply(self.receiver.probe());
        // SAFETY: D1: the wait ends before the receiver goes, wherever that is taken or dropped.
        unsafe { wait.pending(self.watch, errand, probe, cx.waker()) }
    }

    /// The message waits for a slot, and nothing else is waited for. Gives the circle that this
    /// closes, if it is to fail of it.
    #[cold]
    pub(super) fn pending_send(&mut self, cx: &mut Context<'_>) -> Option<Deadlock> {
        let errand = self.errand();
        let Some(probe) = self.sending.line() else {
            // Accepted: only the budget keeps it.
            self.sending.as_mut().end_wait();
            return None;
        };
        let wait = self.sending.as_mut().wait()?;
        // SAFETY: D1: the wait ends in the poll in which the message is seen to have left the line;
        // whoever takes the message back, or drops it, ends it before.
        unsafe { wait.pending(self.watch, errand, probe, cx.waker()) }
    }

    /// Sends one way, waiting for a slot, unless that closes a circle: then it fails.
    #[inline]
    pub(in crate::actor) fn poll_tell(
        &mut self,
        seal: impl Seal<M>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), TellError<M>>> {
        let sending = self.sending.as_mut();
        let refusal = match sending.poll_send(self.target, seal, || None, cx) {
            Poll::Ready(Ok(())) => return Poll::Ready(Ok(())),
            Poll::Ready(Err(refused)) => refusal(self.target, refused),
            Poll::Pending => match self.pending_send(cx) {
                None => return Poll::Pending,
                Some(deadlock) => Refusal::Deadlock(deadlock),
            },
        };
        Poll::Ready(self.fail_tell(refusal))
    }

    /// Takes the message back, unless it was accepted.
    #[cold]
    pub(in crate::actor) fn fail_tell(&mut self, refusal: Refusal) -> Result<(), TellError<M>> {
        let actor = self.target.head();
        self.take_back(refusal)
            .map_err(|(refusal, message)| TellError::new(actor.identity(), refusal, message))
    }

    /// Takes the ask back as far as that can be.
    #[cold]
    pub(super) fn give_up<E>(&mut self, deadlock: Deadlock) -> AskError<E> {
        match self.take_back(Refusal::Deadlock(deadlock.clone())) {
            Err((refusal, message)) => self.refused(refusal, message),
            Ok(()) => {
                *self.receiver = Receiver::none();
                AskError::Deadlock(deadlock)
            }
        }
    }
}

/// The deadline of the handler that this thread polls. What another runtime polls that the handler
/// drives is not the handler's.
pub(crate) fn handlers_deadline() -> Option<Instant> {
    let around = |running: &Running| running.head().header().scheduler().is_around();
    let running = Running::of_thread().filter(around);
    running.and_then(Running::deadline)
}

/// What an ask gives that was given up when its limit had passed.
pub(in crate::actor) fn timed_out<T, E>(
    given_up: GivenUp<Outcome<T, E>>,
    is_detached: bool,
    limit: Duration,
    actor: impl FnOnce() -> Identity,
) -> Result<T, AskError<E>> {
    let state = match given_up {
        GivenUp::Answered(outcome) => return outcome.into_result(actor),
        GivenUp::Started => TimeoutState::Running,
        GivenUp::Unstarted if is_detached => TimeoutState::Queued,
        GivenUp::Unstarted => TimeoutState::Skipped,
    };
    Err(AskError::Timeout(Timeout::new(actor(), limit, state)))
}

/// Sends one way, now or not at all.
pub(in crate::actor) fn try_tell<M: Send + 'static>(
    sending: Sending<M>,
    target: &Strong,
    seal: impl Seal<M>,
) -> Result<(), TellError<M>> {
    sending
        .try_send(target, seal)
        .map_err(|(refused, message)| {
            let message = message.expect("a refused message is the sender's");
            TellError::new(target.head().identity(), refusal(target, refused), message)
        })
}

pub(in crate::actor) fn refusal(target: &Strong, refused: Refused) -> Refusal {
    match refused {
        Refused::Full => Refusal::Full,
        Refused::Closed => Refusal::Ended(target.head().refusal()),
    }
}
