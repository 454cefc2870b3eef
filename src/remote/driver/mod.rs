//! The task of a session: it reads, has what came handled, and writes, whatever the connection.
//!
//! One turn reads all that is there and hands it out as a batch, polls what waits and was woken,
//! and writes what has gathered. Before it takes what is to be written it lets others run once, so
//! that what they send goes along. It outlives connections: between two of them it waits for the
//! next, or dials.

mod dialer;
mod line;
mod write;

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::task::coop::unconstrained;
use tokio::time::{Instant, Sleep, sleep_until};

pub(super) use dialer::Dialer;
use line::Line;
use write::Writer;

use super::frame::Violation;
use super::handshake::Refused;
use super::limits::{EVENTS_PER_WRITE, FAREWELL, READS_PER_TURN};
use super::link_end::LinkEnd;
use super::serve::Server;
use super::session::Event;
use super::share::{Inner, Offer, Shared, Wakes};
use crate::contain::contain;

/// Drives one session to its end.
pub(super) struct Driver {
    shared: Arc<Shared>,
    server: Server,
    line: Option<Line>,
    /// Of the side that connects.
    dialer: Option<Dialer>,
    /// How long the session outlives a connection.
    resume: Duration,
    /// Until when there must be a connection again.
    lost_until: Option<Instant>,
    /// Until when the last words must be written.
    leaving_until: Option<Instant>,
    timer: Pin<Box<Sleep>>,
    /// After the session's end: until when the peer is told what it did wrong.
    parting_until: Option<Instant>,
    has_yielded: bool,
    /// The session is over; what it has received for the actors here is still given to them.
    has_ended: bool,
    events: Vec<Event>,
    /// Called once nothing of it is left, so that what still waits counts as a session's.
    on_end: Option<Box<dyn FnOnce() + Send>>,
}

/// A turn goes on, or the session is over.
type Step = Result<(), LinkEnd>;

impl Driver {
    /// `on_end` is called once, after the session's end, when all that was told is accepted.
    pub(super) fn new(
        shared: Arc<Shared>,
        server: Server,
        dialer: Option<Dialer>,
        resume: Duration,
        on_end: impl FnOnce() + Send + 'static,
    ) -> Self {
        Self {
            shared,
            server,
            line: None,
            dialer,
            resume,
            lost_until: None,
            leaving_until: None,
            parting_until: None,
            timer: Box::pin(sleep_until(Instant::now())),
            has_yielded: false,
            has_ended: false,
            events: Vec::new(),
            on_end: Some(Box::new(on_end)),
        }
    }

    fn turn(&mut self, cx: &mut Context<'_>) -> Step {
        self.attend()?;
        self.read(cx)?;
        self.server.poll(cx);
        self.report();
        let writer = self.write(cx)?;
        self.dial(cx)?;
        self.rest(cx, writer)
    }

    /// Takes a connection that was offered, drops one that was replaced, and hears that it is to
    /// leave.
    fn attend(&mut self) -> Step {
        let line = &mut self.line;
        let (replaced, is_new, is_leaving) = self.shared.with(|inner, wakes| {
            inner.tally.wakeups += 1;
            inner.look_at_clock();
            let mut replaced = line.take_if(|line| line.epoch != inner.epoch);
            let offer = inner.offer.take();
            let is_new = offer.is_some();
            if let Some(Offer { stream, received }) = offer {
                if let Err(violation) = inner.connect(received) {
                    wakes.drop_later((stream, replaced));
                    return Err(LinkEnd::Violation(violation));
                }
                replaced = line.replace(Line::new(stream, inner.epoch)).or(replaced);
            }
            Ok((replaced, is_new, inner.is_leaving))
        })?;
        drop(replaced); // outside of the lock
        if is_new {
            self.lost_until = None;
            self.has_yielded = false;
            self.server.check_rights(&self.shared.peer);
        } else if self.line.is_none() && self.lost_until.is_none() {
            self.lost_until = Some(Instant::now() + self.resume);
        }
        if is_leaving && self.leaving_until.is_none() {
            self.leaving_until = Some(Instant::now() + FAREWELL);
            self.shared.with(|inner, _| inner.session.close(0));
        }
        Ok(())
    }

