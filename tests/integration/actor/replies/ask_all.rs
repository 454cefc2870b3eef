//! Many asks at once.

use std::task::Poll;
use std::time::Duration;

use greenroom::{AskError, Context, ExitReason, Refusal, actor, ask_all};

use super::{ASKING, DeskHandle, desk};
use crate::actor::support::{
    Flavor, Gate, Ledger, assert_at_rest, on_each_runtime, on_runtime, poll_once, until, within,
};

#[tokio::test(start_paused = true)]
async fn field_68_each_target_has_its_result_in_its_place_whatever_becomes_of_the_others() {
    let ledger = Ledger::default();
    let [fine, slow, stopped, crashing] = [0, 1, 2, 3].map(desk);
    let gate = Gate::shut();
    let hold = slow.hold(ledger.note(0, 0), gate.clone()).enqueue();
    let held = within(hold).await.unwrap();
    gate.reached().await;
    stopped.stop();
    let crash = within(crashing.crash().enqueue()).await.unwrap();
    let (short, long) = (Duration::from_millis(10), Duration::from_secs(1));
    let requests = vec![
        fine.number().timeout(long),
        slow.number().timeout(short),
        stopped.number().timeout(long),
        crashing.number().timeout(long),
        fine.number().timeout(long),
        fine.number().timeout(long),
    ];
    let results = within(ask_all(requests)).await;
    assert_eq!(results.len(), 6);
    assert!(matches!(results[0], Ok(0)));
    assert!(matches!(&results[1], Err(AskError::Timeout(late)) if late.limit() == short));
    assert!(matches!(&results[2], Err(AskError::NotHandled(error))
        if matches!(error.refusal(), Refusal::Ended(ExitReason::Stopped))));
    assert!(matches!(&results[3], Err(AskError::NotHandled(error))
        if matches!(error.refusal(), Refusal::Ended(ExitReason::Panicked(_)))));
    assert!(matches!(results[4..], [Ok(0), Ok(0)]));
    assert!(within(crash).await.is_err());
    gate.open();
    assert_eq!(within(held).await.unwrap(), 1);
    assert_at_rest(&fine);
    ledger.settle();
}

#[test]
fn no_requests_give_no_results_at_once() {
    on_each_runtime(|| async {
        let none: [DeskHandle; 0] = [];
        let mut all = Box::pin(ask_all(none.iter().map(|desk| desk.number())));
        let polled = poll_once(&mut all).await;
        assert!(matches!(polled, Poll::Ready(results) if results.is_empty()));
    });
}

#[test]
fn all_are_queued_in_the_first_poll_and_none_runs_on_the_askers_stack() {
    on_each_runtime(|| async {
        let asking = ASKING.scope((), async {
            let desks = [1, 2, 3].map(desk);
            let results = ask_all(desks.iter().map(|desk| desk.inline())).await;
            assert!(matches!(results[..], [Ok(false), Ok(false), Ok(false)]));
        });
        within(asking).await;
    });
}

#[test]
fn a_full_mailbox_keeps_no_other_target_waiting() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (busy, idle, gate) = (desk(0), desk(1), Gate::shut());
        let hold = busy.hold(ledger.note(0, 0), gate.clone()).enqueue();
        let held = within(hold).await.unwrap();
        gate.reached().await;
        let one = busy.number().enqueue().await.unwrap();
        let two = busy.number().enqueue().await.unwrap();
        let requests = [&busy, &idle].map(|desk| desk.file(ledger.note(1 + desk_no(desk), 0)));
        let mut all = Box::pin(ask_all(requests));
        assert!(poll_once(&mut all).await.is_pending());
        assert_eq!(busy.waiting_senders(), 1);
        until(|| ledger.journal().contains(&(1 + desk_no(&idle), 0))).await;
        gate.open();
        let results = within(all).await;
        assert!(matches!(results[..], [Ok(0), Ok(1)]));
        for reply in [held, one, two] {
            within(reply).await.unwrap();
        }
        assert_at_rest(&busy);
        assert_eq!(ledger.settle().handled, 3);
    });
}

