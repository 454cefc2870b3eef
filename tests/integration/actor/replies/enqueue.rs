//! Asks in two steps.

use std::time::Duration;

use greenroom::{AskError, ExitReason, Handle, Refusal, Reply};

use super::{ASKING, DeskFile, desk};
use crate::actor::clerk::{busy_clerk, clerk};
use crate::actor::support::{
    BUSY, Gate, Ledger, assert_at_rest, on_each_runtime, on_thread, poll_once, within,
};

#[test]
fn an_enqueued_ask_never_runs_on_its_askers_stack() {
    on_each_runtime(|| async {
        let desk = desk(1);
        let asking = ASKING.scope((), async {
            assert!(desk.inline().await.unwrap(), "or this test can't fail");
            let reply = desk.inline().enqueue().await.unwrap();
            assert!(!reply.await.unwrap());
        });
        within(asking).await;
        assert_at_rest(&desk);
    });
}

#[test]
fn the_first_step_is_done_when_the_message_is_in_and_the_second_when_it_is_answered() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
        let first = within(clerk.file(ledger.note(0, 7)).enqueue()).await;
        let mut first = Box::pin(first.unwrap());
        let mut second = Box::pin(clerk.file(ledger.note(0, 8)).enqueue());
        assert!(poll_once(&mut second).await.is_pending(), "no slot is free");
        assert!(poll_once(&mut first).await.is_pending(), "nobody answers");
        gate.open();
        assert_eq!(within(first).await.unwrap(), 7);
        assert_eq!(within(within(second).await.unwrap()).await.unwrap(), 8);
        assert_at_rest(&clerk);
        assert_eq!(ledger.settle().handled, 3);
    });
}

#[test]
fn tells_asks_and_enqueued_asks_of_one_task_are_handled_in_order() {
    on_each_runtime(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(3));
        let (mut replies, mut index) = (Vec::new(), 0);
        let mut note = || {
            index += 1;
            ledger.note(0, index - 1)
        };
        for _ in 0..200 {
            clerk.file(note()).tell().await.unwrap();
            replies.push(clerk.file(note()).enqueue().await.unwrap());
            clerk.defer(note()).await.unwrap();
            replies.push(clerk.defer(note()).enqueue().await.unwrap());
            clerk.file(note()).await.unwrap();
        }
        for (round, reply) in (0..).zip(replies) {
            let place = if round % 2 == 0 { 1 } else { 3 };
            assert_eq!(within(reply).await.unwrap(), round / 2 * 5 + place);
        }
        assert_eq!(ledger.handled_without_gaps(0), 1000);
        assert_at_rest(&clerk);
        ledger.settle();
    });
}

#[test]
fn an_enqueue_can_be_dropped_after_any_poll() {
    on_each_runtime(|| async {
        for polls in 0..4 {
            let ledger = Ledger::default();
            let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
            clerk.file(ledger.note(1, 0)).tell().await.unwrap();
            let note = ledger.note(0, 0);
            let id = note.id;
            let mut enqueue = Box::pin(clerk.file(note).enqueue());
            for _ in 0..polls {
                assert!(poll_once(&mut enqueue).await.is_pending());
            }
            ledger.withdraw(id, enqueue);
            assert_eq!(clerk.waiting_senders(), 0);
            gate.open();
            within(clerk.ping()).await.unwrap();
            assert_at_rest(&clerk);
            let tally = ledger.settle();
            assert_eq!((tally.handled, tally.withdrawn), (2, 1), "{polls}");
        }
    });
}

#[test]
fn a_reply_dropped_while_the_handler_runs_leaves_the_handler_to_its_end() {
    on_each_runtime(|| async {
        let (ledger, desk, gate) = (Ledger::default(), desk(1), Gate::shut());
        let hold = desk.hold(ledger.note(0, 0), gate.clone()).enqueue();
        let reply = within(hold).await.unwrap();
        gate.reached().await;
        drop(reply);
        gate.open();
        assert_eq!(within(desk.number()).await.unwrap(), 1);
        assert_at_rest(&desk);
        assert_eq!(ledger.settle().handled, 1);
    });
}

#[test]
fn a_refused_enqueue_hands_the_message_back() {
    on_each_runtime(|| async {
        let (ledger, desk) = (Ledger::default(), desk(1));
        desk.stop();
        let refused = within(desk.file(ledger.note(0, 0)).enqueue()).await;
        let error = refused.unwrap_err();
        assert!(matches!(
            error.refusal(),
            Refusal::Ended(ExitReason::Stopped)
        ));
        let DeskFile { note } = error.into_message();
        note.returned();
        assert_eq!(ledger.settle().returned, 1);
    });
}