    /// Reads what is there, and has it handled.
    fn read(&mut self, cx: &mut Context<'_>) -> Step {
        for _ in 0..READS_PER_TURN {
            let Some(line) = &mut self.line else {
                return Ok(());
            };
            match line.poll_read(cx) {
                Poll::Pending => return Ok(()),
                Poll::Ready(Ok(())) => self.digest(cx)?,
                Poll::Ready(Err(_)) if self.leaving_until.is_some() => return Err(LinkEnd::Closed),
                Poll::Ready(Err(_)) => self.lose(),
            }
        }
        cx.waker().wake_by_ref(); // there may be more
        Ok(())
    }

    /// Handles what one read has brought.
    fn digest(&mut self, cx: &mut Context<'_>) -> Step {
        let Self {
            shared,
            line: Some(line),
            events,
            ..
        } = self
        else {
            return Ok(());
        };
        let result = shared.with(|inner, wakes| {
            if line.epoch != inner.epoch {
                line.input.clear(); // another connection has taken over
                return Ok(());
            }
            inner.tally.reads += 1;
            let now = inner.look_at_clock().into_std();
            let result = inner.session.receive(&mut line.input, now, events);
            sort(inner, events, wakes);
            result
        });
        self.work_off(result, cx)
    }

    /// Gives what came to the actors here; then the connection's or the session's end, if that
    /// came.
    fn work_off(&mut self, result: Result<(), Violation>, cx: &mut Context<'_>) -> Step {
        let mut work = std::mem::take(&mut self.events);
        let mut end = result.err().map(LinkEnd::Violation);
        let mut is_silent = false;
        for (count, event) in work.drain(..).enumerate() {
            if count > 0 && count % EVENTS_PER_WRITE == 0 {
                self.report();
                self.flush(cx);
            }
            match event {
                Event::Silent => is_silent = true,
                Event::Closed { code } => {
                    end.get_or_insert(match Violation::from_code(code) {
                        Some(violation) => LinkEnd::Accused(violation),
                        None => LinkEnd::ClosedByPeer,
                    });
                }
                event => self.server.take(&self.shared, event),
            }
        }
        self.events = work;
        if is_silent {
            self.lose();
        }
        end.map_or(Ok(()), Err)
    }

    fn report(&mut self) {
        if self.server.has_done() {
            let server = &mut self.server;
            self.shared
                .with(|inner, _| server.report(&mut inner.session));
        }
    }

    /// The connection is gone. The session is not, for a while.
    fn lose(&mut self) {
        let Some(line) = self.line.take() else {
            return;
        };
        self.shared.with(|inner, wakes| {
            if line.epoch == inner.epoch {
                inner.hang_up(wakes);
            }
        });
        self.lost_until = Some(Instant::now() + self.resume);
        self.has_yielded = false;
    }

    /// Without a connection: tries to have one again.
    fn dial(&mut self, cx: &mut Context<'_>) -> Step {
        if self.line.is_some() {
            return Ok(());
        }
        if self.leaving_until.is_some() {
            return Err(LinkEnd::Closed); // nobody can be told
        }
        let Some(dialer) = &mut self.dialer else {
            return Ok(());
        };
        let received = self.shared.with(|inner, _| inner.session.received());
        match dialer.poll(received, cx) {
            Poll::Pending => Ok(()),
            Poll::Ready(Ok(agreed)) => {
                let received = agreed.welcome.received;
                let stream = agreed.stream;
                self.shared
                    .with(|inner, wakes| inner.offer(Offer { stream, received }, wakes));
                cx.waker().wake_by_ref(); // to take it
                Ok(())
            }
            Poll::Ready(Err(Refused::Session)) => Err(LinkEnd::Forgotten),
            Poll::Ready(Err(refused)) => Err(LinkEnd::Refused(refused)),
        }
    }

