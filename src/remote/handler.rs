//! Which messages an actor takes from other processes, and how they are read and written.

use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use pin_project_lite::pin_project;
use tokio::time::Instant;

use super::codec::{decode, encode};
use super::failure::{Failure, Why};
use super::reply::WireShape;
use super::schema::{Wire, WireMessage, message};
use crate::actor::{
    Accepts, Actor, AskError, AskResult, Crossing, ErrOf, Handle, Handler, OkOf, Refusal,
};

/// A message that an actor takes from other processes.
///
/// `#[actor(remote)]` implements it for each method.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not take `{M}` from other processes",
    label = "`{M}` is a message of this process alone",
    note = "the messages of an impl block under `#[actor(remote)]` are remote"
)]
pub trait RemoteHandler<M: Send + 'static>: Handler<M> + RemoteActor {
    #[doc(hidden)]
    const KIND: Kind<Self, M>;
}

/// An actor that takes messages from other processes.
///
/// `#[actor(remote)]` implements it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` takes no messages from other processes",
    note = "write `#[actor(remote)]` on its main impl block"
)]
pub trait RemoteActor: Actor {
    /// Its messages.
    #[doc(hidden)]
    const MESSAGES: &'static [Entry<Self>];
}

type Encodes<M> = fn(&M, usize) -> Result<Bytes, Crossing>;
type Decodes<A, M> = fn(Bytes) -> Result<Result<OkOf<A, M>, ErrOf<A, M>>, Crossing>;

/// How a message goes to another process, and what comes back.
pub struct Kind<A: Handler<M>, M: Send + 'static> {
    name: &'static str,
    pub(super) encode: Encodes<M>,
    pub(super) decode: Decodes<A, M>,
}

impl<A: Handler<M>, M: Wire + Send> Kind<A, M>
where
    A::Shape: WireShape<A::Reply>,
{
    /// Of this name on the wire.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            encode: encode::<M>,
            decode: <A::Shape as WireShape<A::Reply>>::decode,
        }
    }
}

impl<A: Handler<M>, M: Send + 'static> fmt::Debug for Kind<A, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kind").field(&self.name).finish()
    }
}

pub(crate) type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// An ask of a peer, as it is polled.
pub(crate) trait Asked: Future<Output = Answer> + Send {
    /// Whether the actor has taken the message, and its reply alone is waited for.
    fn is_taken(&self) -> bool;
}

pub(crate) type BoxAsked = Pin<Box<dyn Asked>>;

/// What an ask of a peer gave.
#[derive(Debug)]
pub(crate) enum Answer {
    Reply(Bytes),
    Failed(Failure),
}

type Asks<A> = fn(&Handle<A>, Bytes, Option<Instant>, usize) -> Result<BoxAsked, Failure>;
type Tells<A> = fn(&Handle<A>, Bytes) -> Told;

/// What a tell of a peer gave: `None` if it is accepted, else what waits until it is.
pub(crate) type Told = Result<Option<BoxFuture<Option<Failure>>>, Failure>;

/// A message in an actor's table: how it comes from another process, and what goes back.
pub struct Entry<A> {
    name: &'static str,
    message: fn() -> WireMessage,
    pub(super) ask: Asks<A>,
    pub(super) tell: Tells<A>,
}

impl<A: RemoteActor> Entry<A> {
    /// That of a message.
    #[must_use]
    pub const fn of<M: Wire + Send>() -> Self
    where
        A: RemoteHandler<M>,
        A::Shape: WireShape<A::Reply>,
    {
        Self {
            name: <A as RemoteHandler<M>>::KIND.name,
            message: || {
                let name = <A as RemoteHandler<M>>::KIND.name;
                message::<M>(name, <A::Shape as WireShape<A::Reply>>::describe)
            },
            ask: ask::<A, M>,
            tell: tell::<A, M>,
        }
    }
}

impl<A> fmt::Debug for Entry<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Entry").field(&self.name).finish()
    }
}

/// The messages of an actor, in the order of its table.
pub(crate) fn messages<A: RemoteActor>() -> Vec<WireMessage> {
    let messages = A::MESSAGES.iter();
    messages.map(|entry| (entry.message)()).collect()
}

/// The place of a message in its actor's table.
pub(super) struct Place<A, M>(PhantomData<fn(A, M)>);

impl<A: RemoteHandler<M>, M: Send + 'static> Place<A, M> {
    pub(super) const PLACE: usize = {
        let mut place = 0;
        while !is_same(A::MESSAGES[place].name, A::KIND.name) {
            place += 1;
        }
        place
    };
}

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

/// Decodes a message, and asks. Its reply has so many bytes at most.
fn ask<A: RemoteHandler<M>, M: Wire + Send>(
    handle: &Handle<A>,
    payload: Bytes,
    deadline: Option<Instant>,
    limit: usize,
) -> Result<BoxAsked, Failure>
where
    A::Shape: WireShape<A::Reply>,
{
    let message: M = decoded(payload)?;
    let request = handle.ask(message).into_owned();
    Ok(match deadline {
        None => Box::pin(asking::<A, M, _>(request, limit)),
        Some(deadline) => Box::pin(asking::<A, M, _>(request.deadline(deadline), limit)),
    })
}

pin_project! {
    struct Asking<R, F> {
        #[pin]
        request: R,
        answer: F,
    }
}

fn asking<A: Handler<M>, M: Wire + Send, R>(
    request: R,
    limit: usize,
) -> Asking<R, impl Fn(AskResult<A, M>) -> Answer + Send>
where
    A::Shape: WireShape<A::Reply>,
{
    let answer = move |result| answer::<A, M>(result, limit);
    Asking { request, answer }
}

impl<R: Future, F: Fn(R::Output) -> Answer> Future for Asking<R, F> {
    type Output = Answer;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Answer> {
        let this = self.project();
        this.request.poll(cx).map(this.answer)
    }
}

impl<R: Accepts + Send, F: Fn(R::Output) -> Answer + Send> Asked for Asking<R, F> {
    fn is_taken(&self) -> bool {
        self.request.is_accepted()
    }
}

fn answer<A: Handler<M>, M: Wire + Send>(result: AskResult<A, M>, limit: usize) -> Answer
where
    A::Shape: WireShape<A::Reply>,
{
    let reply = match result {
        Ok(reply) => Ok(reply),
        Err(AskError::Handler(error)) => Err(error),
        Err(error) => return Answer::Failed(Failure::of(&error)),
    };
    match <A::Shape as WireShape<A::Reply>>::encode(&reply, limit) {
        Ok(payload) => Answer::Reply(payload),
        Err(Crossing::TooLarge { .. }) => Answer::Failed(Failure::ReplyTooLarge),
        Err(_) => Answer::Failed(Failure::ReplyNotEncodable),
    }
}

/// Decodes a message, and tells: at once, where the actor has nothing to do or there is room.
fn tell<A: RemoteHandler<M>, M: Wire + Send>(handle: &Handle<A>, payload: Bytes) -> Told {
    let message: M = decoded(payload)?;
    let Err(error) = handle.tell_here(message) else {
        return Ok(None);
    };
    if !matches!(error.refusal(), Refusal::Full) {
        return Err(Failure::NotHandled(Why::of(error.refusal())));
    }
    let tell = handle.tell(error.into_message()).into_owned();
    Ok(Some(Box::pin(async move {
        let error = tell.await.err()?;
        Some(Failure::NotHandled(Why::of(error.refusal())))
    })))
}

fn decoded<M: Wire>(payload: Bytes) -> Result<M, Failure> {
    decode(payload).map_err(|_| Failure::NotHandled(Why::NotDecodable))
}
