//! Many messages at once.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures::FutureExt;
use greenroom::limits::TELL_BATCH;
use greenroom::{Builder, Refusal, Rest, actor};

use crate::actor::clerk::{ClerkFile, busy_clerk, clerk};
use crate::actor::support::{
    BUSY, LIMIT, Ledger, assert_at_rest, on_each_runtime, poll_once, within,
};

/// Notes of one sender, made as they are asked for.
fn notes(ledger: &Ledger, sender: u32, count: u32) -> impl Iterator<Item = ClerkFile> + Send {
    let ledger = ledger.clone();
    (0..count).map(move |index| ClerkFile {
        note: ledger.note(sender, index),
    })
}

/// Takes back what was not accepted: the notes of a sender from here on.
fn take_back(rest: Rest<impl Iterator<Item = ClerkFile> + Send>, from: u32) -> u32 {
    let mut index = from;
    for file in rest {
        assert_eq!(file.note.index, index);
        file.note.returned();
        index += 1;
    }
    index
}

#[test]
fn many_messages_are_told_in_order_and_wait_for_slots() {
    for slots in [1, 3, 1000] {
        on_each_runtime(move || async move {
            let (ledger, clerk) = (Ledger::default(), clerk(slots));
            within(clerk.tell_all(notes(&ledger, 0, 500)))
                .await
                .unwrap();
            within(clerk.recipient().tell_all(notes(&ledger, 1, 500)))
                .await
                .unwrap();
            within(clerk.ping()).await.unwrap();
            assert_at_rest(&clerk);
            assert_eq!(ledger.handled_without_gaps(0), 500);
            assert_eq!(ledger.handled_without_gaps(1), 500);
            assert_eq!(ledger.settle().handled, 1000);
        });
    }
}

#[test]
fn without_waiting_as_many_go_in_as_there_are_slots_and_the_others_are_handed_back() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(100, ledger.note(BUSY, 0)).await;
        let error = clerk.try_tell_all(notes(&ledger, 0, 250)).unwrap_err();
        assert!(error.is_full());
        assert_eq!(error.accepted(), 100);
        assert!(
            error
                .to_string()
                .contains("accepted 100 messages, and no more")
        );
        assert_eq!(error.actor(), &clerk.identity());
        // Not more of them were made than that.
        assert!(ledger.tally().open <= 100 + TELL_BATCH);
        assert_eq!(take_back(error.into_messages(), 100), 250);
        let error = clerk
            .recipient()
            .try_tell_all(notes(&ledger, 1, 2))
            .unwrap_err();
        assert_eq!(error.accepted(), 0);
        assert_eq!(take_back(error.into_messages(), 0), 2);
        gate.open();
        within(clerk.ping()).await.unwrap();
        clerk.try_tell_all(notes(&ledger, 2, 100)).unwrap();
        within(clerk.ping()).await.unwrap();
        assert_eq!(ledger.settle().handled, 201);
    });
}

#[test]
fn an_actor_that_is_stopped_has_handled_the_first_and_the_others_are_handed_back() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(3, ledger.note(BUSY, 0)).await;
        let mut many = Box::pin(clerk.tell_all(notes(&ledger, 0, 200)));
        assert!(poll_once(&mut many).await.is_pending());
        assert_eq!(clerk.waiting_senders(), 1);
        clerk.stop();
        let error = within(many).await.unwrap_err();
        assert!(matches!(error.refusal(), Refusal::Ended(_)));
        assert_eq!(error.accepted(), 3);
        assert_eq!(take_back(error.into_messages(), 3), 200);
        gate.open();
        within(clerk.join()).await;
        assert_eq!(ledger.settle().handled, 4);
        let error = within(clerk.tell_all(notes(&ledger, 1, 2)))
            .await
            .unwrap_err();
        assert_eq!(take_back(error.into_messages(), 0), 2);
    });
}

