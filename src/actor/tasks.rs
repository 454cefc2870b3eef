//! Tasks of an actor's own: they end with it, and their outputs can come back as messages.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context as TaskContext, Poll};

use pin_project_lite::pin_project;

use super::context::Context;
use super::envelope::Source;
use super::traits::Handler;
use crate::contain::catch;
use crate::task::{AbortHandle, JoinError, JoinHandle, id};

/// # Tasks
///
/// A handler that awaits keeps its actor from the next message. What takes long can run beside it
/// instead, as a task that ends with the actor.
impl<A> Context<A> {
    /// Spawns a task that lasts as long as the actor at most: when that ends, it is aborted.
    ///
    /// The task does not keep the actor running. It is no part of the handler: it has neither its
    /// deadline nor its context.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use greenroom::{Context, actor};
    /// #[actor]
    /// struct Beacon;
    ///
    /// #[actor]
    /// impl Beacon {
    ///     #[on(start)]
    ///     fn begin(&mut self, ctx: &mut Context<Self>) {
    ///         ctx.spawn(async {
    ///             loop {
    ///                 // send something
    ///                 tokio::time::sleep(Duration::from_secs(1)).await;
    ///             }
    ///         });
    ///     }
    /// }
    /// # #[tokio::main] async fn main() { Beacon.spawn().shutdown().await; }
    /// ```
    #[track_caller]
    pub fn spawn<F>(&self, future: F) -> JoinHandle<F::Output>
    where
        F: Future + Send + 'static,
        F::Output: Send + 'static,
    {
        self.belongings().spawn(future)
    }

    /// Runs a future beside the actor, and sends the actor its output as a message.
    ///
    /// `into` makes the message. It runs when the message's turn comes, as its handler begins: a
    /// panic of it is one of the handler. If the future panics, it gets the panic as an error; so
    /// what it makes of that, or that it unwraps it, says whether the actor goes on.
    ///
    /// The message comes as a notice, in order and without a slot. If the actor ends before, the
    /// future is dropped. The result can abort it: then there is no message.
    ///
    /// ```
    /// use greenroom::{Context, actor};
    /// # async fn fetch(url: &str) -> String { url.into() }
    ///
    /// #[actor]
    /// struct Crawler {
    ///     pages: Vec<String>,
    /// }
    ///
    /// #[actor]
    /// impl Crawler {
    ///     fn visit(&mut self, url: String, ctx: &mut Context<Self>) {
    ///         let page = async move { fetch(&url).await };
    ///         ctx.pipe(page, |page| CrawlerFetched { page: page.ok() });
    ///     }
    ///
    ///     fn fetched(&mut self, page: Option<String>) {
    ///         self.pages.extend(page);
    ///     }
    /// }
    /// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
    /// # let crawler = Crawler { pages: vec![] }.spawn();
    /// # crawler.visit("a".into()).await?; Ok(()) }
    /// ```
    #[track_caller]
    #[allow(clippy::must_use_candidate)] // most futures run to their end
    pub fn pipe<F, M>(
        &self,
        future: F,
        into: impl FnOnce(Result<F::Output, JoinError>) -> M + Send + 'static,
    ) -> AbortHandle
    where
        A: Handler<M>,
        F: Future + Send + 'static,
        F::Output: Send + 'static,
        M: Send + 'static,
    {
        let source = Source::making(self, |(into, output)| {
            let into: Piped<F::Output, M> = into;
            Some(into(output))
        });
        let into: Piped<F::Output, M> = Box::new(into);
        let future = Caught { future };
        let task = self.belongings().spawn(async move {
            let output = future.await;
            drop(source.send((into, output)));
        });
        task.abort_handle()
    }
}

/// Makes a message of an output.
type Piped<T, M> = Box<dyn FnOnce(Result<T, JoinError>) -> M + Send>;

pin_project! {
    /// A future whose panic is an error.
    pub(super) struct Caught<F> {
        #[pin]
        pub(super) future: F,
    }
}

impl<F: Future> Future for Caught<F> {
    type Output = Result<F::Output, JoinError>;

    fn poll(self: Pin<&mut Self>, cx: &mut TaskContext<'_>) -> Poll<Self::Output> {
        let future = self.project().future;
        match catch(|| future.poll(cx)) {
            Ok(polled) => polled.map(Ok),
            Err(payload) => Poll::Ready(Err(JoinError::panicked(id(), payload))),
        }
    }
}
