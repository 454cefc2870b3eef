//! Many messages to one actor, one way.

mod rest;

use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use pin_project_lite::pin_project;
use tokio::task::coop;
use tokio::time::Instant;

pub use rest::{Rest, TellAllError};

use super::blocking::block_on;
use super::envelope::Parcel;
use super::error::{Refusal, TellError};
use super::handle::Handle;
use super::recipient::{Recipient, Telling};
use super::sending::Sending;
use super::timed::{Limit, Limited, Timed};
use super::traits::Handler;
use super::waits::Watch;
use rest::Source;

/// # Many messages at once
///
/// ```
/// # use greenroom::{actor};
/// # #[actor] struct Counter { count: u64 }
/// # #[actor] impl Counter { fn add(&mut self, n: u64) -> u64 { self.count += n; self.count } }
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// # let counter = Counter { count: 0 }.spawn();
/// counter.tell_all((0..1000).map(|n| CounterAdd { n })).await?;
/// if let Err(error) = counter.try_tell_all((0..1000).map(|n| CounterAdd { n })) {
///     println!("{error}"); // no slot was free for so many
///     counter.tell_all(error.into_messages()).await?; // the others
/// }
/// assert_eq!(counter.add(0).await?, 999_000);
/// # Ok(()) }
/// ```
impl<A: 'static> Handle<A> {
    /// Tells all messages of an iterator, in order, waiting for slots. Does nothing until it is
    /// awaited.
    ///
    /// As many go in at once as there are free slots, which costs far less than one by one.
    pub fn tell_all<I>(&self, messages: I) -> TellAll<'_, I::IntoIter>
    where
        I: IntoIterator<Item: Send + 'static>,
        A: Handler<I::Item>,
    {
        let target = Cow::Borrowed(self.target());
        TellAll::new(Telling::here(target, Parcel::seal::<A>), messages)
    }

    /// Tells messages of an iterator, in order, as many as there are free slots for.
    ///
    /// # Errors
    ///
    /// When a message finds no free slot, or the actor takes no more: that message and all after it
    /// are handed back.
    pub fn try_tell_all<I>(&self, messages: I) -> Result<(), TellAllError<I::IntoIter>>
    where
        I: IntoIterator<Item: Send + 'static>,
        A: Handler<I::Item>,
    {
        let target = Cow::Borrowed(self.target());
        now(&Telling::here(target, Parcel::seal::<A>), messages)
    }
}

impl<M: Send + 'static> Recipient<M> {
    /// As [`Handle::tell_all`].
    pub fn tell_all<I>(&self, messages: I) -> TellAll<'_, I::IntoIter>
    where
        I: IntoIterator<Item = M>,
    {
        TellAll::new(Telling::to(self), messages)
    }

    /// As [`Handle::try_tell_all`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn try_tell_all<I>(&self, messages: I) -> Result<(), TellAllError<I::IntoIter>>
    where
        I: IntoIterator<Item = M>,
    {
        now(&Telling::to(self), messages)
    }
}

/// Tells as many as go in without waiting.
fn now<M: Send + 'static, I: IntoIterator<Item = M>>(
    telling: &Telling<'_, M>,
    messages: I,
) -> Result<(), TellAllError<I::IntoIter>> {
    let mut source = Source::new(messages.into_iter());
    while source.draw() {
        source.push_many(telling);
        let Some(message) = source.pop() else {
            continue;
        };
        if let Err(error) = telling.try_tell(message) {
            return Err(source.fail(error));
        }
        source.accepted += 1;
    }
    Ok(())
}

pin_project! {
    /// Messages on their way to an actor, one way.
    ///
    /// Done when all are accepted. **It does nothing until it is awaited.** Messages of others may
    /// come between them: to have slots for all before the first is sent, use
    /// [`Handle::reserve_many`].
    ///
    /// At most [`TELL_BATCH`](crate::limits::TELL_BATCH) messages are taken out of the iterator
    /// ahead of their acceptance. The iterator runs in the task, and no lock is held meanwhile.
    ///
    /// # Errors
    ///
    /// When the actor takes no more, or a message does not fit and its overflow policy rejects it:
    /// that message and all after it are handed back.
    ///
    /// # Panics
    ///
    /// When the iterator does; the future may then be polled on. When it is polled again after it
    /// is done.
    ///
    /// # Cancel safety
    ///
    /// What was accepted stays accepted: always the first messages, in order. Dropping it drops all
    /// others, and the iterator; [`TellAll::cancel`] hands them back instead.
    #[must_use = "a tell does nothing until it is awaited"]
    pub struct TellAll<'h, I>
    where
        I: Iterator,
        I::Item: Send,
        I::Item: 'static,
    {
        // The one that waits for a slot.
        #[pin]
        waiting: Option<Sending<I::Item>>,
        source: Option<Source<I>>,
        telling: Telling<'h, I::Item>,
    }
}

