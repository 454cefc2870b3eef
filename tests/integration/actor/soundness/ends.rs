//! How actors end when several things happen at once, and what those who wait are told.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll};
use std::thread;

use futures::executor::block_on;
use greenroom::{AskError, ExitReason, Refusal, Runtime, actor};

use super::spin_until;
use crate::actor::clerk::{ClerkFile, busy_clerk, clerk};
use crate::actor::support::{
    BUSY, Choices, Flavor, Gate, LIMIT, Ledger, Note, assert_at_rest, on_each_runtime, on_thread,
    poll_once, within,
};
use crate::hooked::{self, Use};

#[test]
fn a_stop_refuses_all_who_wait_even_if_the_actor_goes_on_while_the_first_is_told() {
    on_thread(|| {
        let (runtime, ledger) = (Flavor::TwoWorkers.build(), Ledger::default());
        let (clerk, gate) = runtime.block_on(busy_clerk(1, ledger.note(BUSY, 0)));
        clerk.file(ledger.note(0, 0)).try_tell().unwrap();
        let (watched, told) = (clerk.clone(), AtomicBool::new(false));
        let waker = hooked::waker(move |what| {
            if what == Use::Woken && !told.swap(true, Ordering::SeqCst) {
                gate.open();
                spin_until(|| watched.is_stopped());
            }
        });
        let mut context = Context::from_waker(&waker);
        let mut tells: Vec<_> = (1..=40)
            .map(|index| Box::pin(clerk.file(ledger.note(0, index)).tell()))
            .collect();
        for tell in &mut tells {
            assert!(tell.as_mut().poll(&mut context).is_pending());
        }
        assert_eq!(clerk.waiting_senders(), 40);
        clerk.stop();
        assert_at_rest(&clerk);
        for tell in &mut tells {
            let Poll::Ready(Err(error)) = tell.as_mut().poll(&mut context) else {
                panic!("not refused")
            };
            assert!(matches!(
                error.refusal(),
                Refusal::Ended(ExitReason::Stopped)
            ));
            error.into_message().note.returned();
        }
        drop(tells);
        let tally = ledger.settle();
        assert_eq!((tally.handled, tally.returned), (2, 40));
    });
}

/// Falls, and is slow to go.
#[actor(mailbox = 1)]
struct Faller {
    falling: mpsc::Sender<()>,
    go: mpsc::Receiver<()>,
}

impl Drop for Faller {
    fn drop(&mut self) {
        let _ = self.falling.send(());
        let _ = self.go.recv_timeout(LIMIT);
    }
}

#[actor]
impl Faller {
    async fn fall(&mut self, gate: Gate) {
        gate.pass().await;
        panic!("off the roof");
    }

    fn file(&mut self, note: Note) {
        note.handled();
    }
}

#[track_caller]
fn assert_fell(refusal: &Refusal) {
    let Refusal::Ended(ExitReason::Panicked(crash)) = refusal else {
        panic!("{refusal:?}")
    };
    assert_eq!(crash.text(), "off the roof");
}

#[test]
fn after_a_panic_all_who_wait_and_all_who_come_later_are_told_of_it() {
    on_thread(|| {
        let (runtime, ledger, gate) = (Flavor::TwoWorkers.build(), Ledger::default(), Gate::shut());
        let ((falling, has_fallen), (go, gone)) = (mpsc::channel(), mpsc::channel());
        let faller = {
            let _inside = runtime.enter();
            Faller { falling, go: gone }.spawn()
        };
        faller.fall(gate.clone()).tell().blocking().unwrap();
        runtime.block_on(gate.reached());
        faller.file(ledger.note(0, 0)).try_tell().unwrap();
        let (tell, ask) = (ledger.single(), ledger.single());
        let tell = faller.file(tell).tell().into_owned();
        let ask = faller.file(ask).into_owned();
        let tell = thread::spawn(move || tell.blocking().unwrap_err());
        let ask = thread::spawn(move || ask.blocking().unwrap_err());
        spin_until(|| faller.waiting_senders() == 2);
        gate.open();
        has_fallen.recv_timeout(LIMIT).expect("a hang");
        // Its state is being dropped, and its end is not announced yet.
        let error = faller.file(ledger.single()).try_tell().unwrap_err();
        assert_fell(error.refusal());
        error.into_message().note.returned();
        let error = tell.join().unwrap();
        assert_fell(error.refusal());
        error.into_message().note.returned();
        let AskError::NotHandled(error) = ask.join().unwrap() else {
            panic!("it was not accepted")
        };
        assert_fell(error.refusal());
        error.into_message::<FallerFile>().unwrap().note.returned();
        assert!(!faller.is_stopped());
        go.send(()).unwrap();
        let reason = runtime.block_on(within(faller.join()));
        assert_fell(&Refusal::Ended(reason));
        let error = faller.file(ledger.single()).try_tell().unwrap_err();
        assert_fell(error.refusal());
        error.into_message().note.returned();
        let tally = ledger.settle();
        assert_eq!((tally.returned, tally.discarded), (4, 1));
    });
}

