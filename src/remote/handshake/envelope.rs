//! One message each way, before the first frame.

use std::fmt;
use std::io;

use bytes::BufMut;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::super::transport::Stream;
use super::hello::Hello;
use super::welcome::{self, Answer};

const MAGIC: &[u8; 4] = b"GRNR";
const HEAD_BYTES: usize = MAGIC.len() + 1 + 2;

fn malformed(text: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}

/// What the peer says begins as records of TLS do.
#[derive(Debug)]
pub(in crate::remote) struct PeerIsEncrypted;

impl fmt::Display for PeerIsEncrypted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the peer speaks tls")
    }
}

impl std::error::Error for PeerIsEncrypted {}

async fn write(
    stream: &mut dyn Stream,
    kind: u8,
    put: impl FnOnce(&mut Vec<u8>),
) -> io::Result<()> {
    let mut bytes = MAGIC.to_vec();
    bytes.put_u8(kind);
    bytes.put_u16_le(0);
    put(&mut bytes);
    let length = u16::try_from(bytes.len() - HEAD_BYTES).expect("both kinds are shorter");
    bytes[HEAD_BYTES - 2..HEAD_BYTES].copy_from_slice(&length.to_le_bytes());
    stream.write_all(&bytes).await?;
    stream.flush().await
}

async fn read(stream: &mut dyn Stream, kind: u8, bytes_max: usize) -> io::Result<Vec<u8>> {
    let mut head = [0; HEAD_BYTES];
    stream.read_exact(&mut head).await?;
    let length = usize::from(u16::from_le_bytes([head[5], head[6]]));
    if matches!(head[..2], [0x14..=0x17, 3]) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, PeerIsEncrypted));
    }
    if head[..4] != *MAGIC || head[4] != kind {
        return Err(malformed("the peer speaks another protocol"));
    }
    if length > bytes_max {
        return Err(malformed("the peer says more than it may"));
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok(body)
}

/// What who connects says.
pub(in crate::remote) async fn receive(stream: &mut dyn Stream) -> io::Result<Hello> {
    let body = read(stream, Hello::KIND, Hello::BYTES_MAX).await?;
    Hello::take(&body).ok_or_else(|| malformed("the peer's greeting is malformed"))
}

/// Answers it.
pub(in crate::remote) async fn send(stream: &mut dyn Stream, answer: &Answer) -> io::Result<()> {
    write(stream, welcome::KIND, |into| welcome::put(answer, into)).await
}

/// Says hello, and waits for the answer.
pub(in crate::remote) async fn exchange(
    stream: &mut dyn Stream,
    hello: &Hello,
) -> io::Result<Answer> {
    write(stream, Hello::KIND, |into| hello.put(into)).await?;
    let body = read(stream, welcome::KIND, welcome::BYTES_MAX).await?;
    welcome::take(&body).ok_or_else(|| malformed("the peer's answer is malformed"))
}