impl<'h, I: Iterator<Item: Send + 'static>> TellAll<'h, I> {
    fn new(
        telling: Telling<'h, I::Item>,
        messages: impl IntoIterator<Item = I::Item, IntoIter = I>,
    ) -> Self {
        Self {
            waiting: None,
            source: Some(Source::new(messages.into_iter())),
            telling,
        }
    }

    /// Limits the time until all are accepted. The error hands the others back.
    ///
    /// # Panics
    ///
    /// When polled outside a tokio runtime with its time driver on.
    pub fn timeout(self, limit: Duration) -> Timed<Self> {
        Timed::new(self, Limit::After(limit))
    }

    /// As [`TellAll::timeout`], until a point in time: one of tokio's clock, or of std's.
    ///
    /// # Panics
    ///
    /// As [`TellAll::timeout`].
    pub fn deadline(self, deadline: impl Into<Instant>) -> Timed<Self> {
        Timed::new(self, Limit::At(deadline.into()))
    }

    /// Sends from code that is not async, blocking the thread while no slot is free.
    ///
    /// # Errors
    ///
    /// As awaiting it.
    ///
    /// # Panics
    ///
    /// When called from async code, whose thread must not be blocked.
    pub fn blocking(self) -> Result<(), TellAllError<I>> {
        block_on(self)
    }

    /// Leaves the waits out of the search for deadlocks, as
    /// [`Request::unchecked`](crate::Request::unchecked).
    pub fn unchecked(mut self) -> Self {
        self.telling.relax(Watch::Off);
        self
    }

    /// One that owns its handle.
    pub fn into_owned(self) -> TellAll<'static, I> {
        TellAll {
            waiting: None,
            source: self.source,
            telling: self.telling.into_owned(),
        }
    }

    /// Takes back what was not accepted. Then it is done.
    pub fn cancel(self: Pin<&mut Self>) -> Rest<I> {
        let mut this = self.project();
        let mut source = this.source.take();
        let waiting = this.waiting.as_mut().as_pin_mut();
        let withdrawn = waiting.and_then(|sending| this.telling.cancel(sending));
        if let (Some(message), Some(source)) = (withdrawn, &mut source) {
            source.push_front(message);
        }
        this.waiting.set(None);
        Rest::new(source)
    }
}

impl<I: Iterator<Item: Send + 'static>> Future for TellAll<'_, I> {
    type Output = Result<(), TellAllError<I>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            let source = this.source.as_mut();
            let source = source.expect("many tells are polled after they are done");
            if let Some(sending) = this.waiting.as_mut().as_pin_mut() {
                let told = ready!(this.telling.poll(sending, cx));
                this.waiting.set(None);
                if let Err(error) = told {
                    return Poll::Ready(Err(fail(this.source, error)));
                }
                source.accepted += 1;
            }
            if !source.draw() {
                *this.source = None;
                return Poll::Ready(Ok(()));
            }
            // As with a tell, the first poll sends, also in a task that has used its budget up.
            let budget = coop::poll_proceed(cx);
            source.push_many(this.telling);
            ready!(budget).made_progress();
            if let Some(message) = source.pop() {
                this.waiting.set(Some(Sending::new(message)));
            }
        }
    }
}

fn fail<I: Iterator<Item: Send + 'static>>(
    source: &mut Option<Source<I>>,
    error: TellError<I::Item>,
) -> TellAllError<I> {
    let source = source.take().expect("it is not done");
    source.fail(error)
}

impl<I: Iterator<Item: Send + 'static>> Limited for TellAll<'_, I> {
    fn expire(self: Pin<&mut Self>, limit: Duration) -> Self::Output {
        let mut this = self.project();
        let refusal = Refusal::Timeout(limit);
        let source = this.source.as_mut().expect("it is not done");
        if let Some(sending) = this.waiting.as_mut().as_pin_mut() {
            let given_up = this.telling.give_up(sending, refusal.clone());
            this.waiting.set(None);
            if let Err(error) = given_up {
                return Err(fail(this.source, error));
            }
            // It was accepted as the limit passed.
            source.accepted += 1;
        }
        source.draw();
        let Some(message) = source.pop() else {
            return Ok(());
        };
        let actor = this.telling.identity();
        Err(fail(this.source, TellError::new(actor, refusal, message)))
    }

    fn limit(&mut self) {
        self.telling.relax(Watch::Tell);
    }
}

impl<I: Iterator<Item: Send + 'static>> fmt::Debug for TellAll<'_, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TellAll<{}>", std::any::type_name::<I::Item>())
    }
}