#[test]
fn no_messages_are_told_at_once_also_to_an_actor_that_has_ended() {
    on_each_runtime(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(1));
        within(clerk.shutdown()).await;
        within(clerk.tell_all(notes(&ledger, 0, 0))).await.unwrap();
        clerk.try_tell_all(notes(&ledger, 0, 0)).unwrap();
    });
}

#[test]
fn many_tells_that_are_cancelled_hand_back_all_but_the_first() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(2, ledger.note(BUSY, 0)).await;
        let mut many = Box::pin(clerk.tell_all(notes(&ledger, 0, 150)));
        assert!(poll_once(&mut many).await.is_pending());
        let rest = many.as_mut().cancel();
        assert_eq!(rest.size_hint(), (148, Some(148)));
        assert_eq!(take_back(rest, 2), 150);
        assert_eq!(clerk.waiting_senders(), 0);
        let mut unsent = Box::pin(clerk.tell_all(notes(&ledger, 1, 5)));
        assert_eq!(take_back(unsent.as_mut().cancel(), 0), 5);
        gate.open();
        within(clerk.ping()).await.unwrap();
        let mut done = Box::pin(clerk.tell_all(notes(&ledger, 2, 2)));
        within(done.as_mut()).await.unwrap();
        assert_eq!(done.as_mut().cancel().count(), 0);
        within(clerk.ping()).await.unwrap();
        assert_at_rest(&clerk);
        assert_eq!(ledger.settle().handled, 5);
    });
}

#[test]
fn many_tells_that_find_no_slots_within_their_limit_hand_the_others_back() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(2, ledger.note(BUSY, 0)).await;
        let limit = Duration::from_millis(1);
        let error = within(clerk.tell_all(notes(&ledger, 0, 9)).timeout(limit))
            .await
            .unwrap_err();
        assert!(matches!(error.refusal(), Refusal::Timeout(passed) if *passed == limit));
        assert_eq!(error.accepted(), 2);
        assert_eq!(take_back(error.into_messages(), 2), 9);
        gate.open();
        within(clerk.tell_all(notes(&ledger, 1, 9)).timeout(LIMIT))
            .await
            .unwrap();
        let deadline = tokio::time::Instant::now() + LIMIT;
        within(clerk.tell_all(notes(&ledger, 2, 9)).deadline(deadline))
            .await
            .unwrap();
        within(clerk.ping()).await.unwrap();
        assert_eq!(ledger.settle().handled, 21);
    });
}

#[test]
fn many_messages_stand_in_line_behind_who_came_before() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
        clerk.file(ledger.note(BUSY, 1)).tell().await.unwrap();
        let mut first = Box::pin(clerk.file(ledger.note(1, 0)).tell());
        assert!(poll_once(&mut first).await.is_pending());
        let mut many = Box::pin(clerk.tell_all(notes(&ledger, 2, 3)));
        assert!(poll_once(&mut many).await.is_pending());
        let mut last = Box::pin(clerk.file(ledger.note(3, 0)).tell());
        assert!(poll_once(&mut last).await.is_pending());
        gate.open();
        // Those who wait are let in unpolled.
        within(last).await.unwrap();
        within(many).await.unwrap();
        within(first).await.unwrap();
        within(clerk.ping()).await.unwrap();
        let journal = ledger.journal();
        assert_eq!(journal[2..5], [(1, 0), (2, 0), (3, 0)]);
        assert_eq!(journal[5..], [(2, 1), (2, 2)]);
    });
}

#[test]
fn an_iterator_that_panics_loses_nothing_and_can_be_gone_on_with() {
    on_each_runtime(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(8));
        let all = notes(&ledger, 0, 100);
        let faulty = all.inspect(|file| assert_ne!(file.note.index, 70, "a faulty iterator"));
        let mut many = Box::pin(clerk.tell_all(faulty));
        let panicked = AssertUnwindSafe(within(many.as_mut())).catch_unwind().await;
        assert!(panicked.is_err());
        within(many).await.unwrap();
        within(clerk.ping()).await.unwrap();
        assert_at_rest(&clerk);
        let tally = ledger.settle();
        assert_eq!((tally.handled, tally.discarded), (99, 1));
    });
}

