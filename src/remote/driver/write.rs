//! What a session has to say, written to the connection that it has.

use std::task::{Context, Poll};

use tokio::time::Instant;

use super::super::limits::READS_PER_TURN;
use super::super::link_end::LinkEnd;
use super::Driver;

/// Whether there is nothing to write, or something that is on its way or can't be written.
#[derive(Clone, Copy)]
pub(super) enum Writer {
    Idle,
    Busy,
}

impl Driver {
    /// Writes what has gathered, after others were let run once: about `WRITE_BYTES` a turn, or
    /// all before it leaves.
    pub(super) fn write(&mut self, cx: &mut Context<'_>) -> Result<Writer, LinkEnd> {
        let is_leaving = self.leaving_until.is_some();
        while let Some(line) = &mut self.line {
            let mut writes = 0;
            let written = line.poll_write(cx, &mut writes);
            let is_free = matches!(written, Poll::Ready(Ok(())));
            let may_take = self.has_yielded || is_leaving;
            let has_more = self.shared.with(|inner, _| {
                inner.tally.writes += writes;
                match is_free && line.epoch == inner.epoch {
                    false => false,
                    true if may_take => inner.session.transmit(&mut line.output) > 0,
                    true => inner.session.has_output(),
                }
            });
            self.has_yielded = has_more && !may_take;
            match written {
                Poll::Pending => return Ok(Writer::Busy),
                Poll::Ready(Err(_)) => self.lose(),
                Poll::Ready(Ok(())) if self.has_yielded => {
                    cx.waker().wake_by_ref();
                    return Ok(Writer::Busy);
                }
                Poll::Ready(Ok(())) if has_more => {}
                Poll::Ready(Ok(())) => {
                    if is_leaving {
                        // Its end is read, so that the last words are not lost with what is unread.
                        drop(line.poll_shutdown(cx));
                    }
                    return Ok(Writer::Idle);
                }
            }
        }
        Ok(Writer::Busy)
    }

    /// After the session's end: writes its last words, as long as the peer reads in time. What it
    /// still says is read, or it would be told by a reset that comes before them. Says whether that
    /// is done.
    pub(super) fn part(&mut self, cx: &mut Context<'_>) -> bool {
        let (Some(line), Some(until)) = (&mut self.line, self.parting_until) else {
            return true;
        };
        let mut is_over = until <= Instant::now();
        if let Poll::Ready(written) = line.poll_write(cx, &mut 0) {
            is_over |= written.is_err();
            drop(line.poll_shutdown(cx));
            for _ in 0..READS_PER_TURN {
                line.input.clear();
                match line.poll_read(cx) {
                    Poll::Pending => break,
                    Poll::Ready(Ok(())) => cx.waker().wake_by_ref(),
                    Poll::Ready(Err(_)) => is_over = true,
                }
            }
        }
        if is_over {
            self.line = None;
            return true;
        }
        self.timer.as_mut().reset(until);
        if self.timer.as_mut().poll(cx).is_ready() {
            cx.waker().wake_by_ref();
        }
        false
    }

    /// Writes what there is in the midst of a large batch, if nothing is on its way. Errors are
    /// found by the turn's write.
    pub(super) fn flush(&mut self, cx: &mut Context<'_>) {
        let Some(line) = &mut self.line else { return };
        let mut writes = 0;
        if line.poll_write(cx, &mut writes).is_ready() {
            self.shared.with(|inner, _| {
                if line.epoch == inner.epoch {
                    inner.session.transmit(&mut line.output);
                }
            });
            drop(line.poll_write(cx, &mut writes));
        }
        self.shared.with(|inner, _| inner.tally.writes += writes);
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::pin::Pin;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::Waker;
    use std::time::Duration;

    use bytes::Bytes;
    use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

    use super::super::super::carry::Sort;
    use super::super::super::exports::Exports;
    use super::super::super::frame::{KindId, TargetId};
    use super::super::super::limits::{BULK_BYTES_CALM, Limits, WRITE_BYTES};
    use super::super::super::peer::Peer;
    use super::super::super::serve::Server;
    use super::super::super::session::{Session, Terms};
    use super::super::super::share::{Offer, Order, Shared};
    use super::*;

    /// Takes all at once, and says nothing.
    struct Pit(Arc<AtomicUsize>);

    impl AsyncRead for Pit {
        fn poll_read(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
            _: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            Poll::Pending
        }
    }

    impl AsyncWrite for Pit {
        fn poll_write(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
            bytes: &[u8],
        ) -> Poll<io::Result<usize>> {
            // Ordering: one thread.
            self.0.fetch_add(bytes.len(), Ordering::Relaxed);
            Poll::Ready(Ok(bytes.len()))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_takes_all_at_once_is_written_no_more_than_its_bound_a_turn() {
        const PAYLOAD: usize = 12 << 20;
        let limits = Limits::new();
        let session = Session::new(&limits, Terms::of(&limits), Instant::now().into_std());
        let shared = Shared::new(session, Peer::Unknown, PAYLOAD as u64);
        let server = Server::new(shared.clone(), Arc::new(Exports::new(1)));
        let mut driver = Driver::new(shared.clone(), server, None, Duration::MAX / 4, || ());
        let written = Arc::<AtomicUsize>::default();
        let stream = Box::new(Pit(written.clone()));
        shared.with(|inner, wakes| {
            inner.offer(
                Offer {
                    stream,
                    received: 0,
                },
                wakes,
            )
        });
        let target = TargetId(0);
        let order = Order {
            kind: KindId(0),
            sort: Sort::Tell,
            payload: Bytes::from(vec![7; PAYLOAD]),
            lent: Vec::new(),
        };
        shared.with(|inner, _| {
            assert!(inner.session.import(target));
            inner.send(target, order, &mut None);
        });
        let mut cx = Context::from_waker(Waker::noop());
        let (mut most, mut idle) = (0, 0);
        // A turn may be one in which others are let run.
        while idle < 4 {
            let before = written.load(Ordering::Relaxed);
            assert!(Pin::new(&mut driver).poll(&mut cx).is_pending());
            let now = written.load(Ordering::Relaxed) - before;
            most = most.max(now);
            idle = if now == 0 { idle + 1 } else { 0 };
        }
        // So much is under way at a time of what nobody acknowledges.
        assert!(written.load(Ordering::Relaxed) >= BULK_BYTES_CALM as usize / 2);
        assert!(most <= 2 * WRITE_BYTES, "{most}");
    }
}
