//! Streams whose items an actor handles as messages.

use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;

use futures_core::Stream;

use super::context::Context;
use super::envelope::{Parcel, Source};
use super::sending::Sending;
use super::strong::Strong;
use super::tasks::Caught;
use super::traits::Handler;
use super::undelivered::UndeliveredReason;
use crate::mailbox::Refused;
use crate::sync::Mutex;
use crate::task::{AbortHandle, JoinError, Unit};

/// # Streams
impl<A> Context<A> {
    /// Has a stream's items come as messages, which `into` makes.
    ///
    /// Each takes a slot, like any message, and the stream is not polled while one waits for its
    /// slot: so the actor is not flooded. The stream is polled by a task beside the actor, does not
    /// keep that running, and is dropped when it ends. Where items are results, `into` sees errors
    /// like other items, and the stream goes on.
    ///
    /// ```
    /// use futures::stream;
    /// use greenroom::{Context, actor};
    ///
    /// #[actor]
    /// #[derive(Default)]
    /// struct Sum {
    ///     sum: u64,
    /// }
    ///
    /// #[actor]
    /// impl Sum {
    ///     fn read(&mut self, numbers: Vec<u64>, ctx: &mut Context<Self>) {
    ///         ctx.attach(stream::iter(numbers), |n| SumAdd { n })
    ///             .on_end(|_| SumDone);
    ///     }
    ///
    ///     fn add(&mut self, n: u64) {
    ///         self.sum += n;
    ///     }
    ///
    ///     fn done(&mut self, ctx: &mut Context<Self>) {
    ///         println!("{}", self.sum);
    ///         ctx.stop();
    ///     }
    /// }
    /// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
    /// let sum = Sum::default().spawn();
    /// sum.read(vec![1, 2, 3]).await?;
    /// sum.join().await;
    /// # Ok(()) }
    /// ```
    #[track_caller]
    #[allow(clippy::must_use_candidate)] // most streams run to their end
    pub fn attach<S, M>(
        &self,
        stream: S,
        into: impl FnMut(S::Item) -> M + Send + 'static,
    ) -> Attached<A>
    where
        A: Handler<M>,
        S: Stream + Send + 'static,
        S::Item: Send,
        M: Send + 'static,
    {
        let end = Arc::new(End(Mutex::new(Course::Flows(None))));
        let pump = Caught {
            future: pump::<A, S, M>(self.unit(), stream, into),
        };
        let ended = Arc::clone(&end);
        let task = self.belongings().spawn(async move {
            match pump.await {
                Ok(true) => ended.come(Ok(())),
                // The actor takes no more.
                Ok(false) => {}
                Err(panic) => ended.come(Err(panic)),
            }
        });
        Attached {
            unit: self.unit(),
            task: task.abort_handle(),
            end,
            _actor: std::marker::PhantomData,
        }
    }
}

/// Sends the actor what the stream gives; false if it takes no more.
async fn pump<A, S, M>(unit: Unit, stream: S, mut into: impl FnMut(S::Item) -> M) -> bool
where
    A: Handler<M>,
    S: Stream,
    M: Send + 'static,
{
    // SAFETY: the unit is that of a context, and nobody clones the result.
    let target = unsafe { Strong::lent(&unit) };
    let mut stream = pin!(stream);
    while let Some(item) = poll_fn(|cx| stream.as_mut().poll_next(cx)).await {
        let message = into(item);
        let mut sending = pin!(Sending::new(message));
        let sent = poll_fn(|cx| {
            let sending = sending.as_mut();
            sending.poll_send(&target, Parcel::seal::<A>, || None, cx)
        });
        match sent.await {
            Ok(()) => {}
            Err(Refused::Closed) => return false,
            // Its kind does not wait for a slot.
            Err(Refused::Full) => {
                if let Some(message) = sending.as_mut().cancel() {
                    target.head().lose(&UndeliveredReason::Overflow, message);
                }
            }
        }
    }
    true
}

/// A stream that was attached to an actor by [`Context::attach`].
///
/// Dropping it leaves the stream attached. It keeps nothing.
pub struct Attached<A> {
    unit: Unit,
    task: AbortHandle,
    end: Arc<End>,
    _actor: std::marker::PhantomData<fn() -> A>,
}

impl<A> Attached<A> {
    /// Sends the actor one more message after the last item, as a notice: `into` makes it when its
    /// turn comes, as its handler begins. It gets an error if the stream, or what makes messages of
    /// its items, has panicked.
    ///
    /// There is none for a stream that is detached.
    #[allow(clippy::must_use_candidate)] // the stream is attached without it
    pub fn on_end<M: Send + 'static>(
        self,
        into: impl FnOnce(Result<(), JoinError>) -> M + Send + 'static,
    ) -> Self
    where
        A: Handler<M>,
    {
        type Ended<M> = Box<dyn FnOnce() -> M + Send>;
        let source = Source::<M, Ended<M>>::new::<A>(self.unit.clone(), |ended| Some(ended()));
        self.end.tell(Box::new(move |result| {
            drop(source.send(Box::new(move || into(result))));
        }));
        self
    }

    /// Drops the stream. Items that were accepted are still handled.
    pub fn detach(&self) {
        self.task.abort();
    }

    /// Whether the stream has ended, and is gone.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.task.is_finished()
    }
}

impl<A> fmt::Debug for Attached<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attached")
            .field("is_finished", &self.is_finished())
            .finish_non_exhaustive()
    }
}

/// Tells of an end.
type Teller = Box<dyn FnOnce(Result<(), JoinError>) + Send>;

/// The end of a stream, and whoever tells of it: they meet in whatever order they come.
struct End(Mutex<Course>);

enum Course {
    Flows(Option<Teller>),
    Ended(Result<(), JoinError>),
    Told,
}

impl End {
    fn come(&self, result: Result<(), JoinError>) {
        let mut course = self.0.lock();
        match std::mem::replace(&mut *course, Course::Told) {
            Course::Flows(Some(teller)) => {
                drop(course);
                teller(result);
            }
            _ => *course = Course::Ended(result),
        }
    }

    fn tell(&self, teller: Teller) {
        let mut course = self.0.lock();
        match std::mem::replace(&mut *course, Course::Told) {
            Course::Flows(before) => {
                *course = Course::Flows(Some(teller));
                drop(course);
                drop(before);
            }
            Course::Ended(result) => {
                drop(course);
                teller(result);
            }
            Course::Told => {}
        }
    }
}
