//! An ask or tell to another process.

mod awaited;

use std::borrow::Cow;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, Sleep, sleep_until};

use self::awaited::Awaited;
use super::carry::{Arrived, AskKey, Port, Sort, Turn};
use super::failure::Failure;
use super::handler::{Place, RemoteHandler};
use crate::actor::{
    AskError, AskResult, Crossing, Enqueued, ErrOf, Expiry, Handler, Identity, Interrupted,
    OutcomeUnknown, Refusal, Reply, TellError, Timeout, TimeoutState, handlers_deadline,
};

/// A message to an actor of another process: not yet sent, or waiting for its answer.
///
/// An ask keeps its message until it is answered, so that one which was not handled is handed back
/// although it was sent.
pub struct RemoteAsk<'h, A, M> {
    message: Option<M>,
    stage: Stage,
    term: Option<Term>,
    /// The timer, if the limit is that of the handler which polls the ask.
    inherited: Option<Option<Pin<Box<Sleep>>>>,
    port: Cow<'h, Port>,
    _actor: PhantomData<fn() -> A>,
}

// Nothing of it is pinned by place.
impl<A, M> Unpin for RemoteAsk<'_, A, M> {}

enum Stage {
    /// Not polled yet.
    New,
    /// It waits for room, perhaps.
    Unsent {
        turn: Turn,
        is_tell: bool,
    },
    Sent(AskKey),
    /// Answered, accepted or taken back.
    Over,
}

/// How long the answer may take.
#[derive(Clone, Copy)]
struct Term {
    at: Instant,
    /// From the first poll.
    limit: Duration,
}

impl Term {
    fn until(at: Instant) -> Self {
        let limit = at.saturating_duration_since(Instant::now());
        Self { at, limit }
    }
}

impl<'h, A, M> RemoteAsk<'h, A, M> {
    pub(super) fn new(port: &'h Port, message: M) -> Self {
        Self {
            message: Some(message),
            stage: Stage::New,
            term: None,
            inherited: None,
            port: Cow::Borrowed(port),
            _actor: PhantomData,
        }
    }

    pub(super) fn into_owned(mut self) -> RemoteAsk<'static, A, M> {
        RemoteAsk {
            message: self.message.take(),
            stage: Stage::New,
            term: None,
            inherited: None,
            port: Cow::Owned((*self.port).clone()),
            _actor: PhantomData,
        }
    }

    pub(super) fn into_message(mut self) -> M {
        let message = self.message.take();
        message.expect("a request that was not polled has its message")
    }

    fn identity(&self) -> Identity {
        self.port.identity().clone()
    }

    /// Takes the message back, unless it was sent.
    pub(super) fn cancel(&mut self) -> Option<M> {
        self.withdraw();
        let Stage::New = self.stage else { return None };
        self.stage = Stage::Over;
        self.message.take()
    }

    /// Leaves the line, unless it was sent meanwhile.
    fn withdraw(&mut self) {
        let Stage::Unsent { turn, is_tell } = &mut self.stage else {
            return;
        };
        self.stage = match self.port.carry().withdraw(turn) {
            None => Stage::New,
            Some(_) if *is_tell => Stage::Over,
            Some(key) => Stage::Sent(key),
        };
    }

    /// What is not sent is handed back.
    pub(super) fn tell_error(&mut self, refusal: Refusal) -> Result<(), TellError<M>> {
        match self.cancel() {
            Some(message) => Err(TellError::new(self.identity(), refusal, message)),
            None => Ok(()),
        }
    }

    pub(super) fn expire_tell(&mut self, limit: Duration) -> Result<(), TellError<M>> {
        self.tell_error(Refusal::Timeout(limit))
    }
}

impl<A: RemoteHandler<M>, M: Send + 'static> RemoteAsk<'_, A, M> {
    /// Sends, unless that was done. The error says why not; the message is still there.
    fn poll_send(
        &mut self,
        cx: &mut Context<'_>,
        sort: Sort,
    ) -> Poll<Result<Option<AskKey>, Refusal>> {
        if let Stage::New = self.stage {
            self.stage = Stage::Unsent {
                turn: Turn::default(),
                is_tell: matches!(sort, Sort::Tell),
            };
        }
        let turn = match &mut self.stage {
            Stage::Unsent { turn, .. } => turn,
            Stage::Sent(key) => return Poll::Ready(Ok(Some(*key))),
            Stage::New | Stage::Over => return Poll::Ready(Ok(None)),
        };
        let message = self
            .message
            .as_ref()
            .expect("an unsent ask has its message");
        let mut encode = |limit| (A::KIND.encode)(message, limit);
        let place = const { Place::<A, M>::PLACE };
        let carry = self.port.carry();
        let key = ready!(carry.poll_send(turn, cx, place, sort, &mut encode))?;
        self.stage = match sort {
            Sort::Ask { .. } => Stage::Sent(key),
            Sort::Tell => Stage::Over,
        };
        Poll::Ready(Ok(Some(key)))
    }

