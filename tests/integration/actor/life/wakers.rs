//! Wakers of handlers and of askers: kept too long, woken too often, replaced, panicking.

use std::future::poll_fn;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;

use greenroom::{ExitReason, actor};

use crate::actor::clerk::{ClerkHandle, busy_clerk, clerk};
use crate::actor::support::{
    BUSY, Flavor, Ledger, assert_at_rest, on_each_seat, on_thread, poll_once, within,
};

/// Where a handler leaves its wakers.
#[derive(Clone, Default)]
struct Shelf(Arc<Mutex<Vec<Waker>>>);

impl Shelf {
    fn take(&self) -> Vec<Waker> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// Ready at the last of so many polls; leaves its waker at each, and wakes itself.
async fn shelve(shelf: Shelf, polls: usize, wakes: usize) {
    let mut left = polls;
    poll_fn(|cx| {
        shelf.0.lock().unwrap().push(cx.waker().clone());
        for _ in 0..wakes {
            cx.waker().wake_by_ref();
        }
        left -= 1;
        if left == 0 {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
}

#[actor(mailbox = 4)]
struct Shelver;

#[actor]
impl Shelver {
    async fn shelve(&mut self, shelf: Shelf, polls: usize, wakes: usize) {
        shelve(shelf, polls, wakes).await;
    }

    async fn recv(&mut self, mut endless: tokio::sync::mpsc::Receiver<()>, refill: Refill) {
        loop {
            endless.recv().await;
            refill.try_send(()).expect("room for one");
        }
    }

    fn ping(&mut self) {}
}

type Refill = tokio::sync::mpsc::Sender<()>;

#[test]
fn a_handler_that_wakes_itself_any_number_of_times_runs_to_its_end() {
    on_each_seat(|| async {
        let (shelver, shelf) = (Shelver.spawn(), Shelf::default());
        for wakes in 1..4 {
            within(shelver.shelve(shelf.clone(), 100, wakes))
                .await
                .unwrap();
            assert_eq!(shelf.take().len(), 100);
        }
        assert_at_rest(&shelver);
    });
}

#[test]
fn wakers_that_outlive_their_handler_do_nothing() {
    on_each_seat(|| async {
        let (shelver, shelf) = (Shelver.spawn(), Shelf::default());
        within(shelver.shelve(shelf.clone(), 10, 1)).await.unwrap();
        let old = shelf.take();
        let mut ask = Box::pin(shelver.shelve(shelf.clone(), 2, 0));
        assert!(poll_once(&mut ask).await.is_pending());
        while shelf.0.lock().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
        thread::spawn(move || old.into_iter().for_each(Waker::wake))
            .join()
            .unwrap();
        let current = shelf.0.lock().unwrap()[0].clone();
        current.wake();
        within(ask).await.unwrap();
        assert_at_rest(&shelver);
    });
}

#[test]
fn wakers_that_outlive_their_actor_and_its_handles_do_nothing() {
    on_each_seat(|| async {
        for kill in [false, true] {
            let (shelver, shelf) = (Shelver.spawn(), Shelf::default());
            let polls = if kill { 1_000_000 } else { 3 };
            shelver
                .shelve(shelf.clone(), polls, usize::from(!kill))
                .tell()
                .await
                .unwrap();
            while shelf.0.lock().unwrap().is_empty() {
                tokio::task::yield_now().await;
            }
            if kill {
                shelver.kill();
            } else {
                within(shelver.ping()).await.unwrap();
                shelver.stop();
            }
            within(shelver.join()).await;
            let wakers = shelf.take();
            wakers[0].wake_by_ref();
            drop(shelver);
            wakers[0].wake_by_ref();
            thread::spawn(move || wakers.into_iter().for_each(Waker::wake))
                .join()
                .unwrap();
        }
    });
}

#[test]
fn wakers_that_outlive_their_runtime_do_nothing() {
    for flavor in Flavor::ALL {
        on_thread(move || {
            let (shelf, runtime) = (Shelf::default(), flavor.build());
            let shelver = runtime.block_on(async {
                let shelver = Shelver.spawn();
                shelver.shelve(shelf.clone(), 2, 0).tell().await.unwrap();
                while shelf.0.lock().unwrap().is_empty() {
                    tokio::task::yield_now().await;
                }
                shelver
            });
            drop(runtime);
            assert!(matches!(
                shelver.exit_reason(),
                Some(ExitReason::RuntimeGone)
            ));
            shelf.take().into_iter().for_each(|waker| {
                waker.wake_by_ref();
                waker.wake();
            });
        });
    }
}

#[test]
fn a_handler_woken_by_many_threads_at_once_runs_to_its_end() {
    on_each_seat(|| async {
        let (shelver, shelf) = (Shelver.spawn(), Shelf::default());
        let done = Arc::new(AtomicBool::new(false));
        let threads: Vec<_> = (0..3)
            .map(|_| {
                let (shelf, done) = (shelf.clone(), done.clone());
                thread::spawn(move || {
                    while !done.load(Ordering::SeqCst) {
                        shelf.take().into_iter().for_each(Waker::wake);
                        thread::yield_now();
                    }
                })
            })
            .collect();
        within(shelver.shelve(shelf, 300, 0)).await.unwrap();
        done.store(true, Ordering::SeqCst);
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
        within(shelver.ping()).await.unwrap();
        assert_at_rest(&shelver);
    });
}

#[test]
fn a_handler_that_is_never_kept_waiting_yields_by_its_budget_and_can_be_killed() {
    on_each_seat(|| async {
        let (refill, endless) = tokio::sync::mpsc::channel(1);
        refill.try_send(()).unwrap();
        let shelver = Shelver.spawn();
        shelver.recv(endless, refill).tell().await.unwrap();
        let other = clerk(1);
        for _ in 0..100 {
            within(other.ping()).await.unwrap();
            tokio::task::yield_now().await;
        }
        shelver.kill();
        assert!(matches!(within(shelver.join()).await, ExitReason::Killed));
    });
}

/// A waker that panics when it is woken.
struct Alarm;

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        panic!("woken");
    }
}

/// A waker that asks the actor when it is dropped.
struct Asker(ClerkHandle);

impl Wake for Asker {
    fn wake(self: Arc<Self>) {}
}

impl Drop for Asker {
    fn drop(&mut self) {
        let _ = self.0.ping().try_tell();
        let mut ask = Box::pin(self.0.ping());
        let _ = ask.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    }
}

#[test]
fn an_askers_waker_that_panics_or_asks_again_does_not_harm_the_actor() {
    on_each_seat(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(8, ledger.note(BUSY, 0)).await;
        let alarm = Waker::from(Arc::new(Alarm));
        let meddler = Waker::from(Arc::new(Asker(clerk.clone())));
        let mut alarmed = Box::pin(clerk.file(ledger.note(0, 0)));
        let mut meddled = Box::pin(clerk.file(ledger.note(0, 1)));
        assert!(
            alarmed
                .as_mut()
                .poll(&mut Context::from_waker(&alarm))
                .is_pending()
        );
        assert!(
            meddled
                .as_mut()
                .poll(&mut Context::from_waker(&meddler))
                .is_pending()
        );
        drop(meddler);
        gate.open();
        within(clerk.defer(ledger.note(0, 2))).await.unwrap();
        assert!(!clerk.is_stopped());
        assert_eq!(within(alarmed).await.unwrap(), 0);
        assert_eq!(within(meddled).await.unwrap(), 1);
        within(clerk.ping()).await.unwrap();
        assert_at_rest(&clerk);
        assert_eq!(ledger.settle().handled, 4);
    });
}

#[test]
fn a_waker_that_panics_when_its_actor_ends_does_not_keep_others_from_the_news() {
    on_each_seat(|| async {
        let ledger = Ledger::default();
        let (clerk, _gate) = busy_clerk(1, ledger.note(BUSY, 0)).await;
        let alarm = Waker::from(Arc::new(Alarm));
        let mut queued = Box::pin(clerk.file(ledger.note(0, 0)));
        let mut waits = Box::pin(clerk.file(ledger.note(1, 0)).tell());
        let mut joins = Box::pin(clerk.join());
        assert!(
            queued
                .as_mut()
                .poll(&mut Context::from_waker(&alarm))
                .is_pending()
        );
        assert!(
            waits
                .as_mut()
                .poll(&mut Context::from_waker(&alarm))
                .is_pending()
        );
        assert!(
            joins
                .as_mut()
                .poll(&mut Context::from_waker(&alarm))
                .is_pending()
        );
        let other = clerk.join();
        let late = clerk.file(ledger.note(2, 0)).tell();
        let news = futures::future::join(other, late);
        let mut news = Box::pin(news);
        assert!(poll_once(&mut news).await.is_pending());
        // The waker may panic where the kill is called: what follows is what counts.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| clerk.kill()));
        let (reason, late) = within(news).await;
        assert!(matches!(reason, ExitReason::Killed));
        late.unwrap_err().into_message().note.returned();
        within(waits)
            .await
            .unwrap_err()
            .into_message()
            .note
            .returned();
        let queued = within(queued).await.unwrap_err();
        queued
            .into_message::<crate::actor::clerk::ClerkFile>()
            .unwrap()
            .note
            .returned();
        assert!(matches!(within(joins).await, ExitReason::Killed));
        assert_at_rest(&clerk);
        assert_eq!(ledger.settle().returned, 3);
    });
}
