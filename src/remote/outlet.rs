//! What a handle sends by: one target of one session.

use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;

use super::carry::{Arrived, AskKey, Carry, Encode, Sort, Turn};
use super::catalog::Known;
use super::frame::TargetId;
use super::handler::BoxFuture;
use super::lease::Lease;
use super::lent::Passage;
use super::limits::ASK_LIMIT;
use super::remote_end::RemoteEnd;
use super::share::{Claim, Order, Sent, Shared};
use crate::actor::{Crossing, Refusal};

/// What a handle holds of its session.
#[derive(Clone)]
pub(crate) enum Hold {
    /// It keeps the session going: it was looked up.
    Lease(Arc<Lease>),
    /// It ends with the session, which the peer, or a link, keeps going.
    Guest(Arc<Shared>),
}

impl Hold {
    pub(super) fn shared(&self) -> &Arc<Shared> {
        match self {
            Self::Lease(lease) => lease.shared(),
            Self::Guest(shared) => shared,
        }
    }
}

/// One target of one session. Each look-up makes one, and each time that it is lent.
pub(super) struct Outlet {
    /// Before the hold: it is given back while the session lasts.
    claim: Claim,
    hold: Hold,
    /// The kinds of messages there, by their places here.
    kinds: Box<[Known]>,
    payload_bytes: usize,
}

impl Outlet {
    pub(super) fn new(claim: Claim, hold: Hold, kinds: Box<[Known]>) -> Self {
        let payload_bytes = hold.shared().payload_bytes;
        Self {
            claim,
            hold,
            kinds,
            payload_bytes,
        }
    }

    fn target(&self) -> TargetId {
        self.claim.target()
    }

    /// A message with handles in it, and what is lent with them.
    fn encode(&self, encode: &mut Encode<'_>) -> Result<(Bytes, Vec<TargetId>), Crossing> {
        let passage = Passage::new(self.hold.clone());
        let (payload, lent) = passage.pass(|| encode(self.payload_bytes));
        match payload {
            Ok(payload) => Ok((payload, lent)),
            Err(crossing) => {
                self.hold.shared().take_back(lent);
                Err(crossing)
            }
        }
    }

    /// The first attempt: encodes, and sends or takes a place in the line.
    fn begin(
        &self,
        turn: &mut Turn,
        cx: &Context<'_>,
        kind: usize,
        sort: Sort,
        encode: &mut Encode<'_>,
    ) -> Poll<Result<AskKey, Refusal>> {
        let Known { kind, lends } = &self.kinds[kind];
        let kind = match kind {
            Ok(kind) => *kind,
            Err(mismatch) => {
                let mismatch = Crossing::SchemaMismatch(mismatch.clone());
                return Poll::Ready(Err(Refusal::Crossing(mismatch)));
            }
        };
        // User code, outside of the lock.
        let encoded = match lends {
            false => encode(self.payload_bytes).map(|payload| (payload, Vec::new())),
            true => self.encode(encode),
        };
        let (payload, lent) = encoded.map_err(Refusal::Crossing)?;
        let order = Order {
            kind,
            sort,
            payload,
            lent,
        };
        let target = self.target();
        let shared = self.hold.shared();
        let mut asker = match sort {
            Sort::Ask { is_awaited, .. } => is_awaited.then(|| cx.waker().clone()),
            Sort::Tell => None,
        };
        match shared.act(|inner, _| inner.send(target, order, &mut asker)) {
            Sent::Parked(number) => {
                turn.0 = number;
                self.look(turn, cx)
            }
            sent => settle(turn, sent),
        }
    }

    /// What became of what waits for room.
    fn look(&self, turn: &mut Turn, cx: &Context<'_>) -> Poll<Result<AskKey, Refusal>> {
        let (target, number) = (self.target(), turn.0);
        let shared = self.hold.shared();
        let sent = shared.poll(cx.waker(), |inner, asker| inner.look(target, number, asker));
        settle(turn, ready!(sent))
    }
}

fn settle(turn: &mut Turn, sent: Sent) -> Poll<Result<AskKey, Refusal>> {
    turn.0 = 0;
    Poll::Ready(match sent {
        Sent::Asked(key) => Ok(key),
        Sent::Told => Ok(NO_ASK),
        Sent::Refused(crossing) => Err(Refusal::Crossing(crossing)),
        Sent::Overdue => Err(Refusal::Timeout(ASK_LIMIT)),
        Sent::Parked(number) => {
            turn.0 = number;
            return Poll::Pending;
        }
    })
}

/// Names none: there are not so many at a time.
const NO_ASK: AskKey = AskKey(u64::MAX);

impl Carry for Outlet {
    fn passage(&self, kind: usize) -> Option<Passage> {
        let lends = self.kinds[kind].lends;
        lends.then(|| Passage::new(self.hold.clone()))
    }

    fn target_in(&self, shared: &Arc<Shared>) -> Option<TargetId> {
        Arc::ptr_eq(shared, self.hold.shared()).then(|| self.target())
    }

    fn poll_send(
        &self,
        turn: &mut Turn,
        cx: &mut Context<'_>,
        kind: usize,
        sort: Sort,
        encode: &mut Encode<'_>,
    ) -> Poll<Result<AskKey, Refusal>> {
        if *turn == Turn::default() {
            return self.begin(turn, cx, kind, sort, encode);
        }
        self.look(turn, cx)
    }

    fn withdraw(&self, turn: &mut Turn) -> Option<AskKey> {
        if *turn == Turn::default() {
            return None;
        }
        let number = std::mem::take(turn).0;
        let target = self.target();
        let shared = self.hold.shared();
        match shared.act(|inner, wakes| inner.withdraw(target, number, wakes))? {
            Sent::Asked(key) => Some(key),
            Sent::Told => Some(NO_ASK),
            Sent::Refused(_) | Sent::Overdue | Sent::Parked(_) => None,
        }
    }

    fn poll_reply(&self, ask: AskKey, cx: &mut Context<'_>) -> Poll<Arrived> {
        let shared = self.hold.shared();
        shared.poll(cx.waker(), |inner, asker| inner.reply(ask, asker))
    }

    fn forget(&self, ask: AskKey) {
        let target = self.target();
        let shared = self.hold.shared();
        shared.act(|inner, wakes| inner.forget(target, ask, wakes));
    }

    fn watch(&self) -> BoxFuture<RemoteEnd> {
        let target = self.target();
        let shared = self.hold.shared();
        let end = shared.act(|inner, _| inner.watch(target));
        Box::pin(async move {
            match end {
                Some(end) => end.await,
                None => RemoteEnd::Unknown,
            }
        })
    }
}
