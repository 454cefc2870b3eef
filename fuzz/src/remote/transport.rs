//! What the handshake needs of transports.

use tokio::io::{AsyncRead, AsyncWrite};

/// What a connection reads and writes.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}
