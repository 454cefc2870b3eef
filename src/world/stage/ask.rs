//! An ask or tell of an actor in a world.

use std::borrow::Cow;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use pin_project_lite::pin_project;

use super::carried::Carried;
use super::fork_actor::ForkActor;
use super::members::Admission;
use super::part::Part;
use crate::actor::{
    AskError, AskResult, Carries, Enqueued, Handler, Limit, Local, Refusal, Route, TellError, Watch,
};

type Sent<A, M> = <Local as Route>::Ask<'static, A, Carried<M>>;

pin_project! {
    /// A message to an actor in a world: at its gate, or on its way to the actor there.
    ///
    /// It is let in when it is first polled, or when the world is quiet no more; where to is
    /// decided then. From there on it is an ask within the process.
    pub struct WithinAsk<'h, A, M>
    where
        A: 'static,
        M: Send,
        M: 'static,
    {
        part: Cow<'h, Part<A>>,
        // Until it is let in.
        message: Option<M>,
        watch: Option<Watch>,
        limit: Option<(Limit, bool)>,
        #[pin]
        sent: Option<Sent<A, M>>,
    }
}

impl<'h, A: 'static, M: Send + 'static> WithinAsk<'h, A, M> {
    pub(super) fn new(part: &'h Part<A>, message: M) -> Self {
        Self {
            part: Cow::Borrowed(part),
            message: Some(message),
            watch: None,
            limit: None,
            sent: None,
        }
    }

    pub(super) fn watch(&mut self, watch: Watch) {
        if self.watch != Some(Watch::Off) {
            self.watch = Some(watch);
        }
    }

    pub(super) fn into_owned(self) -> WithinAsk<'static, A, M> {
        WithinAsk {
            part: Cow::Owned(self.part.into_owned()),
            ..self
        }
    }

    pub(super) fn into_message(self) -> M {
        match (self.message, self.sent) {
            (Some(message), _) => message,
            (None, Some(sent)) => Local::into_message(sent).message,
            (None, None) => unreachable!("a message is here or on its way"),
        }
    }
}

impl<A: ForkActor + Handler<M>, M: Send + 'static> WithinAsk<'_, A, M> {
    /// Lets it in. Without a waker it does not wait at the gate.
    fn enter(
        part: &Part<A>,
        message: &mut Option<M>,
        waker: Option<&Waker>,
    ) -> Poll<Result<Sent<A, M>, Refusal>> {
        let Some(room) = part.room() else {
            return Poll::Ready(Err(Refusal::NotHere));
        };
        match room
            .stage
            .admit::<A>(part.id(), A::READS, room.is_inside, waker)
        {
            Admission::Wait => Poll::Pending,
            Admission::Refused(refusal) => Poll::Ready(Err(refusal)),
            Admission::Open(handle, flight) => {
                let message = message.take().expect("it is sent once");
                let carried = Carried { message, flight };
                Poll::Ready(Ok(Local::into_owned(Local::begin(&handle, carried))))
            }
        }
    }

