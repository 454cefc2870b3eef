//! Slots that are held come back, or are no longer needed, however that happens.

use std::sync::Arc;
use std::task::{Context, Wake, Waker};
use std::time::Duration;

use greenroom::{Handle, Permit, Refusal, Reserve};

use crate::actor::clerk::{Clerk, ClerkFile, ClerkHandle, ClerkPing, busy_clerk, clerk};
use crate::actor::support::{
    BUSY, Gate, Ledger, assert_at_rest, on_each_runtime, poll_once, within,
};

/// Ways in which a slot that is held comes back.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Return {
    Drop,
    Use,
    Cancel,
    Granted,
    Panic,
}

/// Stops the actor while slots are held or waited for: it ends, however they come back.
async fn end_with(way: Return) {
    let ledger = Ledger::default();
    let (clerk, gate) = busy_clerk(4, ledger.note(BUSY, 0)).await;
    let weak = clerk.downgrade();
    for index in 0..2 {
        clerk.file(ledger.note(0, index)).tell().await.unwrap();
    }
    let held = clerk.try_reserve().unwrap();
    let mut waiting = Box::pin(clerk.reserve_many(4));
    assert!(poll_once(&mut waiting).await.is_pending());
    clerk.stop();
    match way {
        Return::Drop => drop((held, waiting)),
        Return::Use => {
            let error = held
                .tell(ClerkFile {
                    note: ledger.note(0, 2),
                })
                .unwrap_err();
            assert!(matches!(error.refusal(), Refusal::Ended(_)));
            error.into_message().note.returned();
            assert!(within(waiting).await.is_err());
        }
        Return::Cancel => {
            drop(waiting);
            let error = held
                .enqueue(ClerkFile {
                    note: ledger.note(0, 2),
                })
                .unwrap_err();
            error.into_message().note.returned();
        }
        Return::Granted => {
            assert!(within(waiting).await.is_err());
            drop(held);
        }
        Return::Panic => {
            let held = held.into_owned();
            let task = greenroom::spawn(async move {
                let _held = held;
                panic!("with a permit");
            });
            assert!(within(task).await.is_err());
            drop(waiting);
        }
    }
    gate.open();
    assert!(within(weak.join()).await.is_normal(), "{way:?}");
    assert_eq!(clerk.mailbox().used, 0, "{way:?}");
    assert_eq!(ledger.settle().handled, 3, "{way:?}");
}

#[test]
fn field_20_an_actor_ends_by_itself_however_its_reserved_slots_come_back() {
    on_each_runtime(|| async {
        let ways = [
            Return::Drop,
            Return::Use,
            Return::Cancel,
            Return::Granted,
            Return::Panic,
        ];
        for way in ways {
            within(end_with(way)).await;
        }
    });
}

#[test]
fn field_20_an_actor_ends_while_its_slots_are_still_held() {
    on_each_runtime(|| async {
        let clerk = clerk(2);
        let permit = clerk.try_reserve().unwrap().into_owned();
        assert!(within(clerk.shutdown()).await.is_normal());
        drop(permit);
        assert_at_rest(&clerk);
    });
}

#[test]
fn field_19_reservations_that_are_held_show_and_a_tell_with_a_limit_fails_cleanly() {
    on_each_runtime(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(2));
        let idle = [clerk.try_reserve().unwrap(), clerk.try_reserve().unwrap()];
        assert_eq!(clerk.mailbox().reserved, 2);
        for index in 0..10 {
            let tell = clerk.file(ledger.note(0, index)).tell();
            let error = within(tell.timeout(Duration::from_millis(1)))
                .await
                .unwrap_err();
            assert!(matches!(error.refusal(), Refusal::Timeout(_)));
            error.into_message().note.returned();
        }
        assert_eq!(clerk.waiting_senders(), 0);
        drop(idle);
        for index in 10..20 {
            within(clerk.file(ledger.note(0, index)).tell())
                .await
                .unwrap();
        }
        within(clerk.ping()).await.unwrap();
        assert_at_rest(&clerk);
        let tally = ledger.settle();
        assert_eq!((tally.handled, tally.returned), (10, 10));
    });
}

#[test]
fn two_that_reserve_slots_of_each_others_full_mailboxes_are_a_circle() {
    on_each_runtime(|| async {
        let [left, right] = [Pair::idle(), Pair::idle()].map(|pair| pair.spawn());
        let gates = [Gate::shut(), Gate::shut()];
        left.fill(right.clone(), gates[0].clone())
            .tell()
            .await
            .unwrap();
        right
            .fill(left.clone(), gates[1].clone())
            .tell()
            .await
            .unwrap();
        for gate in &gates {
            gate.reached().await;
        }
        for pair in [&left, &right] {
            pair.note().tell().await.unwrap();
        }
        gates.iter().for_each(Gate::open);
        let mut failed = 0;
        for pair in [left, right] {
            failed += u32::from(within(pair.failed()).await.unwrap());
        }
        assert_eq!(failed, 1);
    });
}

/// Reserves a slot of another, with all of its own in use.
#[greenroom::actor(mailbox = 1)]
struct Pair {
    has_failed: bool,
}

#[greenroom::actor]
impl Pair {
    async fn fill(&mut self, other: PairHandle, gate: Gate) {
        gate.pass().await;
        match other.reserve().await {
            Ok(permit) => permit.tell(PairNote).unwrap(),
            Err(error) => {
                assert!(matches!(error.refusal(), Refusal::Deadlock(_)));
                self.has_failed = true;
            }
        }
    }

    fn note(&self) {}

    fn failed(&self) -> bool {
        self.has_failed
    }
}

impl Pair {
    fn idle() -> Self {
        Self { has_failed: false }
    }
}

/// A waker that reserves, and drops what it got, when it is dropped.
struct Meddler(ClerkHandle);

impl Wake for Meddler {
    fn wake(self: Arc<Self>) {}
}

impl Drop for Meddler {
    fn drop(&mut self) {
        drop(self.0.try_reserve());
        let _ = self.0.try_tell(ClerkPing);
    }
}

#[test]
fn field_26_a_waker_that_sends_when_it_is_replaced_or_dropped_does_no_harm_to_a_reservation() {
    on_each_runtime(|| async {
        let clerk = clerk(1);
        let permit = clerk.try_reserve().unwrap();
        let mut reserve: std::pin::Pin<Box<Reserve<'_, Permit<'_, Clerk>>>> =
            Box::pin(Handle::reserve(&clerk));
        for _ in 0..2 {
            let meddler = Waker::from(Arc::new(Meddler(clerk.clone())));
            let polled = reserve.as_mut().poll(&mut Context::from_waker(&meddler));
            assert!(polled.is_pending());
        }
        drop(permit);
        drop(within(reserve).await.unwrap());
        within(clerk.ping()).await.unwrap();
        assert_at_rest(&clerk);
    });
}
