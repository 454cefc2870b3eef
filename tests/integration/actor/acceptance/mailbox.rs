//! What has gone wrong in the field, and must not here: mailboxes and handles.

use std::sync::Arc;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use greenroom::{Builder, Context, ExitReason, JoinHandle, TellError, actor};
use tokio::sync::{Mutex, oneshot};

use crate::actor::clerk::{ClerkFile, busy_clerk};
use crate::actor::support::{
    BUSY, Gate, Ledger, Note, assert_at_rest, on_each_runtime, poll_once, until, within,
};

/// An actor that is not on stage before its gate opens, and says when it leaves.
#[actor(mailbox = 1)]
struct Late {
    gate: Gate,
    ended: Option<oneshot::Sender<()>>,
}

#[actor]
impl Late {
    #[on(start)]
    async fn arrive(&mut self) {
        self.gate.pass().await;
    }

    #[on(stop)]
    fn leave(&mut self) {
        let ended = self.ended.take().expect("the hook runs once");
        ended.send(()).expect("the test listens");
    }

    fn file(&mut self, note: Note) {
        note.handled();
    }

    /// Takes and drops handles to itself.
    fn look_round(&mut self, ctx: &mut Context<Self>) {
        let weak = ctx.handle().downgrade();
        let strong = weak.upgrade().expect("the test holds a handle");
        assert_eq!(strong.handle_count(), 2);
    }
}

fn late(slots: usize, gate: &Gate) -> (LateHandle, oneshot::Receiver<()>) {
    let (ended, end) = oneshot::channel();
    let actor = Late {
        gate: gate.clone(),
        ended: Some(ended),
    };
    (Builder::new(actor).mailbox(slots).spawn(), end)
}

type Sent = JoinHandle<Result<(), TellError<LateFile>>>;

/// Eight tasks tell an actor with one slot: one is accepted, seven wait.
async fn crowd(late: &LateHandle, ledger: &Ledger) -> FuturesUnordered<Sent> {
    let sends: FuturesUnordered<_> = (0..8)
        .map(|sender| {
            let (late, note) = (late.clone(), ledger.note(sender, 0));
            greenroom::spawn(async move { late.tell(LateFile { note }).await })
        })
        .collect();
    until(|| late.free_slots() == 0 && late.waiting_senders() == 7).await;
    sends
}

fn take_back(sent: Option<<Sent as Future>::Output>) {
    match sent.expect("eight").expect("no panic") {
        Ok(()) => {}
        Err(error) => error.into_message().note.returned(),
    }
}

#[test]
fn acc_01_an_actor_starts_however_full_its_mailbox_is() {
    on_each_runtime(|| async {
        let (ledger, gate) = (Ledger::default(), Gate::shut());
        let (late, _end) = late(1, &gate);
        let mut sends = crowd(&late, &ledger).await;
        gate.open();
        while let Some(sent) = within(sends.next()).await {
            sent.unwrap().unwrap();
        }
        late.stop();
        within(late.join()).await;
        assert_eq!(ledger.settle().handled, 8);
        assert_at_rest(&late);
    });
}

#[test]
fn acc_01_a_stop_before_the_start_hands_back_at_once_what_waits_and_handles_what_is_queued() {
    on_each_runtime(|| async {
        let (ledger, gate) = (Ledger::default(), Gate::shut());
        let (late, end) = late(1, &gate);
        let mut sends = crowd(&late, &ledger).await;
        late.stop();
        for _ in 0..8 {
            take_back(within(sends.next()).await);
        }
        assert_eq!(ledger.tally().returned, 7);
        assert!(!late.is_stopped());
        gate.open();
        assert!(matches!(within(late.join()).await, ExitReason::Stopped));
        within(end).await.unwrap();
        assert_eq!((ledger.settle().handled, ledger.settle().returned), (1, 7));
        assert_at_rest(&late);
    });
}

#[test]
fn acc_01_a_kill_before_the_start_ends_the_actor_at_once() {
    on_each_runtime(|| async {
        let (ledger, gate) = (Ledger::default(), Gate::shut());
        let (late, end) = late(1, &gate);
        let mut sends = crowd(&late, &ledger).await;
        late.kill();
        assert!(matches!(within(late.join()).await, ExitReason::Killed));
        for _ in 0..8 {
            take_back(within(sends.next()).await);
        }
        assert!(end.await.is_err(), "the stop hook ran");
        let tally = ledger.settle();
        assert_eq!((tally.handled, tally.returned, tally.discarded), (0, 7, 1));
        assert_at_rest(&late);
    });
}

#[test]
fn acc_04_a_slot_granted_to_a_send_that_nobody_polls_is_used_all_the_same() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
        clerk.file(ledger.note(0, 0)).tell().await.unwrap();
        let mut first = Box::pin(clerk.file(ledger.note(0, 1)).tell());
        assert!(poll_once(&mut first).await.is_pending());
        let second = clerk.file(ledger.note(0, 2)).tell();
        gate.open();
        within(second).await.unwrap();
        within(clerk.ping()).await.unwrap();
        assert_eq!(ledger.handled_without_gaps(0), 3);
        first.await.unwrap();
        assert_at_rest(&clerk);
        assert_eq!(ledger.settle().handled, 4);
    });
}