    /// What is handed back was not handled.
    fn refused(&mut self, refusal: Refusal) -> AskError<ErrOf<A, M>> {
        self.stage = Stage::Over;
        let message = self.message.take().expect("an ask keeps its message");
        AskError::refused(self.identity(), refusal, Box::new(message))
    }

    /// At the first poll: what asks in a handler with a deadline has no more time than that.
    /// Gives the error if that has passed.
    fn inherit(&mut self) -> Option<AskError<ErrOf<A, M>>> {
        let Stage::New = self.stage else { return None };
        let theirs = handlers_deadline()?;
        if self.term.is_some_and(|own| own.at <= theirs) {
            return None;
        }
        let term = Term::until(theirs);
        if term.limit.is_zero() {
            return Some(self.refused(Refusal::Expired));
        }
        self.term = Some(term);
        self.inherited = Some(None);
        None
    }

    pub(super) fn begin_limited(&mut self, due: Expiry) -> Option<AskResult<A, M>> {
        let Stage::New = self.stage else { return None };
        if due.is_past {
            return Some(Err(self.refused(Refusal::Expired)));
        }
        self.term = Some(Term::until(due.at));
        None
    }

    pub(super) fn poll_ask(&mut self, cx: &mut Context<'_>) -> Poll<AskResult<A, M>> {
        if let Some(error) = self.inherit() {
            return Poll::Ready(Err(error));
        }
        if let Poll::Ready(result) = self.poll_answer(cx) {
            return Poll::Ready(result);
        }
        let (Some(timer), Some(term)) = (&mut self.inherited, self.term) else {
            return Poll::Pending;
        };
        let timer = timer.get_or_insert_with(|| Box::pin(sleep_until(term.at)));
        ready!(timer.as_mut().poll(cx));
        Poll::Ready(self.expire(term.limit))
    }

    fn poll_answer(&mut self, cx: &mut Context<'_>) -> Poll<AskResult<A, M>> {
        let deadline = self.term.map(|term| term.at);
        let sort = Sort::Ask {
            deadline,
            is_awaited: true,
        };
        let is_new = matches!(self.stage, Stage::New);
        let key = match ready!(self.poll_send(cx, sort)) {
            Ok(Some(key)) => key,
            Ok(None) => panic!("an ask is polled after its end"),
            Err(refusal) => return Poll::Ready(Err(self.refused(refusal))),
        };
        // No answer is there at once, so a loop of asks needs no budget that makes it pause.
        if is_new {
            return Poll::Pending; // it is woken: `is_awaited`
        }
        let arrived = ready!(self.port.carry().poll_reply(key, cx));
        self.stage = Stage::Over;
        let message = self.message.take();
        Poll::Ready(read::<A, M>(arrived, &self.port, message, self.term))
    }

    pub(super) fn expire(&mut self, limit: Duration) -> AskResult<A, M> {
        self.withdraw();
        let Stage::Sent(key) = self.stage else {
            return Err(self.refused(Refusal::Timeout(limit)));
        };
        self.stage = Stage::Over;
        self.message = None;
        give_up::<A, M>(&self.port, key, limit)
    }

    pub(super) fn poll_enqueue(&mut self, cx: &mut Context<'_>) -> Poll<Enqueued<A, M>> {
        if let Stage::New = self.stage {
            self.term = handlers_deadline().map(Term::until);
        }
        let deadline = self.term.map(|term| term.at);
        let sort = Sort::Ask {
            deadline,
            is_awaited: false,
        };
        let sent = ready!(self.poll_send(cx, sort));
        Poll::Ready(self.enqueued(sent))
    }

