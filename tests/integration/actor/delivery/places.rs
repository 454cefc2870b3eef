//! Sends from all kinds of places: other runtimes, local tasks, handlers, one task with a thousand.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use futures::future::join_all;
use futures::stream::{FuturesUnordered, StreamExt};
use greenroom::{Builder, Runtime, actor};

use crate::actor::clerk::{Clerk, ClerkFile, ClerkHandle, busy_clerk, clerk};
use crate::actor::support::{
    BUSY, Flavor, Ledger, assert_at_rest, on_each_seat, on_runtime, on_thread, poll_once, until,
    within,
};

#[test]
fn an_actor_is_asked_and_told_from_another_runtime_of_any_kind() {
    for (home, away) in [
        (Flavor::OneThread, Flavor::TwoWorkers),
        (Flavor::TwoWorkers, Flavor::OneThread),
    ] {
        on_thread(move || {
            let (ledger, home) = (Ledger::default(), home.build());
            let clerk = home.block_on(async { clerk(2) });
            // A current-thread home runs only while somebody drives it.
            let gate = crate::actor::support::Gate::shut();
            let driver = thread::spawn({
                let gate = gate.clone();
                move || home.block_on(gate.pass())
            });
            away.build().block_on(async {
                for index in 0..500 {
                    clerk.file(ledger.note(0, index * 2)).tell().await.unwrap();
                    within(clerk.defer(ledger.note(0, index * 2 + 1)))
                        .await
                        .unwrap();
                }
                assert_at_rest(&clerk);
            });
            let plain = tokio::runtime::Builder::new_current_thread()
                .build()
                .unwrap();
            plain.block_on(async { clerk.file(ledger.note(0, 1_000)).await.unwrap() });
            gate.open();
            driver.join().unwrap();
            assert_eq!(ledger.handled_without_gaps(0), 1_001);
            ledger.settle();
        });
    }
}

#[tokio::test]
async fn a_request_may_be_polled_by_one_runtime_after_another() {
    let ledger = Ledger::default();
    let (clerk, gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
    clerk.file(ledger.note(0, 0)).tell().await.unwrap();
    let mut ask = Box::pin(clerk.file(ledger.note(0, 1)).into_owned());
    let mut queued = Box::pin(clerk.file(ledger.note(0, 2)).into_owned());
    assert!(poll_once(&mut ask).await.is_pending());
    assert!(poll_once(&mut queued).await.is_pending());
    let away = thread::spawn(move || {
        let runtime = Flavor::TwoWorkers.build();
        runtime.block_on(async { (within(ask).await.unwrap(), within(queued).await.unwrap()) })
    });
    gate.open();
    until(|| away.is_finished()).await;
    assert_eq!(away.join().unwrap(), (1, 2));
    assert_at_rest(&clerk);
    assert_eq!(ledger.settle().handled, 4);
}

#[test]
fn one_task_drives_a_thousand_asks_and_tells_at_once_through_one_slot() {
    on_each_seat(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(1));
        let asks = join_all((0..1_000).map(|_| clerk.file(ledger.single())));
        let tells = join_all((0..1_000).map(|_| clerk.file(ledger.single()).tell()));
        let mut unordered: FuturesUnordered<_> =
            (0..1_000).map(|_| clerk.defer(ledger.single())).collect();
        let (asks, tells) = within(futures::future::join(asks, tells)).await;
        asks.into_iter()
            .for_each(|reply| assert_eq!(reply.unwrap(), 0));
        tells.into_iter().for_each(|told| told.unwrap());
        while let Some(reply) = within(unordered.next()).await {
            reply.unwrap();
        }
        assert_at_rest(&clerk);
        assert_eq!(ledger.settle().handled, 3_000);
    });
}

#[test]
fn a_task_that_only_asks_lets_others_on_its_thread_have_their_turns() {
    on_runtime(Flavor::OneThread, || async {
        let clerk = clerk(1);
        for on_tokio in [false, true] {
            let heard = Arc::new(AtomicBool::new(false));
            let asking = {
                let (clerk, heard) = (clerk.clone(), heard.clone());
                async move {
                    while !heard.load(Ordering::SeqCst) {
                        clerk.ping().await.unwrap();
                    }
                }
            };
            let set = async move { heard.store(true, Ordering::SeqCst) };
            if on_tokio {
                let asking = tokio::spawn(asking);
                within(tokio::spawn(set)).await.unwrap();
                within(asking).await.unwrap();
            } else {
                let asking = greenroom::spawn(asking);
                within(greenroom::spawn(set)).await.unwrap();
                within(asking).await.unwrap();
            }
        }
        assert_at_rest(&clerk);
    });
}

