//! Lines over any byte stream, and a Unix socket that serves them.

use std::io;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::UnixListener;
use tokio::task::JoinSet;

/// Writes back each line's length, until the other end closes; returns how many there were.
pub async fn measure(stream: impl AsyncRead + AsyncWrite) -> io::Result<usize> {
    let (reader, mut writer) = tokio::io::split(stream);
    let mut lines = BufReader::new(reader).lines();
    let mut count = 0;
    while let Some(line) = lines.next_line().await? {
        writer
            .write_all(format!("{}\n", line.len()).as_bytes())
            .await?;
        count += 1;
    }
    writer.shutdown().await?;
    Ok(count)
}

/// Serves this many clients at once, and returns the lines of all of them.
pub async fn serve_unix(listener: UnixListener, clients: usize) -> io::Result<usize> {
    let mut running = JoinSet::new();
    for _ in 0..clients {
        let (stream, _) = listener.accept().await?;
        running.spawn(measure(stream));
    }
    let mut lines = 0;
    while let Some(ended) = running.join_next().await {
        lines += ended.expect("no client panics")?;
    }
    Ok(lines)
}
