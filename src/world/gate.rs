//! Who is let into a world, and who has it to itself.

#[cfg(all(test, greenroom_loom))]
mod loom;

use std::mem;
use std::task::{Context, Poll, Waker};

use crate::contain::contain;
use crate::sync::Mutex;

/// A world, and what there is of it beside: `B`.
///
/// | gate | who comes from outside | who comes from inside | the world |
/// | --- | --- | --- | --- |
/// | open | is let in | is let in | lies here |
/// | closed | waits | is let in | is with who has closed it |
/// | ended | is refused | is refused | is gone, or empty |
///
/// Who is let in is in flight until it lands. Who has closed the gate has the world to itself once
/// nothing is: from inside comes only who is let in by something in flight.
///
/// No code of users runs under the lock: wakers are cloned and woken, and what is dropped is
/// dropped, without it.
pub(super) struct Gate<W, B>(Mutex<Inner<W, B>>);

struct Inner<W, B> {
    state: State,
    in_flight: usize,
    /// Who waits for the gate to open.
    outside: Vec<Waker>,
    /// Who has closed it, and waits until nothing is in flight.
    settling: Option<Waker>,
    world: Option<W>,
    beside: B,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Closed,
    Ended,
}

/// What becomes of who wants to be let in.
pub(super) enum Entry<T> {
    /// It waits, if it has a waker.
    Wait,
    /// It is not let in: the world has ended.
    Refused,
    /// It is in flight. Whoever gets this lets it [land](Gate::land).
    In(T),
}

impl<W, B> Gate<W, B> {
    pub(super) fn new(world: W, beside: B) -> Self {
        Self(Mutex::new(Inner {
            state: State::Open,
            in_flight: 0,
            outside: Vec::new(),
            settling: None,
            world: Some(world),
            beside,
        }))
    }

    /// Looks at what is beside the world; with whether the world has ended.
    pub(super) fn with<T>(&self, look: impl FnOnce(&mut B, bool) -> T) -> T {
        let inner = &mut *self.0.lock();
        look(&mut inner.beside, inner.state == State::Ended)
    }

    /// Lets who wants to in, and looks at what is beside the world at that moment.
    pub(super) fn enter<T>(
        &self,
        is_inside: bool,
        waker: Option<&Waker>,
        look: impl FnOnce(&mut B) -> T,
    ) -> Entry<T> {
        // What is left of it goes after the lock.
        let mut own = None;
        let mut inner = self.0.lock();
        if inner.keeps_out(is_inside)
            && let Some(waker) = waker
        {
            drop(inner);
            own = Some(waker.clone());
            inner = self.0.lock();
        }
        if inner.keeps_out(is_inside) {
            inner.wait(&mut own);
            return Entry::Wait;
        }
        if inner.state == State::Ended {
            return Entry::Refused;
        }
        inner.in_flight += 1;
        Entry::In(look(&mut inner.beside))
    }

    /// Something that was in flight is so no more.
    pub(super) fn land(&self, look: impl FnOnce(&mut B)) {
        let settled = {
            let mut inner = self.0.lock();
            inner.in_flight -= 1;
            look(&mut inner.beside);
            let is_settled = inner.in_flight == 0;
            inner.settling.take_if(|_| is_settled)
        };
        wake(settled);
    }

    /// Closes the gate, and takes the world out: none if it has ended.
    pub(super) fn poll_close(&self, cx: &mut Context<'_>) -> Poll<Option<W>> {
        let mut own = Some(cx.waker().clone());
        let mut inner = self.0.lock();
        let closed = inner.close();
        if closed.is_pending() {
            inner.wait(&mut own);
        }
        drop(inner);
        closed
    }

    /// The same, if nothing is in flight and nobody else has closed it.
    pub(super) fn try_close<T>(&self, busy: impl FnOnce(&B) -> T) -> Result<Option<W>, T> {
        let mut inner = self.0.lock();
        if inner.in_flight == 0
            && let Poll::Ready(world) = inner.close()
        {
            return Ok(world);
        }
        Err(busy(&inner.beside))
    }

    /// Waits until nothing is in flight: for who has closed the gate.
    pub(super) fn poll_settled(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut own = Some(cx.waker().clone());
        let mut inner = self.0.lock();
        if inner.in_flight == 0 {
            return Poll::Ready(());
        }
        mem::swap(&mut inner.settling, &mut own);
        Poll::Pending
    }

    pub(super) fn is_settled(&self) -> bool {
        self.0.lock().in_flight == 0
    }

    /// Opens the gate, and looks at what is beside the world; with whether that has ended.
    pub(super) fn open<T>(&self, world: W, look: impl FnOnce(&mut B, bool) -> T) -> T {
        let (looked, outside, gone) = {
            let inner = &mut *self.0.lock();
            let has_ended = inner.state == State::Ended;
            if !has_ended {
                inner.state = State::Open;
            }
            let gone = inner.world.replace(world);
            let looked = look(&mut inner.beside, has_ended);
            (looked, mem::take(&mut inner.outside), gone)
        };
        wake(outside);
        contain(|| drop(gone));
        looked
    }

    /// Ends the world: nobody is let in any more. Gives the world, unless somebody has it.
    pub(super) fn end<T>(&self, look: impl FnOnce(&mut B) -> T) -> (Option<W>, T) {
        let (ended, outside) = {
            let inner = &mut *self.0.lock();
            inner.state = State::Ended;
            let ended = (inner.world.take(), look(&mut inner.beside));
            (ended, mem::take(&mut inner.outside))
        };
        wake(outside);
        ended
    }
}

impl<W, B> Inner<W, B> {
    fn keeps_out(&self, is_inside: bool) -> bool {
        self.state == State::Closed && !is_inside
    }

    /// Takes the waker, unless it is known.
    fn wait(&mut self, waker: &mut Option<Waker>) {
        let known = &mut self.outside;
        known.extend(waker.take_if(|waker| !known.iter().any(|known| known.will_wake(waker))));
    }

    fn close(&mut self) -> Poll<Option<W>> {
        match self.state {
            State::Open => self.state = State::Closed,
            State::Closed => return Poll::Pending,
            // There is nothing any more: neither to be kept out, nor to be forked.
            State::Ended => {}
        }
        Poll::Ready(self.world.take())
    }
}

/// Wakers are code of users.
fn wake(wakers: impl IntoIterator<Item = Waker>) {
    for waker in wakers {
        contain(|| waker.wake());
    }
}
