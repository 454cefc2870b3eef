//! Kill: at the next await, at once, and for good.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use greenroom::{AskError, Context, ExitReason, actor};
use tokio::sync::oneshot;

use crate::actor::clerk::{ClerkFile, busy_clerk, clerk};
use crate::actor::support::{
    BUSY, Flavor, Gate, Ledger, assert_at_rest, on_each_runtime, on_each_seat, on_runtime,
    poll_once, within,
};

/// Works without an await until it hears from outside, and then awaits.
#[actor]
struct Worker {
    past_work: Arc<AtomicBool>,
    past_await: Arc<AtomicBool>,
}

#[actor]
impl Worker {
    async fn work(&mut self, begun: mpsc::Sender<()>, end: Receiver<()>) {
        begun.send(()).expect("the test listens");
        end.recv().expect("the test speaks");
        self.past_work.store(true, Ordering::SeqCst);
        tokio::task::yield_now().await;
        self.past_await.store(true, Ordering::SeqCst);
    }

    async fn kill_myself(&mut self, ctx: &mut Context<Self>) {
        ctx.handle().kill();
        self.past_work.store(true, Ordering::SeqCst);
        tokio::task::yield_now().await;
        self.past_await.store(true, Ordering::SeqCst);
    }

    fn kill_myself_now(&mut self, ctx: &mut Context<Self>) -> u8 {
        ctx.handle().kill();
        7
    }
}

fn worker() -> (WorkerHandle, impl Fn() -> (bool, bool)) {
    let flags = [
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicBool::new(false)),
    ];
    let [past_work, past_await] = flags.clone();
    let read = move || {
        (
            flags[0].load(Ordering::SeqCst),
            flags[1].load(Ordering::SeqCst),
        )
    };
    (
        Worker {
            past_work,
            past_await,
        }
        .spawn(),
        read,
    )
}

#[test]
fn a_kill_during_a_handler_takes_effect_at_its_await_and_not_before() {
    on_each_seat(|| async {
        let (worker, flags) = worker();
        let ((begun, has_begun), (end, may_end)) = (mpsc::channel(), mpsc::channel());
        worker.work(begun, may_end).try_tell().unwrap();
        let killer = thread::spawn({
            let worker = worker.clone();
            move || {
                has_begun.recv().expect("it begins");
                worker.kill();
                let announced = worker.is_stopped();
                end.send(()).expect("it listens");
                announced
            }
        });
        assert!(matches!(within(worker.join()).await, ExitReason::Killed));
        assert!(
            !killer.join().unwrap(),
            "the end was announced while the handler ran"
        );
        assert_eq!(flags(), (true, false));
        assert_at_rest(&worker);
    });
}

#[test]
fn an_actor_can_kill_itself() {
    on_each_seat(|| async {
        let (worker, flags) = worker();
        let error = within(worker.kill_myself()).await.unwrap_err();
        let AskError::Interrupted(interrupted) = error else {
            panic!("{error:?}")
        };
        assert!(matches!(
            interrupted.reason(),
            Some(ExitReason::Killed) | None
        ));
        assert!(matches!(within(worker.join()).await, ExitReason::Killed));
        assert_eq!(flags(), (true, false));
        assert_at_rest(&worker);
    });
}

#[test]
fn a_handler_that_never_awaits_replies_although_it_was_killed() {
    on_each_seat(|| async {
        let (worker, _) = worker();
        assert_eq!(within(worker.kill_myself_now()).await.unwrap(), 7);
        assert!(matches!(within(worker.join()).await, ExitReason::Killed));
    });
}

