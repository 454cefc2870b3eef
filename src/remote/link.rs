//! The side that has connected: it looks actors up.

use std::fmt;
use std::sync::Arc;

use tokio::sync::Mutex as AsyncMutex;
use tokio::time::timeout;

use super::carry::Port;
use super::catalog::{Catalog, Unfound};
use super::connect::{ConnectError, Destination};
use super::handle::{RemoteHandle, handle_of};
use super::handler::{RemoteActor, messages};
use super::lease::Lease;
use super::limits::{LOOK_UP, NAME_BYTES_MAX};
use super::link_end::LinkEnd;
use super::metrics::Metrics;
use super::node::Node;
use super::outlet::{Hold, Outlet};
use super::share::Shared;
use super::transport::Address;
use crate::error::Error;
use crate::sync::Mutex;

/// A link to another node, made by [`Node::connect`]: it finds the actors that are exported there.
///
/// All handles that it gives share one session, which survives connections: where one is lost, it
/// is had again, and what was sent goes on as if nothing had happened. If none is had in time, or
/// the other node was restarted, the session ends: asks whose answer has not come have an unknown
/// outcome, handles lead nowhere, and the next [`Link::lookup`] begins a new session.
///
/// The link, and each handle that it gave, keeps the session and its node. With the last of them
/// the session ends, once what was told is written: within
/// [`FAREWELL`](super::limits::FAREWELL), and not where there is no connection just then.
#[derive(Clone)]
pub struct Link(Arc<Inner>);

struct Inner {
    node: Node,
    destination: Destination,
    last: Mutex<Last>,
    /// Held while a new session is begun: only one is at a time.
    beginning: AsyncMutex<()>,
}

/// The last session.
struct Last {
    lease: Arc<Lease>,
    is_closed: bool,
}

impl Link {
    pub(super) async fn open(node: Node, destination: Destination) -> Result<Self, ConnectError> {
        let last = Mutex::new(Last {
            lease: begin(&node, &destination).await?,
            is_closed: false,
        });
        Ok(Self(Arc::new(Inner {
            node,
            destination,
            last,
            beginning: AsyncMutex::default(),
        })))
    }

    fn last(&self) -> Arc<Shared> {
        self.0.last.lock().lease.shared().clone()
    }

    /// The actor that is exported there under a name.
    ///
    /// Which of its messages both sides know as the same is found out here, and said when one is
    /// sent: those that differ are refused, each for itself.
    ///
    /// # Errors
    ///
    /// When nobody is exported under that name, or not for this node; when the session ends
    /// before there is an answer, or none can be begun.
    ///
    /// Cancel safety: dropped, it has looked up nothing.
    pub async fn lookup<A: RemoteActor>(&self, name: &str) -> Result<RemoteHandle<A>, LookupError> {
        if name.len() > NAME_BYTES_MAX {
            return Err(LookupError::Unknown);
        }
        let lease = self.lease().await.map_err(LookupError::Connect)?;
        let shared = lease.shared();
        let ended = || LookupError::Ended(shared.end().unwrap_or(LinkEnd::Closed));
        let answer = shared.act(|inner, _| inner.look_up(name));
        let answer = match answer {
            Some(answer) => answer,
            None if shared.end().is_none() => return Err(LookupError::TooMany),
            None => return Err(ended()),
        };
        let answer = timeout(LOOK_UP, answer).await;
        let (claim, payload) = answer
            .map_err(|_| LookupError::Timeout)?
            .map_err(|_| ended())?;
        let claim = claim.ok_or_else(|| match Unfound::decode(&payload) {
            Unfound::Unknown => LookupError::Unknown,
            Unfound::TooMany => LookupError::TooMany,
        })?;
        let catalog = Catalog::decode(&payload);
        let ours = messages::<A>();
        let kinds = ours.iter().map(|ours| catalog.known(ours)).collect();
        let identity = claim.identity(name);
        let outlet = Outlet::new(claim, Hold::Lease(lease), kinds);
        Ok(handle_of::<A>(Port::new(Arc::new(outlet), identity)))
    }

    /// The session, begun anew if the last one has ended.
    async fn lease(&self) -> Result<Arc<Lease>, ConnectError> {
        if let Some(lease) = self.living()? {
            return Ok(lease);
        }
        let _beginning = self.0.beginning.lock().await;
        if let Some(lease) = self.living()? {
            return Ok(lease); // somebody else has begun it
        }
        let lease = begin(&self.0.node, &self.0.destination).await?;
        let ended = {
            let mut last = self.0.last.lock();
            if last.is_closed {
                return Err(ConnectError::Closed);
            }
            std::mem::replace(&mut last.lease, lease.clone())
        };
        drop(ended); // outside of the lock
        Ok(lease)
    }

    /// The last session, unless it has ended.
    fn living(&self) -> Result<Option<Arc<Lease>>, ConnectError> {
        let last = self.0.last.lock();
        match last.lease.shared().end() {
            _ if last.is_closed => Err(ConnectError::Closed),
            None => Ok(Some(last.lease.clone())),
            Some(LinkEnd::Closed) => Err(ConnectError::Closed),
            Some(_) => Ok(None),
        }
    }

    /// Ends the session in order, and waits until that is done: what was told is written, if there
    /// is a connection that takes it within [`FAREWELL`](super::limits::FAREWELL), and asks whose
    /// answer has not come have an unknown outcome.
    pub async fn close(&self) {
        let shared = {
            let mut last = self.0.last.lock();
            last.is_closed = true;
            last.lease.shared().clone()
        };
        shared.leave();
        shared.ended().await;
    }

    /// Waits until the session ends, and says why.
    pub async fn ended(&self) -> LinkEnd {
        self.last().ended().await
    }

    /// The session in numbers.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        let mut metrics = Metrics::default();
        self.last().measure(&mut metrics);
        metrics
    }

    /// Where to.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.0.destination.address
    }
}

async fn begin(node: &Node, destination: &Destination) -> Result<Arc<Lease>, ConnectError> {
    let shared = node.core().begin(destination).await?;
    Ok(Lease::new(shared, node.clone()))
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Link").field(self.address()).finish()
    }
}

/// A look-up that found nobody.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum LookupError {
    /// Nobody is exported under that name, or not for this node.
    Unknown,
    /// The session holds as many actors, or has as many look-ups under way, as it may.
    TooMany,
    /// There was no answer in time.
    Timeout,
    /// The session ended before there was an answer.
    Ended(LinkEnd),
    /// The last session has ended, and no new one could be begun.
    Connect(ConnectError),
}

impl fmt::Display for LookupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("nobody is exported under that name"),
            Self::TooMany => f.write_str("the session looks up, or holds, no more actors"),
            Self::Timeout => f.write_str("the look-up was not answered in time"),
            Self::Ended(end) => write!(f, "the session ended before the look-up: {end}"),
            Self::Connect(error) => write!(f, "no new session was begun: {error}"),
        }
    }
}

impl std::error::Error for LookupError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Ended(end) => Some(end),
            Self::Connect(error) => Some(error),
            _ => None,
        }
    }
}

impl From<LookupError> for Error {
    fn from(error: LookupError) -> Self {
        Self::new(error)
    }
}