#[test]
fn acc_04_a_send_dropped_after_it_was_granted_is_handled_and_one_before_is_handed_back() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
        clerk.file(ledger.note(0, 0)).tell().await.unwrap();
        let (early, late) = (ledger.note(1, 0), ledger.note(0, 1));
        let ids = (early.id, late.id);
        let mut early = Box::pin(clerk.file(early).tell());
        let mut late = Box::pin(clerk.file(late).tell());
        assert!(poll_once(&mut early).await.is_pending());
        assert!(poll_once(&mut late).await.is_pending());
        ledger.withdraw(ids.0, early);
        gate.open();
        within(clerk.ping()).await.unwrap();
        ledger.withdraw(ids.1, late);
        assert_at_rest(&clerk);
        let tally = ledger.settle();
        assert_eq!((tally.handled, tally.withdrawn), (3, 1));
    });
}

/// Handles notes under a lock that others want.
#[actor(mailbox = 1)]
struct Locker {
    lock: Arc<Mutex<()>>,
}

#[actor]
impl Locker {
    async fn file(&mut self, note: Note) {
        let _held = self.lock.lock().await;
        note.handled();
    }
}

#[test]
fn acc_04_fifty_tasks_that_leave_a_send_unpolled_and_wait_for_a_lock_all_finish() {
    on_each_runtime(|| async {
        let (ledger, lock) = (Ledger::default(), Arc::new(Mutex::new(())));
        let locker = Locker { lock: lock.clone() }.spawn();
        let tasks: Vec<_> = (0..50)
            .map(|sender| {
                let (ledger, lock, locker) = (ledger.clone(), lock.clone(), locker.clone());
                greenroom::spawn(async move {
                    for round in 0..4 {
                        let at = round * 3;
                        let mut first = Box::pin(locker.file(ledger.note(sender, at)).tell());
                        let _ = poll_once(&mut first).await;
                        let mut held = Box::pin(lock.lock());
                        let _ = poll_once(&mut held).await;
                        drop(held);
                        locker
                            .file(ledger.note(sender, at + 1))
                            .tell()
                            .await
                            .unwrap();
                        drop(lock.lock().await);
                        locker.file(ledger.note(sender, at + 2)).await.unwrap();
                    }
                })
            })
            .collect();
        for task in tasks {
            within(task).await.unwrap();
        }
        assert_at_rest(&locker);
        assert_eq!(ledger.settle().handled, 600);
    });
}

#[test]
fn acc_05_the_users_handle_is_the_only_strong_one_and_its_drop_ends_the_actor() {
    on_each_runtime(|| async {
        let gate = Gate::shut();
        gate.open();
        let (late, end) = late(4, &gate);
        gate.reached().await;
        until(|| late.handle_count() == 1).await;
        within(late.look_round()).await.unwrap();
        assert_eq!(late.handle_count(), 1);
        let weak = late.downgrade();
        drop(late);
        within(end).await.unwrap();
        assert!(matches!(within(weak.join()).await, ExitReason::Dropped));
        assert!(weak.upgrade().is_none());
    });
}

#[test]
fn acc_05_a_handle_dropped_before_the_start_ends_the_actor_after_what_is_queued() {
    on_each_runtime(|| async {
        let (ledger, gate) = (Ledger::default(), Gate::shut());
        let (late, end) = late(4, &gate);
        for index in 0..4 {
            late.file(ledger.note(0, index)).try_tell().unwrap();
        }
        gate.reached().await;
        let weak = late.downgrade();
        drop(late);
        assert_eq!(ledger.tally().open, 4);
        gate.open();
        within(end).await.unwrap();
        assert!(matches!(within(weak.join()).await, ExitReason::Dropped));
        assert_eq!(ledger.settle().handled, 4);
    });
}

#[test]
fn acc_08_a_send_that_reports_success_racing_a_stop_was_handled() {
    on_each_runtime(|| super::stopping::rounds(500));
}

#[test]
fn acc_08_the_message_handed_back_is_the_one_that_was_sent() {
    on_each_runtime(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
        clerk.stop();
        let message = ClerkFile {
            note: ledger.note(3, 7),
        };
        let error = clerk.tell(message).await.unwrap_err();
        assert_eq!(error.actor().id(), clerk.id());
        assert_eq!(
            error.to_string(),
            format!(
                "Clerk#{} did not accept the message: it was stopped",
                clerk.id()
            )
        );
        let note = error.into_message().note;
        assert_eq!((note.sender, note.index), (3, 7));
        note.returned();
        gate.open();
        within(clerk.join()).await;
        assert_eq!(ledger.settle().returned, 1);
        assert_at_rest(&clerk);
    });
}
