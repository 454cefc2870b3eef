//! What a handle sends by: one target of one session.

use std::sync::Arc;
use std::task::{Context, Poll};

use super::carry::{Arrived, AskKey, Carry, Encode, Sort, Turn};
use super::frame::{KindId, TargetId};
use super::handler::BoxFuture;
use super::lease::Lease;
use super::remote_end::RemoteEnd;
use super::share::{Claim, Order, Sent};
use crate::actor::{Crossing, SchemaMismatch};

/// One target of one session, which keeps the session going. Each look-up makes one.
pub(super) struct Outlet {
    /// Before the lease: it is given back while the session lasts.
    claim: Claim,
    lease: Arc<Lease>,
    /// The kinds of messages there, by their places here.
    kinds: Box<[Result<KindId, Box<SchemaMismatch>>]>,
    payload_bytes: usize,
}

impl Outlet {
    pub(super) fn new(
        claim: Claim,
        lease: Arc<Lease>,
        kinds: Box<[Result<KindId, Box<SchemaMismatch>>]>,
    ) -> Self {
        let payload_bytes = lease.shared().payload_bytes;
        Self {
            claim,
            lease,
            kinds,
            payload_bytes,
        }
    }

    fn target(&self) -> TargetId {
        self.claim.target()
    }

    /// The first attempt: encodes, and sends or takes a place in the line.
    fn begin(
        &self,
        turn: &mut Turn,
        cx: &Context<'_>,
        kind: usize,
        sort: Sort,
        encode: &mut Encode<'_>,
    ) -> Poll<Result<AskKey, Crossing>> {
        let kind = match &self.kinds[kind] {
            Ok(kind) => *kind,
            Err(mismatch) => {
                return Poll::Ready(Err(Crossing::SchemaMismatch(mismatch.clone())));
            }
        };
        let payload = encode(self.payload_bytes)?; // user code, outside of the lock
        let order = Order {
            kind,
            sort,
            payload,
        };
        let target = self.target();
        let shared = self.lease.shared();
        let sent = shared.act(|inner, _| inner.send(target, order, cx.waker()));
        settle(turn, sent)
    }
}

fn settle(turn: &mut Turn, sent: Sent) -> Poll<Result<AskKey, Crossing>> {
    turn.0 = 0;
    Poll::Ready(match sent {
        Sent::Asked(key) => Ok(key),
        Sent::Told => Ok(NO_ASK),
        Sent::Refused(crossing) => Err(crossing),
        Sent::Parked(number) => {
            turn.0 = number;
            return Poll::Pending;
        }
    })
}

/// Names none: there are not so many at a time.
const NO_ASK: AskKey = AskKey(u64::MAX);

impl Carry for Outlet {
    fn poll_send(
        &self,
        turn: &mut Turn,
        cx: &mut Context<'_>,
        kind: usize,
        sort: Sort,
        encode: &mut Encode<'_>,
    ) -> Poll<Result<AskKey, Crossing>> {
        if *turn == Turn::default() {
            return self.begin(turn, cx, kind, sort, encode);
        }
        let (target, number) = (self.target(), turn.0);
        let shared = self.lease.shared();
        match shared.with(|inner, _| inner.look(target, number, cx.waker())) {
            Some(sent) => settle(turn, sent),
            None => Poll::Pending,
        }
    }

    fn withdraw(&self, turn: &mut Turn) -> Option<AskKey> {
        if *turn == Turn::default() {
            return None;
        }
        let number = std::mem::take(turn).0;
        let target = self.target();
        let shared = self.lease.shared();
        match shared.act(|inner, wakes| inner.withdraw(target, number, wakes))? {
            Sent::Asked(key) => Some(key),
            Sent::Told => Some(NO_ASK),
            Sent::Refused(_) | Sent::Parked(_) => None,
        }
    }

    fn poll_reply(&self, ask: AskKey, cx: &mut Context<'_>) -> Poll<Arrived> {
        let shared = self.lease.shared();
        match shared.with(|inner, _| inner.reply(ask, cx.waker())) {
            Some(arrived) => Poll::Ready(arrived),
            None => Poll::Pending,
        }
    }

    fn forget(&self, ask: AskKey) {
        let target = self.target();
        let shared = self.lease.shared();
        shared.act(|inner, wakes| inner.forget(target, ask, wakes));
    }

    fn watch(&self) -> BoxFuture<RemoteEnd> {
        let target = self.target();
        let shared = self.lease.shared();
        let end = shared.act(|inner, _| inner.watch(target));
        Box::pin(async move {
            match end {
                Some(end) => end.await,
                None => RemoteEnd::Unknown,
            }
        })
    }
}
