//! One connection of a session, with what was read of it and what is still to be written.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes, BytesMut};
use tokio::io::AsyncReadExt;

use super::super::limits::{READ_BYTES_MAX, READ_BYTES_MIN};
use super::super::transport::Stream;

/// Slices of one vectored write: as many as operating systems take at least.
const SLICES: usize = 64;

pub(super) struct Line {
    pub(super) stream: Box<dyn Stream>,
    /// Of the session, as this connection was given to it.
    pub(super) epoch: u64,
    pub(super) input: BytesMut,
    pub(super) output: VecDeque<Bytes>,
    /// Bytes that the next read has room for: as many as the last ones have filled.
    room: usize,
    needs_flush: bool,
}

impl Line {
    pub(super) fn new(stream: Box<dyn Stream>, epoch: u64) -> Self {
        Self {
            stream,
            epoch,
            input: BytesMut::new(),
            output: VecDeque::new(),
            room: READ_BYTES_MIN,
            needs_flush: false,
        }
    }

    /// Reads what is there, behind what was read before. An end is an error.
    pub(super) fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.input.capacity() - self.input.len() < self.room / 2 {
            self.input.reserve(self.room);
        }
        // It keeps nothing between polls.
        let read = pin!(self.stream.read_buf(&mut self.input));
        if ready!(read.poll(cx))? == 0 {
            return Poll::Ready(Err(io::ErrorKind::UnexpectedEof.into()));
        }
        if self.input.len() == self.input.capacity() {
            self.room = (2 * self.room).min(READ_BYTES_MAX);
        }
        Poll::Ready(Ok(()))
    }

    /// Writes all that is to be written. Says how many writes that took.
    pub(super) fn poll_write(
        &mut self,
        cx: &mut Context<'_>,
        writes: &mut u64,
    ) -> Poll<io::Result<()>> {
        while !self.output.is_empty() {
            let mut slices = [IoSlice::new(&[]); SLICES];
            let mut count = 0;
            for (slice, bytes) in slices.iter_mut().zip(&self.output) {
                *slice = IoSlice::new(bytes);
                count += 1;
            }
            let stream = Pin::new(&mut *self.stream);
            let written = ready!(stream.poll_write_vectored(cx, &slices[..count]))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            *writes += 1;
            self.needs_flush = true;
            self.advance(written);
        }
        if self.needs_flush {
            ready!(Pin::new(&mut *self.stream).poll_flush(cx))?;
            self.needs_flush = false;
        }
        Poll::Ready(Ok(()))
    }

    fn advance(&mut self, mut written: usize) {
        while let Some(first) = self.output.front_mut() {
            if written < first.len() {
                first.advance(written);
                return;
            }
            written -= first.len();
            self.output.pop_front();
        }
    }

    pub(super) fn poll_shutdown(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut *self.stream).poll_shutdown(cx)
    }
}
