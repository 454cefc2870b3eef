//! Datagrams: a service that answers each, by UDP or by Unix socket.

use std::io;
use std::path::Path;

use tokio::net::{UdpSocket, UnixDatagram};

/// Sends each datagram back, reversed, until an empty one comes.
pub async fn reverse_udp(socket: UdpSocket) -> io::Result<usize> {
    let mut buffer = [0; 1024];
    let mut answered = 0;
    loop {
        let (length, peer) = socket.recv_from(&mut buffer).await?;
        if length == 0 {
            return Ok(answered);
        }
        buffer[..length].reverse();
        socket.send_to(&buffer[..length], peer).await?;
        answered += 1;
    }
}

/// Sends each datagram back, reversed, until an empty one comes. Senders have a path.
pub async fn reverse_unix(path: &Path) -> io::Result<usize> {
    let socket = UnixDatagram::bind(path)?;
    let mut buffer = [0; 1024];
    let mut answered = 0;
    loop {
        let (length, peer) = socket.recv_from(&mut buffer).await?;
        if length == 0 {
            return Ok(answered);
        }
        buffer[..length].reverse();
        if let Some(peer) = peer.as_pathname() {
            socket.send_to(&buffer[..length], peer).await?;
            answered += 1;
        }
    }
}