/// Asks the next in a chain.
#[actor(mailbox = 1)]
struct Link {
    next: Option<LinkHandle>,
}

#[actor]
impl Link {
    async fn count(&mut self) -> u32 {
        match &self.next {
            None => 1,
            Some(next) => next.count().await.expect("the next answers") + 1,
        }
    }
}

#[test]
fn a_chain_of_ten_thousand_actors_that_ask_each_other_answers() {
    on_each_seat(|| async {
        let mut next = None;
        for _ in 0..10_000 {
            next = Some(Link { next }.spawn());
        }
        let first = next.expect("many");
        assert_eq!(within(first.count()).await.unwrap(), 10_000);
        assert_at_rest(&first);
        let weak = first.downgrade();
        drop(first);
        within(weak.join()).await;
    });
}

#[tokio::test]
async fn tasks_of_a_local_set_ask_and_tell() {
    let (ledger, clerk) = (Ledger::default(), clerk(1));
    let local = tokio::task::LocalSet::new();
    let both = local.run_until(async {
        let task = tokio::task::spawn_local({
            let (clerk, ledger) = (clerk.clone(), ledger.clone());
            async move {
                for index in 0..100 {
                    clerk.file(ledger.note(0, index)).tell().await.unwrap();
                }
                clerk.defer(ledger.note(0, 100)).await.unwrap()
            }
        });
        (
            within(clerk.defer(ledger.note(1, 0))).await.unwrap(),
            within(task).await.unwrap(),
        )
    });
    assert_eq!(both.await, (0, 100));
    assert_at_rest(&clerk);
    assert_eq!(ledger.settle().handled, 102);
}

#[test]
fn a_handler_may_block_in_place_for_another_actor() {
    #[actor]
    struct Blocker {
        other: ClerkHandle,
        ledger: Ledger,
    }

    #[actor]
    impl Blocker {
        fn ask_other(&mut self) -> u32 {
            let note = self.ledger.note(0, 5);
            tokio::task::block_in_place(|| self.other.defer(note).blocking().expect("answered"))
        }
    }

    on_runtime(Flavor::TwoWorkers, || async {
        let ledger = Ledger::default();
        let blocker = Blocker {
            other: Clerk.spawn(),
            ledger: ledger.clone(),
        }
        .spawn();
        let ask = greenroom::spawn({
            let blocker = blocker.clone();
            async move { blocker.ask_other().await.unwrap() }
        });
        assert_eq!(within(ask).await.unwrap(), 5);
        assert_at_rest(&blocker);
        assert_eq!(ledger.settle().handled, 1);
    });
}

#[test]
fn one_message_per_activation_is_enough() {
    on_thread(|| {
        let builder = Runtime::builder().multi_thread().worker_threads(2);
        let builder = builder
            .messages_per_activation(1)
            .polls_per_turn(1)
            .lifo_runs(0);
        let runtime = builder.build().unwrap();
        runtime.block_on(async {
            let ledger = Ledger::default();
            let clerk = Builder::new(Clerk).mailbox(3).spawn();
            for index in 0..1_000 {
                clerk
                    .tell(ClerkFile {
                        note: ledger.note(0, index * 2),
                    })
                    .await
                    .unwrap();
                clerk
                    .defer(ledger.note(0, index * 2 + 1))
                    .tell()
                    .await
                    .unwrap();
            }
            within(clerk.ping()).await.unwrap();
            assert_eq!(ledger.handled_without_gaps(0), 2_000);
            assert_at_rest(&clerk);
            ledger.settle();
        });
    });
}

#[test]
fn threads_blocked_on_an_actor_whose_runtime_ends_get_their_messages_back() {
    for flavor in Flavor::ALL {
        on_thread(move || {
            let (ledger, runtime) = (Ledger::default(), flavor.build());
            let (clerk, _gate) = runtime.block_on(busy_clerk(2, ledger.note(BUSY, 0)));
            let threads: Vec<_> = (0..6)
                .map(|sender| {
                    let (clerk, note) = (clerk.clone(), ledger.note(sender, 0));
                    thread::spawn(move || clerk.file(note).blocking())
                })
                .collect();
            while clerk.waiting_senders() < 4 {
                thread::yield_now();
            }
            drop(runtime);
            for thread in threads {
                let error = thread.join().unwrap().unwrap_err();
                assert!(error.to_string().ends_with("its runtime ended"), "{error}");
                error.into_message::<ClerkFile>().unwrap().note.returned();
            }
            assert_at_rest(&clerk);
            assert_eq!(ledger.settle().returned, 6);
        });
    }
}
