//! What bytes travel by: TCP, Unix sockets, or a network within the process.
//!
//! Each says how far a connection reaches ([`Reach`]), from which the handshake knows what a peer
//! has to show.

mod address;
mod end;
mod memory;
mod tcp;
#[cfg(unix)]
mod unix;

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};

pub use address::Address;
pub use memory::{MemoryAddress, MemoryNetwork};

/// What a connection reads and writes.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// Who can be at the other end of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reach {
    /// This process alone.
    Process,
    /// Processes of the same user, as the kernel says.
    User,
    /// Any process of this machine.
    Machine,
    /// Whoever gets packets through.
    Open,
}

/// A connection on which nothing was said yet.
pub(super) struct Connection {
    pub(super) stream: Box<dyn Stream>,
    pub(super) reach: Reach,
    /// The address that it comes from, where they have some.
    pub(super) source: Option<IpAddr>,
    /// Who the peer is by its certificate, once it has shown one.
    pub(super) certified: Option<Arc<str>>,
}

impl Connection {
    fn new(stream: impl Stream + 'static, reach: Reach) -> Self {
        Self {
            stream: Box::new(stream),
            reach,
            source: None,
            certified: None,
        }
    }
}

/// Opens a connection.
pub(super) async fn dial(address: &Address) -> io::Result<Connection> {
    match address {
        Address::Tcp(address) => tcp::dial(address).await,
        #[cfg(unix)]
        Address::Unix(path) => unix::dial(path).await,
        Address::Memory(address) => Ok(Connection::new(address.dial().await?, Reach::Process)),
    }
}

/// An address that peers can connect to.
pub(super) enum Listener {
    Tcp(tcp::Listener),
    #[cfg(unix)]
    Unix(unix::Listener),
    Memory(memory::MemoryListener),
}

impl Listener {
    pub(super) async fn bind(address: &Address) -> io::Result<Self> {
        match address {
            Address::Tcp(address) => tcp::Listener::bind(address).await.map(Self::Tcp),
            #[cfg(unix)]
            Address::Unix(path) => unix::Listener::bind(path).await.map(Self::Unix),
            Address::Memory(address) => address.bind().map(Self::Memory),
        }
    }

    /// The address, with the port that was chosen where none was named.
    pub(super) fn address(&self) -> Address {
        match self {
            Self::Tcp(listener) => Address::Tcp(listener.address().to_string()),
            #[cfg(unix)]
            Self::Unix(listener) => Address::Unix(listener.path().to_owned()),
            Self::Memory(listener) => Address::Memory(listener.address().clone()),
        }
    }

    /// From where it can be reached.
    pub(super) fn reach(&self) -> Reach {
        match self {
            Self::Tcp(listener) => tcp::reach(listener.address()),
            #[cfg(unix)]
            Self::Unix(_) => Reach::User,
            Self::Memory(_) => Reach::Process,
        }
    }

    /// The next connection. An error is about that one alone, or passes.
    ///
    /// Cancel safety: dropped, it has taken none.
    pub(super) async fn accept(&self) -> io::Result<Connection> {
        match self {
            Self::Tcp(listener) => listener.accept().await,
            #[cfg(unix)]
            Self::Unix(listener) => listener.accept().await,
            Self::Memory(listener) => Ok(Connection::new(listener.accept().await?, Reach::Process)),
        }
    }
}
