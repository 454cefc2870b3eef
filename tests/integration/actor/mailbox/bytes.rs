//! The bound of bytes.

use greenroom::{Builder, SpawnErrorKind};

use super::depot::{Depot, busy_one, handled};
use crate::actor::support::{Ledger, assert_at_rest, on_each_runtime, poll_once, within};

fn small() -> Builder<Depot> {
    Builder::new(Depot).mailbox(100).mailbox_bytes(1000)
}

#[test]
fn what_is_queued_counts_no_more_bytes_than_the_bound_and_the_next_waits() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (depot, gate) = busy_one(small(), &ledger).await;
        let send = |index, size| depot.weighed(vec![0; size], ledger.note(0, index)).tell();
        send(0, 600).await.unwrap();
        send(1, 400).await.unwrap();
        depot.file(ledger.note(0, 2)).tell().await.unwrap();
        assert_eq!(depot.mailbox().bytes, 1000);
        let mut large = Box::pin(send(3, 500));
        let mut small = Box::pin(send(4, 1));
        assert!(poll_once(&mut large).await.is_pending());
        assert!(poll_once(&mut small).await.is_pending());
        let refused = depot.weighed(vec![0], ledger.note(1, 0)).try_tell();
        let error = refused.unwrap_err();
        assert!(error.is_full());
        error.into_message().note.returned();
        assert_eq!(depot.free_slots(), 97);
        gate.open();
        within(large).await.unwrap();
        within(small).await.unwrap();
        within(depot.shutdown()).await;
        assert_eq!(handled(&ledger, 0), [0, 1, 2, 3, 4]);
        assert_eq!(depot.mailbox().bytes, 0);
        ledger.settle();
        assert_at_rest(&depot);
    });
}

#[test]
fn a_message_larger_than_the_bound_gets_in_alone() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (depot, gate) = busy_one(small(), &ledger).await;
        depot
            .weighed(vec![0; 5000], ledger.note(0, 0))
            .tell()
            .await
            .unwrap();
        assert_eq!(depot.mailbox().bytes, 1000);
        let mut next = Box::pin(depot.weighed(vec![0; 5000], ledger.note(0, 1)));
        assert!(poll_once(&mut next).await.is_pending());
        assert_eq!(depot.waiting_senders(), 1);
        gate.open();
        assert_eq!(within(next).await.unwrap(), 5000);
        ledger.settle();
        assert_at_rest(&depot);
    });
}

#[test]
fn bulky_messages_that_may_be_dropped_make_room_for_each_other() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (depot, gate) = busy_one(small(), &ledger).await;
        for index in 0..50 {
            let send = depot.bulky(vec![0; 300], ledger.note(0, index)).tell();
            send.await.unwrap();
        }
        let metrics = depot.mailbox();
        assert_eq!((metrics.used, metrics.bytes, metrics.dropped), (3, 900, 47));
        gate.open();
        within(depot.shutdown()).await;
        assert_eq!(handled(&ledger, 0), [47, 48, 49]);
        assert_eq!(ledger.settle().discarded, 47);
        assert_at_rest(&depot);
    });
}

#[test]
fn a_bound_of_no_bytes_is_refused_and_the_actor_handed_back() {
    on_each_runtime(|| async {
        let error = Builder::new(Depot)
            .mailbox_bytes(0)
            .try_spawn()
            .unwrap_err();
        assert_eq!(error.kind(), SpawnErrorKind::MailboxBytes);
        assert_eq!(
            error.to_string(),
            "a mailbox needs room for at least one byte"
        );
        let Depot = error.into_actor();
    });
}
