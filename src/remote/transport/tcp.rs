//! TCP, without delays of its own: what is written together leaves at once.

use std::io;
use std::net::SocketAddr;

use tokio::net::{TcpListener, TcpStream};

use super::{Connection, Reach};

pub(super) async fn dial(address: &str) -> io::Result<Connection> {
    let stream = TcpStream::connect(address).await?;
    let peer = stream.peer_addr()?;
    connection(stream, peer)
}

fn connection(stream: TcpStream, peer: SocketAddr) -> io::Result<Connection> {
    stream.set_nodelay(true)?;
    let mut connection = Connection::new(stream, reach(peer));
    connection.source = Some(peer.ip().to_canonical());
    Ok(connection)
}

pub(super) fn reach(address: SocketAddr) -> Reach {
    if address.ip().to_canonical().is_loopback() {
        Reach::Machine
    } else {
        Reach::Open
    }
}

pub(in crate::remote) struct Listener {
    listener: TcpListener,
    address: SocketAddr,
}

impl Listener {
    pub(super) async fn bind(address: &str) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) async fn accept(&self) -> io::Result<Connection> {
        let (stream, peer) = self.listener.accept().await?;
        connection(stream, peer)
    }
}