/// A number that differs between desks.
fn desk_no(desk: &DeskHandle) -> u32 {
    u32::try_from(greenroom::Handle::id(desk).as_u64()).unwrap()
}

#[test]
fn a_thousand_targets_answer_in_order() {
    on_each_runtime(|| async {
        let desks: Vec<_> = (0..1000).map(desk).collect();
        let results = within(ask_all(desks.iter().map(|desk| desk.number()))).await;
        assert_eq!(results.len(), 1000);
        for (number, result) in (0..).zip(results) {
            assert_eq!(result.unwrap(), number);
        }
        desks.iter().for_each(|desk| assert_at_rest(desk));
    });
}

#[test]
fn a_thousand_asks_of_one_small_mailbox_are_all_answered() {
    on_each_runtime(|| async {
        let (ledger, desk) = (Ledger::default(), desk(7));
        let requests = (0..1000).map(|index| desk.file(ledger.note(0, index)));
        let results = within(ask_all(requests)).await;
        assert_eq!(results.len(), 1000);
        assert!(results.into_iter().all(|result| matches!(result, Ok(7))));
        assert_at_rest(&desk);
        assert_eq!(ledger.handled_without_gaps(0), 1000);
        ledger.settle();
    });
}

#[test]
fn replies_that_are_on_their_way_are_taken_too() {
    on_each_runtime(|| async {
        let mut replies = Vec::new();
        for number in 0..5 {
            replies.push(desk(number).number().enqueue().await.unwrap());
        }
        let results = within(ask_all(replies)).await;
        let numbers: Vec<u32> = results.into_iter().map(Result::unwrap).collect();
        assert_eq!(numbers, [0, 1, 2, 3, 4]);
    });
}

#[test]
fn dropped_it_withdraws_what_waits_for_a_slot() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (busy, gate) = (desk(0), Gate::shut());
        let hold = busy.hold(ledger.note(0, 0), gate.clone()).enqueue();
        let held = within(hold).await.unwrap();
        gate.reached().await;
        let notes: Vec<_> = (0..40).map(|index| ledger.note(1, index)).collect();
        let mut all = Box::pin(ask_all(notes.into_iter().map(|note| busy.file(note))));
        assert!(poll_once(&mut all).await.is_pending());
        assert_eq!(busy.waiting_senders(), 38);
        drop(all);
        assert_eq!(busy.waiting_senders(), 0);
        gate.open();
        within(held).await.unwrap();
        within(busy.number()).await.unwrap();
        assert_at_rest(&busy);
        let tally = ledger.settle();
        // Two were queued, and are passed over.
        assert_eq!((tally.handled, tally.discarded), (1, 40));
    });
}

#[actor]
struct Head {
    desks: Vec<DeskHandle>,
}

#[actor]
impl Head {
    async fn sum(&mut self, ctx: &mut Context<Self>) -> u32 {
        let _ = ctx;
        let results = ask_all(self.desks.iter().map(|desk| desk.number())).await;
        results.into_iter().map(|result| result.unwrap()).sum()
    }
}

#[test]
fn a_handler_can_ask_many_at_once() {
    on_each_runtime(|| async {
        let head = Head {
            desks: (0..100).map(desk).collect(),
        };
        assert_eq!(within(head.spawn().sum()).await.unwrap(), 4950);
    });
}

#[test]
fn a_task_without_budget_has_all_its_asks_queued_in_the_first_poll_all_the_same() {
    on_runtime(Flavor::OneThread, || async {
        let task = greenroom::spawn(async {
            let desks: Vec<_> = (0..300).map(desk).collect();
            while tokio::task::coop::has_budget_remaining() {
                tokio::task::coop::consume_budget().await;
            }
            let mut all = Box::pin(ask_all(desks.iter().map(|desk| desk.number())));
            assert!(poll_once(&mut all).await.is_pending());
            let queued = desks.iter().filter(|desk| desk.free_slots() == 1).count();
            (queued, within(all).await.len())
        });
        assert_eq!(within(task).await.unwrap(), (300, 300));
    });
}
