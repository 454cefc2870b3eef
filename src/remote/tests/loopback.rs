//! A link to an actor of the same process, which can be filled and cut.

use std::collections::HashMap;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use tokio::time::Instant;

use crate::actor::{Crossing, Refusal, SchemaMismatch};
use crate::remote::carry::{Arrived, AskKey, Carry, Encode, Sort, Turn};
use crate::remote::failure::Failure;
use crate::remote::handler::{Answer, BoxFuture};
use crate::remote::remote_end::RemoteEnd;
use crate::remote::target::Target;
use crate::sync::Mutex;

/// The most bytes of a message or a reply.
pub(super) const LIMIT: usize = 1000;

pub(super) struct Loopback {
    target: Arc<dyn Target>,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    room: usize,
    is_cut: bool,
    mismatch: Option<Box<SchemaMismatch>>,
    last: u64,
    asks: HashMap<u64, Pending>,
    tells: Vec<BoxFuture<Option<Failure>>>,
    waiters: HashMap<u64, Waker>,
    deadlines: Vec<Option<Instant>>,
    /// Messages go nowhere.
    is_mute: bool,
    forgotten: usize,
}

enum Pending {
    Running(BoxFuture<Answer>, Waker),
    Done(Arrived),
}

impl Loopback {
    pub(super) fn new(target: Arc<dyn Target>, room: usize) -> Self {
        let inner = Inner {
            room,
            ..Inner::default()
        };
        Self {
            target,
            inner: Mutex::new(inner),
        }
    }

    pub(super) fn cut(&self) {
        let mut inner = self.inner.lock();
        inner.is_cut = true;
        let asks = inner.asks.values_mut();
        let lost = asks.map(|ask| std::mem::replace(ask, Pending::Done(Arrived::Lost)));
        let lost: Vec<_> = lost.collect();
        let waiters = std::mem::take(&mut inner.waiters);
        drop(inner);
        for ask in lost {
            if let Pending::Running(_, waker) = ask {
                waker.wake();
            }
        }
        waiters.into_values().for_each(Waker::wake);
    }

    pub(super) fn mismatch(&self, mismatch: Box<SchemaMismatch>) {
        self.inner.lock().mismatch = Some(mismatch);
    }

    /// From now on nothing arrives.
    pub(super) fn mute(&self) {
        self.inner.lock().is_mute = true;
    }

    /// Makes room for one more.
    pub(super) fn widen(&self) {
        let mut inner = self.inner.lock();
        inner.room += 1;
        let waiters = std::mem::take(&mut inner.waiters);
        drop(inner);
        waiters.into_values().for_each(Waker::wake);
    }

    /// Those that wait for room, and those that wait for a reply.
    pub(super) fn waiting(&self) -> (usize, usize) {
        let inner = self.inner.lock();
        (inner.waiters.len(), inner.asks.len())
    }

    pub(super) fn forgotten(&self) -> usize {
        self.inner.lock().forgotten
    }

    /// Of the asks so far.
    pub(super) fn deadlines(&self) -> Vec<Option<Instant>> {
        self.inner.lock().deadlines.clone()
    }
}

impl Carry for Loopback {
    fn poll_send(
        &self,
        turn: &mut Turn,
        cx: &mut Context<'_>,
        kind: usize,
        sort: Sort,
        encode: &mut Encode<'_>,
    ) -> Poll<Result<AskKey, Refusal>> {
        let key = {
            let mut inner = self.inner.lock();
            inner.last += 1;
            let key = inner.last;
            if inner.is_cut {
                return Poll::Ready(Err(Refusal::Crossing(Crossing::LinkEnded)));
            }
            if let Some(mismatch) = &inner.mismatch {
                let mismatch = Crossing::SchemaMismatch(mismatch.clone());
                return Poll::Ready(Err(Refusal::Crossing(mismatch)));
            }
            if inner.room == 0 {
                turn.0 = if turn.0 == 0 { key } else { turn.0 };
                inner.waiters.insert(turn.0, cx.waker().clone());
                return Poll::Pending;
            }
            inner.room -= 1;
            key
        };
        *turn = Turn::default();
        let payload = match encode(LIMIT) {
            Ok(payload) => payload,
            Err(crossing) => {
                self.widen();
                return Poll::Ready(Err(Refusal::Crossing(crossing)));
            }
        };
        let mut noop = Context::from_waker(Waker::noop());
        match sort {
            Sort::Ask {
                deadline,
                is_awaited,
            } => {
                let is_mute = self.inner.lock().is_mute;
                let pending = match self.target.ask(kind, payload, deadline, LIMIT) {
                    Ok(_) if is_mute => run(Box::pin(std::future::pending()), &mut noop),
                    Err(failure) => Pending::Done(Arrived::Failed(failure)),
                    Ok(future) => run(future, &mut noop),
                };
                let mut inner = self.inner.lock();
                inner.deadlines.push(deadline);
                inner.asks.insert(key, pending);
                if is_awaited {
                    cx.waker().wake_by_ref(); // to look for itself
                }
            }
            Sort::Tell => {
                let waits = self.target.tell(kind, payload).expect("a tell");
                let mut waits = waits.into_iter();
                if let Some(mut future) = waits.next()
                    && future.as_mut().poll(&mut noop).is_pending()
                {
                    self.inner.lock().tells.push(future);
                }
            }
        }
        Poll::Ready(Ok(AskKey(key)))
    }

    fn withdraw(&self, turn: &mut Turn) -> Option<AskKey> {
        self.inner.lock().waiters.remove(&turn.0);
        None
    }

    fn watch(&self) -> BoxFuture<RemoteEnd> {
        Box::pin(std::future::pending())
    }

    fn poll_reply(&self, ask: AskKey, cx: &mut Context<'_>) -> Poll<Arrived> {
        let pending = self
            .inner
            .lock()
            .asks
            .remove(&ask.0)
            .expect("an ask that was sent");
        let pending = match pending {
            Pending::Running(future, _) => run(future, cx),
            done @ Pending::Done(_) => done,
        };
        match pending {
            Pending::Done(arrived) => {
                self.widen();
                Poll::Ready(arrived)
            }
            running @ Pending::Running(..) => {
                self.inner.lock().asks.insert(ask.0, running);
                Poll::Pending
            }
        }
    }

    fn forget(&self, ask: AskKey) {
        let forgotten = self.inner.lock().asks.remove(&ask.0);
        self.inner.lock().forgotten += usize::from(forgotten.is_some());
        drop(forgotten);
        self.widen();
    }
}

fn run(mut future: BoxFuture<Answer>, cx: &mut Context<'_>) -> Pending {
    match future.as_mut().poll(cx) {
        Poll::Pending => Pending::Running(future, cx.waker().clone()),
        Poll::Ready(Answer::Reply(payload)) => Pending::Done(Arrived::Reply(payload)),
        Poll::Ready(Answer::Failed(failure)) => Pending::Done(Arrived::Failed(failure)),
    }
}
