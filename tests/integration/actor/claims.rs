//! Claims of the docs that it took a closer look to break.

use std::sync::{Arc, Mutex};

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use greenroom::{Context, actor};

use super::clerk::{ClerkFile, busy_clerk, clerk};
use super::support::{BUSY, Ledger, assert_at_rest, on_each_runtime, poll_once, until, within};

#[test]
fn a_send_first_polled_without_a_budget_is_before_those_polled_after_it() {
    on_each_runtime(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(4));
        while poll_once(&mut Box::pin(tokio::task::consume_budget()))
            .await
            .is_ready()
        {}
        let mut first = Box::pin(clerk.file(ledger.note(0, 0)).tell());
        let _ = poll_once(&mut first).await;
        clerk
            .try_tell(ClerkFile {
                note: ledger.note(0, 1),
            })
            .unwrap();
        within(first).await.unwrap();
        within(clerk.ping()).await.unwrap();
        assert_eq!(ledger.journal(), [(0, 0), (0, 1)]);
        assert_at_rest(&clerk);
        ledger.settle();
    });
}

#[test]
fn a_send_first_polled_without_a_budget_has_its_place_in_the_line() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
        clerk
            .try_tell(ClerkFile {
                note: ledger.note(0, 0),
            })
            .unwrap();
        while poll_once(&mut Box::pin(tokio::task::consume_budget()))
            .await
            .is_ready()
        {}
        let mut waits = Box::pin(clerk.file(ledger.note(0, 1)).tell());
        assert!(poll_once(&mut waits).await.is_pending());
        let line = clerk.waiting_senders();
        gate.open();
        within(waits).await.unwrap();
        within(clerk.ping()).await.unwrap();
        assert_at_rest(&clerk);
        ledger.settle();
        assert_eq!(line, 1, "it was polled, and its message is nowhere");
    });
}

/// Lends a handle to itself out in its stop hook.
#[actor]
struct Lender {
    lent: Arc<Mutex<Option<LenderHandle>>>,
}

#[actor]
impl Lender {
    #[on(stop)]
    fn end(&mut self, ctx: &mut Context<Self>) {
        *self.lent.lock().unwrap() = Some(ctx.handle());
    }
}

#[test]
fn after_the_last_handle_has_gone_there_is_none_even_if_the_actor_makes_one_of_itself() {
    on_each_runtime(|| async {
        let lent = Arc::default();
        let lender = Lender {
            lent: Arc::clone(&lent),
        }
        .spawn();
        let weak = lender.downgrade();
        drop(lender);
        within(weak.join()).await;
        until(|| lent.lock().unwrap().is_some()).await;
        let upgraded = weak.upgrade().is_some();
        drop(lent.lock().unwrap().take());
        assert!(!upgraded, "an actor that has ended was upgraded");
    });
}

#[test]
fn a_thousand_sends_that_one_task_polls_in_order_are_handled_in_order() {
    on_each_runtime(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(1024));
        let sends = (0..1_000).map(|index| clerk.file(ledger.note(0, index)).tell());
        let mut sends: FuturesUnordered<_> = sends.collect();
        while let Some(sent) = within(sends.next()).await {
            sent.unwrap();
        }
        within(clerk.ping()).await.unwrap();
        assert_eq!(ledger.handled_without_gaps(0), 1_000);
        assert_at_rest(&clerk);
        ledger.settle();
    });
}
