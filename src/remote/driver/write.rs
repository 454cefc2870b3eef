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
    /// Writes what has gathered, after others were let run once.
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