#[test]
fn tell_then_stop_handles_all_and_tell_then_kill_handles_one_at_most() {
    on_each_seat(|| async {
        let (ledger, stopped) = (Ledger::default(), clerk(8));
        for index in 0..5 {
            stopped.defer(ledger.note(0, index)).tell().await.unwrap();
        }
        stopped.stop();
        within(stopped.join()).await;
        assert_eq!(ledger.handled_without_gaps(0), 5);
        assert_at_rest(&stopped);
        let (killed, gate) = busy_clerk(8, ledger.note(BUSY, 0)).await;
        for index in 0..5 {
            killed.defer(ledger.note(1, index)).tell().await.unwrap();
        }
        killed.kill();
        gate.open();
        within(killed.join()).await;
        assert_at_rest(&killed);
        let tally = ledger.settle();
        assert_eq!((tally.handled, tally.discarded), (6, 5));
    });
}

#[test]
fn five_asks_queued_at_a_kill_all_get_their_messages_back_while_a_handle_is_held() {
    on_each_seat(|| async {
        let ledger = Ledger::default();
        let (clerk, _gate) = busy_clerk(8, ledger.note(BUSY, 0)).await;
        let mut asks: Vec<_> = (0..5)
            .map(|index| Box::pin(clerk.file(ledger.note(0, index))))
            .collect();
        for ask in &mut asks {
            assert!(poll_once(ask).await.is_pending());
        }
        clerk.kill();
        for (ask, index) in asks.into_iter().zip(0..) {
            let message = within(ask)
                .await
                .unwrap_err()
                .into_message::<ClerkFile>()
                .unwrap();
            assert_eq!(message.note.index, index);
            message.note.returned();
        }
        assert!(matches!(within(clerk.join()).await, ExitReason::Killed));
        assert_at_rest(&clerk);
        assert_eq!(ledger.settle().returned, 5);
    });
}

#[test]
fn a_thousand_idle_actors_that_are_killed_all_end() {
    on_each_runtime(|| async {
        let clerks: Vec<_> = (0..1_000).map(|_| clerk(1)).collect();
        clerks.iter().for_each(|clerk| clerk.kill());
        for clerk in clerks {
            assert!(matches!(within(clerk.join()).await, ExitReason::Killed));
            assert_at_rest(&clerk);
        }
    });
}

#[test]
fn a_kill_overrides_a_stop_that_still_drains() {
    on_each_seat(|| async {
        let ledger = Ledger::default();
        let (clerk, _gate) = busy_clerk(4, ledger.note(BUSY, 0)).await;
        clerk.file(ledger.note(0, 0)).tell().await.unwrap();
        clerk.stop();
        clerk.kill();
        clerk.stop();
        assert!(matches!(within(clerk.join()).await, ExitReason::Killed));
        assert_at_rest(&clerk);
        let tally = ledger.settle();
        assert_eq!((tally.handled, tally.discarded), (1, 1));
    });
}

/// Is at its gate in its stop hook.
#[actor]
struct Leaver {
    gate: Gate,
    ended: Option<oneshot::Sender<()>>,
}

#[actor]
impl Leaver {
    #[on(stop)]
    async fn leave(&mut self) {
        self.gate.pass().await;
        self.ended
            .take()
            .expect("once")
            .send(())
            .expect("the test listens");
    }
}

#[test]
fn a_kill_during_the_stop_hook_drops_the_hook_at_its_await() {
    on_each_seat(|| async {
        let (gate, (ended, end)) = (Gate::shut(), oneshot::channel());
        let leaver = Leaver {
            gate: gate.clone(),
            ended: Some(ended),
        }
        .spawn();
        leaver.stop();
        gate.reached().await;
        leaver.kill();
        assert!(matches!(within(leaver.join()).await, ExitReason::Killed));
        assert!(within(end).await.is_err(), "the hook went on");
    });
}

#[test]
fn a_handler_woken_as_its_actor_is_killed_does_no_harm() {
    on_runtime(Flavor::TwoWorkers, || async {
        for _ in 0..500 {
            let ledger = Ledger::default();
            let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
            let opener = thread::spawn(move || gate.open());
            clerk.kill();
            assert!(matches!(within(clerk.join()).await, ExitReason::Killed));
            opener.join().unwrap();
            assert_at_rest(&clerk);
            ledger.settle();
        }
    });
}
