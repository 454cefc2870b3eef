//! Recipients in other processes.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use super::any_of::AnyPlace;
use super::ask::RemoteAsk;
use super::handle::Handle;
use super::handler::RemoteHandler;
use crate::actor::{
    AskError, AskRecipient, ErrOf, Expiry, FarAsk, FarAsks, FarTell, FarTo, Identity, OkOf,
    Recipient, Refusal, TellError,
};

/// # Recipients
///
/// What takes a [`Recipient`] or an [`AskRecipient`] need not know that its actors are in other
/// processes:
///
/// ```
/// use greenroom::remote::{MemoryNetwork, Node};
/// use greenroom::{Recipient, actor};
///
/// #[actor]
/// pub struct Log {
///     lines: Vec<String>,
/// }
///
/// #[actor(remote)]
/// impl Log {
///     pub fn write(&mut self, line: String) {
///         self.lines.push(line);
///     }
///
///     pub fn lines(&self) -> Vec<String> {
///         self.lines.clone()
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), greenroom::Error> {
/// let network = MemoryNetwork::new();
/// let server = Node::builder().build();
/// server.export("log", &Log { lines: Vec::new() }.spawn())?;
/// let address = server.listen(network.address("server")).await?;
///
/// let link = Node::builder().build().connect(address).await?; // in another process
/// let far = link.lookup::<Log>("log").await?;
/// let near = Log { lines: Vec::new() }.spawn();
/// let logs: Vec<Recipient<LogWrite>> = vec![near.recipient(), far.recipient()];
/// for log in &logs {
///     log.tell(LogWrite { line: "hello".into() }).await?;
/// }
/// assert_eq!(far.lines().await?, near.lines().await?);
/// # Ok(()) }
/// ```
///
/// They keep what the handle keeps: its session, and so, as far as that lasts, the actor's export.
impl<A: 'static> Handle<A> {
    /// A handle for tells of one message type, whatever the actor.
    #[must_use]
    pub fn recipient<M: Send + 'static>(&self) -> Recipient<M>
    where
        A: RemoteHandler<M>,
    {
        Recipient::far(Arc::new(self.clone()))
    }

    /// A handle for asks of one message type, whatever the actor.
    #[must_use]
    pub fn ask_recipient<M: Send + 'static>(&self) -> AskRecipient<M, OkOf<A, M>, ErrOf<A, M>>
    where
        A: RemoteHandler<M>,
    {
        AskRecipient::far(Arc::new(self.clone()))
    }
}

impl<A: 'static> AnyPlace<A> {
    /// A handle for tells of one message type, whatever the actor.
    #[must_use]
    pub fn recipient<M: Send + 'static>(&self) -> Recipient<M>
    where
        A: RemoteHandler<M>,
    {
        match self {
            Self::Local(handle) => handle.recipient(),
            Self::Remote(handle) => handle.recipient(),
        }
    }

    /// A handle for asks of one message type, whatever the actor.
    #[must_use]
    pub fn ask_recipient<M: Send + 'static>(&self) -> AskRecipient<M, OkOf<A, M>, ErrOf<A, M>>
    where
        A: RemoteHandler<M>,
    {
        match self {
            Self::Local(handle) => handle.ask_recipient(),
            Self::Remote(handle) => handle.ask_recipient(),
        }
    }
}

impl<A: RemoteHandler<M>, M: Send + 'static> FarTo<M> for Handle<A> {
    fn identity(&self) -> Identity {
        self.identity()
    }

    fn tell(&self, message: M) -> Box<dyn FarTell<M>> {
        Box::new(UnderWay::new(self, message))
    }

    fn try_tell(&self, message: M) -> Result<(), TellError<M>> {
        RemoteAsk::<A, M>::new(self.port(), message).try_tell()
    }
}

impl<A: RemoteHandler<M>, M: Send + 'static> FarAsks<M, OkOf<A, M>, ErrOf<A, M>> for Handle<A> {
    fn identity(&self) -> Identity {
        self.identity()
    }

    fn ask(&self, message: M) -> Box<dyn FarAsk<OkOf<A, M>, ErrOf<A, M>>> {
        Box::new(UnderWay::new(self, message))
    }

    fn teller(&self) -> Arc<dyn FarTo<M>> {
        Arc::new(self.clone())
    }
}

/// An ask or a tell on its way. As futures to actors here, it is `Sync` whatever the message.
struct UnderWay<A: RemoteHandler<M>, M: Send + 'static>(Mutex<RemoteAsk<'static, A, M>>);

impl<A: RemoteHandler<M>, M: Send + 'static> UnderWay<A, M> {
    fn new(handle: &Handle<A>, message: M) -> Self {
        let ask = RemoteAsk::new(handle.port(), message);
        Self(Mutex::new(ask.into_owned()))
    }

    fn ask(&mut self) -> &mut RemoteAsk<'static, A, M> {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<A: RemoteHandler<M>, M: Send + 'static> FarTell<M> for UnderWay<A, M> {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), TellError<M>>> {
        self.ask().poll_tell(cx)
    }

    fn give_up(&mut self, refusal: Refusal) -> Result<(), TellError<M>> {
        self.ask().tell_error(refusal)
    }

    fn cancel(&mut self) -> Option<M> {
        self.ask().cancel()
    }
}

impl<A: RemoteHandler<M>, M: Send + 'static> FarAsk<OkOf<A, M>, ErrOf<A, M>> for UnderWay<A, M> {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<OkOf<A, M>, AskError<ErrOf<A, M>>>> {
        self.ask().poll_ask(cx)
    }

    fn begin(&mut self, due: Expiry) -> Option<Result<OkOf<A, M>, AskError<ErrOf<A, M>>>> {
        self.ask().begin_limited(due)
    }

    fn expire(&mut self, limit: Duration) -> Result<OkOf<A, M>, AskError<ErrOf<A, M>>> {
        self.ask().expire(limit)
    }
}