#[test]
fn a_send_that_races_a_panic_is_accepted_or_told_of_it() {
    on_thread(|| {
        let (runtime, gate) = (Flavor::TwoWorkers.build(), Gate::shut());
        gate.open();
        for round in 0..100 {
            let ledger = Ledger::default();
            let ((falling, _fallen), (_, gone)) = (mpsc::channel(), mpsc::channel());
            let faller = {
                let _inside = runtime.enter();
                Faller { falling, go: gone }.spawn()
            };
            faller.fall(gate.clone()).try_tell().unwrap();
            let error = loop {
                match faller.file(ledger.note(0, round)).try_tell() {
                    Err(error) if error.is_full() => error.into_message().note.returned(),
                    Err(error) => break error,
                    Ok(()) => {}
                }
            };
            assert_fell(error.refusal());
            error.into_message().note.returned();
            runtime.block_on(within(faller.join()));
            assert_at_rest(&faller);
            ledger.settle();
        }
    });
}

#[test]
fn a_runtime_that_ends_while_a_stopped_actor_drains_hands_back_all_that_is_queued() {
    on_thread(|| {
        for flavor in Flavor::ALL {
            for round in 0..25 {
                end_while_draining(flavor, round % 2 == 1);
            }
        }
    });
}

/// Drops a runtime on which a stopped actor is busy, and perhaps goes on at this very moment.
fn end_while_draining(flavor: Flavor, goes_on: bool) {
    let (runtime, ledger) = (flavor.build(), Ledger::default());
    let (clerk, gate, mut hold, mut asks) = runtime.block_on(async {
        let (clerk, gate) = (clerk(8), Gate::shut());
        let note = ledger.note(BUSY, 0);
        let mut hold = Box::pin(clerk.hold(note, gate.clone()).into_owned());
        assert!(poll_once(&mut hold).await.is_pending());
        gate.reached().await;
        let mut asks = Vec::new();
        for index in 0..5 {
            let mut ask = Box::pin(clerk.file(ledger.note(0, index)).into_owned());
            assert!(poll_once(&mut ask).await.is_pending());
            asks.push(ask);
        }
        (clerk, gate, hold, asks)
    });
    clerk.stop();
    let opener = goes_on.then(|| thread::spawn(move || gate.open()));
    drop(runtime);
    if let Some(opener) = opener {
        opener.join().unwrap();
    }
    let reason = block_on(clerk.join());
    let mut handled = 1;
    match block_on(&mut hold) {
        Ok(_) => assert!(goes_on),
        Err(AskError::Interrupted(error)) => {
            assert!(matches!(error.reason(), Some(ExitReason::RuntimeGone)));
        }
        Err(error) => panic!("{error}"),
    }
    for ask in &mut asks {
        match block_on(ask) {
            Ok(_) => handled += 1,
            Err(AskError::NotHandled(error)) => {
                let refusal = error.refusal();
                assert!(matches!(refusal, Refusal::Ended(ExitReason::RuntimeGone)));
                error.into_message::<ClerkFile>().unwrap().note.returned();
            }
            Err(error) => panic!("{error}"),
        }
    }
    match reason {
        ExitReason::RuntimeGone => {}
        ExitReason::Stopped => assert_eq!(handled, 6, "stopped before all was handled"),
        other => panic!("{other:?}"),
    }
    drop((hold, asks));
    assert_at_rest(&clerk);
    let tally = ledger.settle();
    assert_eq!((tally.handled, tally.returned), (handled, 6 - handled));
}

/// Counts how often its stop hook ran.
#[actor(mailbox = 32)]
struct Leaver {
    hooks: Arc<AtomicUsize>,
}