    /// The ask within the process, when it has been let in.
    fn poll_sent(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<Pin<&mut Sent<A, M>>, Refusal>> {
        let mut this = self.project();
        if this.sent.is_none() {
            let mut sent = match ready!(Self::enter(this.part, this.message, Some(cx.waker()))) {
                Ok(sent) => sent,
                Err(refusal) => return Poll::Ready(Err(refusal)),
            };
            if let Some(watch) = this.watch.take() {
                Local::watch(&mut sent, watch);
            }
            this.sent.set(Some(sent));
        }
        Poll::Ready(this.sent.as_pin_mut().ok_or(Refusal::NotHere))
    }

    pub(super) fn limit(self: Pin<&mut Self>, limit: Limit, is_queued: bool) {
        *self.project().limit = Some((limit, is_queued));
    }

    pub(super) fn poll_ask(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        is_queued: bool,
    ) -> Poll<AskResult<A, M>> {
        let limit = self.as_mut().project().limit.take();
        let mut sent = match self.as_mut().poll_sent(cx) {
            Poll::Ready(Ok(sent)) => sent,
            Poll::Ready(Err(refusal)) => return Poll::Ready(self.refused(refusal)),
            Poll::Pending => {
                *self.project().limit = limit;
                return Poll::Pending;
            }
        };
        if let Some((limit, is_queued)) = limit
            && let Some(done) = Local::begin_limited(sent.as_mut(), limit, is_queued)
        {
            return Poll::Ready(unwrap_ask::<_, _, M>(done));
        }
        let polled = match is_queued {
            false => Local::poll_ask(sent, cx),
            true => Local::poll_queued(sent, cx),
        };
        polled.map(unwrap_ask::<_, _, M>)
    }

    pub(super) fn poll_enqueue(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Enqueued<A, M>> {
        match ready!(self.as_mut().poll_sent(cx)) {
            Ok(sent) => Local::poll_enqueue(sent, cx).map_err(unwrap_tell),
            Err(refusal) => Poll::Ready(Err(self.returned(refusal))),
        }
    }

    pub(super) fn poll_tell(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), TellError<M>>> {
        match ready!(self.as_mut().poll_sent(cx)) {
            Ok(sent) => <Local as Carries<A, Carried<M>>>::poll_tell(sent, cx).map_err(unwrap_tell),
            Err(refusal) => Poll::Ready(Err(self.returned(refusal))),
        }
    }

    pub(super) fn try_tell(mut self) -> Result<(), TellError<M>> {
        let entered = match Self::enter(&self.part, &mut self.message, None) {
            Poll::Ready(entered) => entered,
            Poll::Pending => Err(Refusal::Full),
        };
        match entered {
            Ok(sent) => <Local as Carries<A, Carried<M>>>::try_tell(sent).map_err(unwrap_tell),
            Err(refusal) => {
                let identity = self.part.identity();
                Err(TellError::new(identity, refusal, self.into_message()))
            }
        }
    }

    pub(super) fn cancel(self: Pin<&mut Self>) -> Option<M> {
        let this = self.project();
        match this.sent.as_pin_mut() {
            Some(sent) => {
                <Local as Carries<A, Carried<M>>>::cancel(sent).map(|carried| carried.message)
            }
            None => this.message.take(),
        }
    }

    pub(super) fn expire_ask(mut self: Pin<&mut Self>, limit: Duration) -> AskResult<A, M> {
        match self.as_mut().project().sent.as_pin_mut() {
            Some(sent) => unwrap_ask::<_, _, M>(Local::expire_ask(sent, limit)),
            None => self.refused(Refusal::Timeout(limit)),
        }
    }

    pub(super) fn expire_enqueue(mut self: Pin<&mut Self>, limit: Duration) -> Enqueued<A, M> {
        match self.as_mut().project().sent.as_pin_mut() {
            Some(sent) => Local::expire_enqueue(sent, limit).map_err(unwrap_tell),
            None => Err(self.returned(Refusal::Timeout(limit))),
        }
    }

    pub(super) fn expire_tell(
        mut self: Pin<&mut Self>,
        limit: Duration,
    ) -> Result<(), TellError<M>> {
        match self.as_mut().project().sent.as_pin_mut() {
            Some(sent) => {
                <Local as Carries<A, Carried<M>>>::expire_tell(sent, limit).map_err(unwrap_tell)
            }
            None => Err(self.returned(Refusal::Timeout(limit))),
        }
    }

    #[cold]
    fn refused(self: Pin<&mut Self>, refusal: Refusal) -> AskResult<A, M> {
        let this = self.project();
        let message = this.message.take().expect("what was not let in is here");
        let identity = this.part.identity();
        Err(AskError::refused(identity, refusal, Box::new(message)))
    }

    #[cold]
    fn returned(self: Pin<&mut Self>, refusal: Refusal) -> TellError<M> {
        let this = self.project();
        let message = this.message.take().expect("what was not let in is here");
        TellError::new(this.part.identity(), refusal, message)
    }
}

/// The same about the message as its sender knows it.
fn unwrap_ask<T, E, M: Send + 'static>(result: Result<T, AskError<E>>) -> Result<T, AskError<E>> {
    result.map_err(|error| error.unwrap_message(|carried: Carried<M>| carried.message))
}

fn unwrap_tell<M>(error: TellError<Carried<M>>) -> TellError<M> {
    error.unwrap_message(|carried| carried.message)
}