#[test]
fn an_iterator_may_send_to_the_same_actor() {
    on_each_runtime(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(512));
        let (other, book) = (clerk.clone(), ledger.clone());
        let both = notes(&ledger, 0, 100).inspect(|file| {
            let note = book.note(1, file.note.index);
            other.file(note).try_tell().unwrap();
        });
        within(clerk.tell_all(both)).await.unwrap();
        within(clerk.ping()).await.unwrap();
        assert_eq!(ledger.settle().handled, 200);
    });
}

#[test]
fn many_are_told_from_plain_threads_and_from_other_runtimes() {
    on_each_runtime(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(4));
        let (here, there) = (clerk.clone(), ledger.clone());
        let thread = tokio::task::spawn_blocking(move || {
            here.tell_all(notes(&there, 0, 100)).blocking().unwrap();
            here.tell_all(notes(&there, 1, 100))
                .timeout(LIMIT)
                .blocking()
                .unwrap();
            let other = tokio::runtime::Builder::new_current_thread()
                .build()
                .unwrap();
            other
                .block_on(here.tell_all(notes(&there, 2, 100)).into_owned())
                .unwrap();
        });
        within(thread).await.unwrap();
        within(clerk.ping()).await.unwrap();
        assert_eq!(ledger.settle().handled, 300);
    });
}

/// Its messages have policies of their own.
#[actor(mailbox = 2)]
#[derive(Default)]
struct Desk {
    seen: Vec<u32>,
}

#[actor]
impl Desk {
    #[message(overflow = drop_newest)]
    fn news(&mut self, n: u32) {
        self.seen.push(n);
    }

    #[message(overflow = reject)]
    fn order(&mut self, n: u32) {
        self.seen.push(n);
    }

    #[message(overflow = latest(()))]
    fn price(&mut self, n: u32) {
        self.seen.push(n);
    }

    #[message(lane = urgent)]
    fn alarm(&mut self, n: u32) {
        self.seen.push(n);
    }

    async fn wait(&mut self, gate: crate::actor::support::Gate) {
        gate.pass().await;
    }

    fn seen(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.seen)
    }
}

/// A desk that is busy until the gate is opened.
async fn busy_desk() -> (DeskHandle, crate::actor::support::Gate) {
    let (desk, gate) = (
        Builder::new(Desk::default()).spawn(),
        crate::actor::support::Gate::shut(),
    );
    desk.wait(gate.clone()).tell().await.unwrap();
    gate.reached().await;
    (desk, gate)
}

#[test]
fn each_of_many_does_what_its_overflow_says() {
    on_each_runtime(|| async {
        let (desk, gate) = busy_desk().await;
        within(desk.tell_all((0..5).map(|n| DeskNews { n })))
            .await
            .unwrap();
        gate.open();
        assert_eq!(within(desk.seen()).await.unwrap(), [0, 1]);

        let (desk, gate) = busy_desk().await;
        let error = within(desk.tell_all((0..5).map(|n| DeskOrder { n })))
            .await
            .unwrap_err();
        assert!(error.is_full());
        assert!(error.into_messages().map(|order| order.n).eq(2..5));
        gate.open();
        assert_eq!(within(desk.seen()).await.unwrap(), [0, 1]);

        let (desk, gate) = busy_desk().await;
        desk.try_tell_all((0..5).map(|n| DeskPrice { n })).unwrap();
        gate.open();
        assert_eq!(within(desk.seen()).await.unwrap(), [4]);

        let (desk, gate) = busy_desk().await;
        desk.order(9).try_tell().unwrap();
        let mut many = Box::pin(desk.tell_all((0..5).map(|n| DeskAlarm { n })));
        assert!(poll_once(&mut many).await.is_pending());
        gate.open();
        within(many).await.unwrap();
        let seen = within(desk.seen()).await.unwrap();
        let alarms: Vec<_> = seen.iter().copied().filter(|n| *n < 9).collect();
        assert_eq!((seen[0], alarms), (0, vec![0, 1, 2, 3, 4]));
    });
}
