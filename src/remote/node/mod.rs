//! A process among others: what it exports, whom it lets in, and its sessions.

mod accept;
mod builder;
mod core;
mod listen_error;
mod sessions;
mod strangers;

use std::fmt;
use std::sync::Arc;

pub(super) use self::core::Core;
pub use builder::NodeBuilder;
pub use listen_error::ListenError;

use super::connect::{ConnectError, Destination};
use super::exports::{Export, ExportError};
use super::handler::RemoteActor;
use super::link::Link;
use super::metrics::Metrics;
use super::target::target;
use super::transport::{Address, Listener};
use crate::actor::Handle;

/// This process, as other processes know it: it exports actors, and finds those of others.
///
/// ```
/// use greenroom::actor;
/// use greenroom::remote::{MemoryNetwork, Node};
///
/// #[actor]
/// pub struct Counter {
///     count: u64,
/// }
///
/// #[actor(remote)]
/// impl Counter {
///     pub fn add(&mut self, n: u64) -> u64 {
///         self.count += n;
///         self.count
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let network = MemoryNetwork::new();
/// let server = Node::builder().build();
/// server.export("counter", &Counter { count: 0 }.spawn())?;
/// let address = server.listen(network.address("server")).await?; // or "127.0.0.1:4000"
///
/// let client = Node::builder().build(); // in another process
/// let link = client.connect(address).await?;
/// let counter = link.lookup::<Counter>("counter").await?;
/// assert_eq!(counter.add(2).await?, 2);
/// # Ok(()) }
/// ```
///
/// # Who is let in
///
/// On a Unix socket processes of the same user, on a [`MemoryNetwork`](super::MemoryNetwork) this
/// process, without more ado. On a loopback address who shows a token
/// ([`NodeBuilder::token`], [`NodeBuilder::accept`]), or a certificate. On any other address the
/// same, over an encrypted connection (`NodeBuilder::tls`, of the feature `remote-tls`): such
/// addresses are refused without, unless the node is [insecure](NodeBuilder::insecure).
///
/// # Its end
///
/// It is one pointer. With its last clone, and the last link and remote handle that it gave, it
/// closes: as by [`Node::close`], but without waiting.
#[derive(Clone)]
pub struct Node(Arc<Owner>);

/// Closes the node when it is dropped. Tasks of the node hold the core alone.
struct Owner(Arc<Core>);

impl Drop for Owner {
    fn drop(&mut self) {
        self.0.close();
    }
}

impl Node {
    /// A node with options.
    pub fn builder() -> NodeBuilder {
        NodeBuilder::default()
    }

    fn new(core: Core) -> Self {
        Self(Arc::new(Owner(Arc::new(core))))
    }

    pub(super) fn core(&self) -> &Arc<Core> {
        &self.0.0
    }

    /// Offers an actor under a name, to whoever is let in. An export keeps its actor running.
    ///
    /// # Errors
    ///
    /// When the name is taken, empty or too long, or there are too many; when the actor has more
    /// kinds of messages than a peer can be told of.
    pub fn export<A: RemoteActor>(
        &self,
        name: &str,
        handle: &Handle<A>,
    ) -> Result<(), ExportError> {
        let export = Export::new(target::<A>(handle), None);
        self.core().exports.add(name, export)
    }

    /// Offers an actor under a name, to those alone whose tokens have one of these names
    /// ([`NodeBuilder::accept`]), or whose certificates. To others the name is unknown.
    ///
    /// # Errors
    ///
    /// As of [`Node::export`].
    pub fn export_to<A: RemoteActor>(
        &self,
        name: &str,
        handle: &Handle<A>,
        peers: &[&str],
    ) -> Result<(), ExportError> {
        let peers = peers.iter().map(|peer| Arc::from(*peer)).collect();
        let export = Export::new(target::<A>(handle), Some(peers));
        self.core().exports.add(name, export)
    }

    /// Takes an export back, also from those who have looked it up. Says whether there was one.
    pub fn withdraw(&self, name: &str) -> bool {
        self.core().exports.remove(name)
    }

    /// Lets others connect, from now on until the node closes. Gives the address, with the port
    /// that was chosen where none was named.
    ///
    /// # Errors
    ///
    /// When the address can't be had, or is reachable by others than those who can show who they
    /// are; see above.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime with its drivers for I/O and time on.
    pub async fn listen(&self, address: impl Into<Address>) -> Result<Address, ListenError> {
        let address = address.into();
        let listener = Listener::bind(&address).await?;
        self.core().policy.check_listen(listener.reach())?;
        let address = listener.address();
        accept::spawn(self.core(), listener)?;
        Ok(address)
    }

    /// Connects to another node.
    ///
    /// # Errors
    ///
    /// When there is no connection, or the other node refuses it.
    ///
    /// # Panics
    ///
    /// As [`Node::listen`].
    ///
    /// Cancel safety: dropped, it leaves nothing.
    pub async fn connect(&self, address: impl Into<Address>) -> Result<Link, ConnectError> {
        let destination = Destination {
            address: address.into(),
            policy: self.core().policy.clone(),
            limits: self.core().limits.clone(),
        };
        Link::open(self.clone(), destination).await
    }

    /// Ends the node: nobody connects any more, exports are withdrawn, and sessions end in order;
    /// waits until they have.
    pub async fn close(&self) {
        for session in self.core().close() {
            session.ended().await;
        }
    }

    /// Its sessions, of both sides, in numbers.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        self.core().metrics()
    }
}

impl fmt::Debug for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Node").finish_non_exhaustive()
    }
}