    /// Waits for what comes next: time, wakes, or what was sent since.
    fn rest(&mut self, cx: &mut Context<'_>, writer: Writer) -> Step {
        let epoch = self.line.as_ref().map(|line| line.epoch);
        let is_idle = matches!(writer, Writer::Idle);
        let waker = cx.waker();
        let (next, due, is_late) = self.shared.with(|inner, _| {
            let is_late = inner.sleep(waker, epoch, is_idle);
            (inner.session.next_timeout(), inner.next_due(), is_late)
        });
        if is_late {
            self.has_yielded = is_idle; // this is the one turn that others get
            cx.waker().wake_by_ref();
        }
        let next = next.filter(|_| epoch.is_some()).map(Instant::from_std);
        let times = [next, due, self.lost_until, self.leaving_until];
        let Some(next) = times.into_iter().flatten().min() else {
            return Ok(());
        };
        // A time that moves away is looked at when it would have come: most never do.
        if next < self.timer.deadline() || self.timer.is_elapsed() {
            self.timer.as_mut().reset(next);
        }
        if self.timer.as_mut().poll(cx).is_ready() {
            cx.waker().wake_by_ref();
            self.ring(cx)?;
        }
        Ok(())
    }

    /// Some time has passed: looks for whom that is too long.
    fn ring(&mut self, cx: &mut Context<'_>) -> Step {
        let now = Instant::now();
        if self.leaving_until.is_some_and(|until| until <= now) {
            return Err(LinkEnd::Closed);
        }
        if self.lost_until.is_some_and(|until| until <= now) {
            return Err(LinkEnd::Lost);
        }
        self.shared.with(|inner, wakes| inner.sweep(now, wakes));
        if self.line.is_none() {
            return Ok(());
        }
        let events = &mut self.events;
        let result = self.shared.with(|inner, wakes| {
            let result = inner.session.on_timeout(now.into_std(), events);
            sort(inner, events, wakes);
            result
        });
        self.work_off(result, cx)
    }
}

/// What concerns those who ask is heeded at once; the rest stays, in order.
fn sort(inner: &mut Inner, events: &mut Vec<Event>, wakes: &mut Wakes) {
    let is_other = |event: &Event| !Inner::heeds(event);
    if !events.iter().all(is_other) {
        for event in events.extract_if(.., |event| Inner::heeds(event)) {
            inner.heed(event, wakes);
        }
    }
    inner.heed_granted(wakes);
}

impl Driver {
    /// Nobody waits for the session any more. What its peer did wrong is still said.
    fn finish(&mut self, end: LinkEnd) {
        self.has_ended = true;
        match &mut self.line {
            Some(line) if matches!(end, LinkEnd::Violation(_)) => {
                // All that is queued goes before it, and ends with the session.
                self.shared
                    .with(|inner, _| while inner.session.transmit(&mut line.output) > 0 {});
                self.parting_until = Some(Instant::now() + FAREWELL);
            }
            _ => self.line = None,
        }
        let text = end.to_string();
        let told = self.shared.with(|inner, _| inner.session.tells_at_gate());
        for tell in told {
            self.server.take(&self.shared, tell);
        }
        self.shared.finish(end);
        self.server.end();
        contain(|| tracing::debug!(target: "greenroom::remote", end = text, "a session ended"));
    }

    fn leave(&mut self) {
        if let Some(on_end) = self.on_end.take() {
            on_end();
        }
    }
}

impl Future for Driver {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        if !this.has_ended {
            // A turn has bounds of its own. The budget that a task has from its runtime would end
            // the handling of a batch in its midst, and have all that waits polled in vain.
            let turn = pin!(unconstrained(poll_fn(|cx| Poll::Ready(this.turn(cx)))));
            match turn.poll(cx) {
                Poll::Pending | Poll::Ready(Ok(())) => return Poll::Pending,
                Poll::Ready(Err(end)) => this.finish(end),
            }
        }
        let is_gone = this.part(cx);
        match this.server.poll_rest(cx) && is_gone {
            true => {
                this.leave();
                Poll::Ready(())
            }
            false => Poll::Pending,
        }
    }
}

impl Drop for Driver {
    /// Its runtime ends, or it panicked: others hear of it all the same.
    fn drop(&mut self) {
        if !self.has_ended {
            self.shared.finish(LinkEnd::Closed);
        }
        self.leave();
    }
}