    pub(super) fn expire_enqueue(&mut self, limit: Duration) -> Enqueued<A, M> {
        self.tell_error(Refusal::Timeout(limit))?;
        self.enqueued(Ok(None))
    }

    fn enqueued(&mut self, sent: Result<Option<AskKey>, Refusal>) -> Enqueued<A, M> {
        if let Err(refusal) = sent {
            let refused = self.tell_error(refusal);
            return Err(refused.expect_err("what was not sent is handed back"));
        }
        let Stage::Sent(key) = std::mem::replace(&mut self.stage, Stage::Over) else {
            panic!("a send is polled after its end");
        };
        let (port, message) = ((*self.port).clone(), self.message.take());
        let awaited = Awaited::<A, M>::new(key, port, message, self.term);
        Ok(Reply::far(Box::new(awaited)))
    }

    pub(super) fn poll_tell(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), TellError<M>>> {
        let sent = ready!(self.poll_send(cx, Sort::Tell));
        Poll::Ready(match sent {
            Ok(_) => Ok(()),
            Err(refusal) => self.tell_error(refusal),
        })
    }

    pub(super) fn try_tell(&mut self) -> Result<(), TellError<M>> {
        match self.poll_tell(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(told) => told,
            Poll::Pending => self.tell_error(Refusal::Full),
        }
    }
}

impl<A, M> Drop for RemoteAsk<'_, A, M> {
    fn drop(&mut self) {
        self.withdraw();
        if let Stage::Sent(key) = self.stage {
            self.port.carry().forget(key);
        }
    }
}

/// What an ask gives of what came back. Decodes here, on its asker's task.
fn read<A: RemoteHandler<M>, M: Send + 'static>(
    arrived: Arrived,
    port: &Port,
    message: Option<M>,
    term: Option<Term>,
) -> AskResult<A, M> {
    let actor = port.identity();
    let unknown = |crossing| AskError::OutcomeUnknown(OutcomeUnknown::new(actor.clone(), crossing));
    let failure = match arrived {
        Arrived::Reply(payload) => return answered::<A, M>(payload, port, unknown),
        Arrived::Failed(failure) => failure,
        Arrived::Lost => return Err(unknown(Crossing::LinkEnded)),
        Arrived::Overdue(limit) => {
            let timeout = Timeout::new(actor.clone(), limit, TimeoutState::Sent);
            return Err(AskError::Timeout(timeout));
        }
        Arrived::NotSent => {
            let message = message.expect("an ask keeps its message");
            let refusal = Refusal::Crossing(Crossing::LinkEnded);
            return Err(AskError::refused(actor.clone(), refusal, Box::new(message)));
        }
    };
    Err(match failure {
        Failure::NotHandled(why) => {
            let message = message.expect("an ask keeps its message");
            AskError::refused(actor.clone(), why.refusal(), Box::new(message))
        }
        Failure::Interrupted(end) => {
            AskError::Interrupted(Interrupted::new(actor.clone(), end.reason()))
        }
        Failure::TimedOut => {
            let limit = term.map_or(Duration::ZERO, |term| term.limit);
            AskError::Timeout(Timeout::new(actor.clone(), limit, TimeoutState::Running))
        }
        Failure::ReplyTooLarge => unknown(Crossing::TooLarge { limit: None }),
        Failure::ReplyNotEncodable => unknown(Crossing::NotEncodable("by the other side".into())),
        Failure::Unknown => unknown(Crossing::LinkEnded),
    })
}

fn answered<A: RemoteHandler<M>, M: Send + 'static>(
    payload: Bytes,
    port: &Port,
    unknown: impl FnOnce(Crossing) -> AskError<ErrOf<A, M>>,
) -> AskResult<A, M> {
    let decode = || (A::KIND.decode)(payload);
    let decoded = match port.carry().passage(const { Place::<A, M>::PLACE }) {
        None => decode(),
        Some(passage) => passage.pass(decode).0,
    };
    match decoded {
        Ok(reply) => reply.map_err(AskError::Handler),
        Err(crossing) => Err(unknown(crossing)),
    }
}

fn give_up<A: Handler<M>, M: Send + 'static>(
    port: &Port,
    key: AskKey,
    limit: Duration,
) -> AskResult<A, M> {
    port.carry().forget(key);
    let timeout = Timeout::new(port.identity().clone(), limit, TimeoutState::Sent);
    Err(AskError::Timeout(timeout))
}
