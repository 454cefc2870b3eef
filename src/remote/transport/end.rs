//! One end of a connection of a network within the process.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

use super::memory::{Faults, Network, Pipe, State};

/// One end: it reads from one pipe, and writes to the other.
pub(crate) struct End {
    network: Arc<Network>,
    reads: u64,
    writes: u64,
    /// Until what comes next is due.
    due: Option<Pin<Box<Sleep>>>,
}

/// What a read finds.
enum Found {
    Now(io::Result<()>),
    Later(Instant),
    Nothing,
}

impl End {
    pub(super) fn new(network: Arc<Network>, reads: u64, writes: u64) -> Self {
        Self {
            network,
            reads,
            writes,
            due: None,
        }
    }

    fn write(&self, parts: &[IoSlice<'_>], cx: &Context<'_>) -> Poll<io::Result<usize>> {
        self.network.with(|state, wakers| {
            let Some(pipe) = state.pipes.get_mut(&self.writes) else {
                return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
            };
            if pipe.is_reset {
                return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
            }
            let cut_after = state.faults.cut_after.unwrap_or(u64::MAX);
            let most = usize::try_from(cut_after).unwrap_or(usize::MAX);
            let most = most.min(pipe.room());
            if most == 0 {
                pipe.writer = Some(cx.waker().clone());
                return Poll::Pending;
            }
            let written = put(pipe, parts, most, &state.faults);
            wakers.extend(pipe.reader.take());
            count(state, written, wakers);
            Poll::Ready(Ok(written))
        })
    }
}

/// Puts in what there is room for.
fn put(pipe: &mut Pipe, parts: &[IoSlice<'_>], most: usize, faults: &Faults) -> usize {
    let mut chunk = Vec::new();
    for part in parts {
        let length = part.len().min(most - chunk.len());
        chunk.extend_from_slice(&part[..length]);
    }
    let written = chunk.len();
    let mut due = pipe.last_due.max(Instant::now());
    if let Some(rate) = faults.bytes_per_second {
        let nanos = written as u128 * 1_000_000_000 / u128::from(rate.max(1));
        due += Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
    }
    pipe.last_due = due;
    if written > 0 {
        pipe.chunks.push_back((due + faults.delay, chunk));
        pipe.bytes += written;
    }
    written
}

/// Cuts, once as much was written as was said.
fn count(state: &mut State, written: usize, wakers: &mut Vec<Waker>) {
    if let Some(left) = &mut state.faults.cut_after {
        *left = left.saturating_sub(written as u64);
        if *left == 0 {
            state.faults.cut_after = None;
            state.cut(wakers);
        }
    }
}

fn read(
    state: &mut State,
    reads: u64,
    into: &mut ReadBuf<'_>,
    cx: &Context<'_>,
    wakers: &mut Vec<Waker>,
) -> Found {
    let is_parted = state.faults.is_parted;
    let Some(pipe) = state.pipes.get_mut(&reads) else {
        return Found::Now(Ok(())); // the other end has gone, and all was read
    };
    if pipe.is_reset {
        return Found::Now(Err(io::ErrorKind::ConnectionReset.into()));
    }
    pipe.reader = Some(cx.waker().clone());
    match pipe.chunks.front() {
        _ if is_parted => Found::Nothing,
        Some((due, _)) if *due > Instant::now() => Found::Later(*due),
        Some(_) => {
            take(pipe, into);
            wakers.extend(pipe.writer.take());
            Found::Now(Ok(()))
        }
        None if pipe.is_finished => Found::Now(Ok(())),
        None => Found::Nothing,
    }
}

/// Takes all that is due.
fn take(pipe: &mut Pipe, into: &mut ReadBuf<'_>) {
    let now = Instant::now();
    while let Some((_, chunk)) = pipe.chunks.front().filter(|(due, _)| *due <= now) {
        let left = &chunk[pipe.read..];
        let length = left.len().min(into.remaining());
        into.put_slice(&left[..length]);
        pipe.bytes -= length;
        if length < left.len() {
            pipe.read += length;
            return;
        }
        pipe.read = 0;
        pipe.chunks.pop_front();
    }
}

impl AsyncRead for End {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let this = &mut *self;
            let found = this
                .network
                .with(|state, wakers| read(state, this.reads, into, cx, wakers));
            match found {
                Found::Now(result) => return Poll::Ready(result),
                Found::Nothing => return Poll::Pending,
                Found::Later(due) => {
                    let sleep = this.due.get_or_insert_with(|| Box::pin(sleep_until(due)));
                    sleep.as_mut().reset(due);
                    ready!(sleep.as_mut().poll(cx));
                }
            }
        }
    }
}

impl AsyncWrite for End {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        from: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.write(&[IoSlice::new(from)], cx)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.write(parts, cx)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.network.with(|state, wakers| {
            if let Some(pipe) = state.pipes.get_mut(&self.writes) {
                pipe.is_finished = true;
                wakers.extend(pipe.reader.take());
            }
        });
        Poll::Ready(Ok(()))
    }
}

impl Drop for End {
    /// The other end reads what was written, and writes to nobody.
    fn drop(&mut self) {
        self.network.with(|state, wakers| {
            if let Some(mut pipe) = state.pipes.remove(&self.reads) {
                wakers.extend(pipe.writer.take());
            }
            if let Some(pipe) = state.pipes.get_mut(&self.writes) {
                pipe.is_finished = true;
                wakers.extend(pipe.reader.take());
            }
        });
    }
}