#[actor]
impl Leaver {
    fn work(&mut self) {}

    async fn rest(&mut self) {
        tokio::task::yield_now().await;
    }

    #[on(stop)]
    fn leave(&mut self) {
        self.hooks.fetch_add(1, Ordering::SeqCst);
    }
}

fn leaver(work: usize) -> (LeaverHandle, Arc<AtomicUsize>) {
    let hooks = Arc::<AtomicUsize>::default();
    let state = Leaver {
        hooks: Arc::clone(&hooks),
    };
    let leaver = state.spawn();
    for _ in 0..work {
        leaver.work().try_tell().unwrap();
        leaver.rest().try_tell().unwrap();
    }
    (leaver, hooks)
}

#[test]
fn a_kill_while_an_actor_drains_is_its_reason_and_keeps_its_stop_hook_from_running() {
    on_each_runtime(|| async {
        let mut choices = Choices::seeded(8);
        for _ in 0..300 {
            let (leaver, hooks) = leaver(8);
            leaver.stop();
            for _ in 0..choices.below(12) {
                tokio::task::yield_now().await;
            }
            leaver.kill();
            let hooked = match within(leaver.join()).await {
                ExitReason::Killed => 0,
                // The kill came too late.
                ExitReason::Stopped => 1,
                other => panic!("{other:?}"),
            };
            assert_eq!(hooks.load(Ordering::SeqCst), hooked);
            assert_at_rest(&leaver);
        }
    });
}

#[test]
fn a_kill_before_anything_else_ends_an_actor_is_its_reason_and_no_stop_hook_runs() {
    on_each_runtime(|| async {
        for round in 0..300 {
            let (leaver, hooks) = leaver(round % 3);
            let weak = leaver.downgrade();
            leaver.kill();
            leaver.stop();
            drop(leaver);
            let reason = within(weak.join()).await;
            assert!(matches!(reason, ExitReason::Killed), "{reason:?}");
            assert_eq!(hooks.load(Ordering::SeqCst), 0);
        }
    });
}

#[test]
fn any_number_of_messages_per_activation_that_is_allowed_works() {
    on_thread(|| {
        let extremes = [1, 2, greenroom::limits::BATCH_MAX];
        for count in extremes {
            for multi in [false, true] {
                let builder = Runtime::builder().messages_per_activation(count);
                let builder = if multi {
                    builder.multi_thread().worker_threads(2)
                } else {
                    builder.current_thread()
                };
                builder.build().unwrap().block_on(async {
                    let (leaver, hooks) = leaver(16);
                    within(leaver.work()).await.unwrap();
                    leaver.stop();
                    within(leaver.join()).await;
                    assert_eq!(hooks.load(Ordering::SeqCst), 1);
                });
            }
        }
    });
}

/// Says where it lives.
#[actor]
struct Settler;

#[actor]
impl Settler {
    fn host(&mut self) -> tokio::runtime::Id {
        tokio::runtime::Handle::current().id()
    }

    fn settle(&mut self, other: tokio::runtime::Handle) -> SettlerHandle {
        // Nothing that was spawned at home before changes the answer.
        drop(Settler.spawn());
        let _inside = other.enter();
        Settler.spawn()
    }
}

#[test]
fn what_a_task_or_handler_spawns_inside_another_runtime_lives_there() {
    on_thread(|| {
        for flavor in Flavor::ALL {
            let (here, other) = (flavor.build(), Flavor::TwoWorkers.build());
            let (inside, id) = (other.tokio_handle().clone(), other.tokio_handle().id());
            assert_ne!(here.tokio_handle().id(), id);
            here.block_on(async {
                let entered = inside.clone();
                let task = greenroom::spawn(async move {
                    let (task, settler) = {
                        let _inside = entered.enter();
                        let host = async { tokio::runtime::Handle::current().id() };
                        (greenroom::spawn(host), Settler.spawn())
                    };
                    let back = greenroom::spawn(async { tokio::runtime::Handle::current().id() });
                    let settled = within(settler.host()).await.unwrap();
                    (task.await.unwrap(), settled, back.await.unwrap())
                });
                let (task, settled, back) = within(task).await.unwrap();
                assert_eq!((task, settled), (id, id));
                assert_ne!(back, id);
                let settler = within(Settler.spawn().settle(inside)).await.unwrap();
                assert_eq!(within(settler.host()).await.unwrap(), id);
            });
        }
    });
}