#[tokio::test(start_paused = true)]
async fn an_enqueue_that_finds_no_slot_within_its_limit_hands_the_message_back() {
    let limit = Duration::from_millis(10);
    let ledger = Ledger::default();
    let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
    clerk.file(ledger.note(0, 0)).tell().await.unwrap();
    let enqueue = clerk.file(ledger.note(0, 1)).enqueue().timeout(limit);
    let error = within(enqueue).await.unwrap_err();
    assert!(matches!(error.refusal(), Refusal::Timeout(after) if *after == limit));
    error.into_message().note.returned();
    let mut late = Box::pin(clerk.file(ledger.note(0, 2)).enqueue().timeout(limit));
    assert!(poll_once(&mut late).await.is_pending());
    gate.open();
    within(clerk.ping()).await.unwrap();
    tokio::time::advance(limit * 2).await;
    let reply = within(late)
        .await
        .expect("accepted before it saw the limit");
    assert_eq!(within(reply).await.unwrap(), 2);
    assert_at_rest(&clerk);
    let tally = ledger.settle();
    assert_eq!((tally.handled, tally.returned), (3, 1));
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_does_not_come_within_its_limit_is_a_timeout() {
    let (ledger, desk, gate) = (Ledger::default(), desk(1), Gate::shut());
    let reply = desk.hold(ledger.note(0, 0), gate.clone()).enqueue();
    let reply = within(reply).await.unwrap();
    let limit = Duration::from_millis(10);
    let error = within(reply.timeout(limit)).await.unwrap_err();
    let AskError::Timeout(timeout) = &error else {
        panic!("{error:?}")
    };
    assert_eq!(
        (timeout.limit(), timeout.actor().id()),
        (limit, Handle::id(&desk))
    );
    gate.open();
    assert_eq!(within(desk.number()).await.unwrap(), 1);
    ledger.settle();
}

#[test]
fn a_reply_comes_after_the_last_handle_has_gone_and_keeps_no_actor_running() {
    on_each_runtime(|| async {
        let (ledger, desk, gate) = (Ledger::default(), desk(4), Gate::shut());
        let weak = Handle::downgrade(&desk);
        let hold = desk.hold(ledger.note(0, 0), gate.clone()).enqueue();
        let first = within(hold).await.unwrap();
        let second = within(desk.file(ledger.note(0, 1)).enqueue())
            .await
            .unwrap();
        gate.reached().await;
        drop(desk);
        gate.open();
        assert!(matches!(within(weak.join()).await, ExitReason::Dropped));
        assert_eq!(within(first).await.unwrap(), 4);
        assert_eq!(within(second).await.unwrap(), 4);
        assert_eq!(ledger.settle().handled, 2);
    });
}

#[test]
fn a_reply_tells_how_its_message_ended_with_the_actor() {
    on_each_runtime(|| async {
        let (ledger, desk, gate) = (Ledger::default(), desk(1), Gate::shut());
        let hold = desk.hold(ledger.note(0, 0), gate.clone()).enqueue();
        let running: Reply<u32> = within(hold).await.unwrap();
        gate.reached().await;
        let file = desk.file(ledger.note(0, 1)).enqueue();
        let queued = within(file).await.unwrap();
        desk.kill();
        let AskError::Interrupted(cut) = within(running).await.unwrap_err() else {
            panic!("it had begun")
        };
        assert!(matches!(cut.reason(), Some(ExitReason::Killed)));
        let error = within(queued).await.unwrap_err();
        error.into_message::<DeskFile>().unwrap().note.returned();
        let tally = ledger.settle();
        assert_eq!((tally.handled, tally.returned), (1, 1));
    });
}

#[test]
fn a_reply_gives_the_handlers_own_error() {
    on_each_runtime(|| async {
        let reply: Reply<u32, String> = desk(5).fail().enqueue().await.unwrap();
        let AskError::Handler(error) = within(reply).await.unwrap_err() else {
            panic!("it ran")
        };
        assert_eq!(error, "desk 5");
    });
}

#[test]
fn both_steps_can_block_a_thread_that_is_not_async() {
    on_thread(|| {
        let runtime = greenroom::Runtime::builder()
            .multi_thread()
            .worker_threads(1)
            .build()
            .unwrap();
        let desk = runtime.block_on(async { desk(6) });
        let reply = desk.number().enqueue().blocking().unwrap();
        assert_eq!(reply.blocking().unwrap(), 6);
        let limit = crate::actor::support::LIMIT;
        let reply = desk.number().enqueue().timeout(limit).blocking().unwrap();
        assert_eq!(reply.timeout(limit).blocking().unwrap(), 6);
    });
}
