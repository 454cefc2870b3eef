//! Futures, contexts and handles that outlive what they were made of.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::task::Waker;

use futures::executor::block_on;
use greenroom::{Context, ExitReason, Handle, Recipient, WeakHandle, actor};

use crate::actor::clerk::{ClerkHandle, clerk};
use crate::actor::support::{
    Flavor, Gate, LIMIT, Ledger, on_each_runtime, on_runtime, on_thread, poll_once, within,
};

/// Nothing that these types say keeps them from being dropped after what they borrow: so the
/// handle goes first, then the actor, then its runtime, and what a request touches in its drop
/// must be kept by the request itself.
macro_rules! dropped_last {
    ($($name:ident: |$clerk:ident, $note:ident| $request:expr;)*) => {$(
        #[test]
        fn $name() {
            on_thread(|| {
                let ledger = Ledger::default();
                {
                    let runtime = Flavor::OneThread.build();
                    let mut request;
                    let weak;
                    {
                        let _inside = runtime.enter();
                        let $clerk: ClerkHandle = clerk(1);
                        $clerk.file(ledger.note(0, 0)).try_tell().unwrap();
                        let $note = ledger.note(0, 1);
                        request = Box::pin($request);
                        let mut context = std::task::Context::from_waker(Waker::noop());
                        assert!(request.as_mut().poll(&mut context).is_pending());
                        assert_eq!($clerk.waiting_senders(), 1);
                        weak = $clerk.downgrade();
                    }
                    let reason = runtime.block_on(within(weak.join()));
                    assert!(matches!(reason, ExitReason::Dropped), "{reason:?}");
                    drop((weak, runtime));
                    assert_eq!(ledger.tally().open, 1, "it is still with its request");
                }
                let tally = ledger.settle();
                assert_eq!((tally.handled, tally.discarded), (1, 1));
            });
        }
    )*};
}

dropped_last! {
    a_waiting_ask_may_be_dropped_after_its_handle_and_its_actor: |clerk, note| clerk.file(note);
    a_waiting_tell_may_be_dropped_after_its_handle_and_its_actor:
        |clerk, note| clerk.file(note).tell();
    a_waiting_ask_with_a_limit_may_be_dropped_after_its_handle_and_its_actor:
        |clerk, note| clerk.file(note).timeout(LIMIT);
    a_waiting_tell_with_a_limit_may_be_dropped_after_its_handle_and_its_actor:
        |clerk, note| clerk.file(note).tell().timeout(LIMIT);
}

#[test]
fn a_waiting_request_that_owns_its_handle_may_be_dropped_after_its_runtime() {
    on_thread(|| {
        for flavor in Flavor::ALL {
            let (ledger, gate) = (Ledger::default(), Gate::shut());
            let runtime = flavor.build();
            let mut ids = Vec::new();
            let mut asks = runtime.block_on(async {
                let clerk = clerk(1);
                let busy = clerk.hold(ledger.note(0, 0), gate.clone()).tell();
                busy.await.unwrap();
                gate.reached().await;
                let mut asks = Vec::new();
                for index in 1..4 {
                    let note = ledger.note(0, index);
                    ids.push(note.id);
                    let mut ask = Box::pin(clerk.file(note).into_owned());
                    assert!(poll_once(&mut ask).await.is_pending());
                    asks.push(ask);
                }
                assert_eq!(clerk.waiting_senders(), 2);
                asks
            });
            drop(runtime);
            // The first was accepted: its message comes back with the answer that nobody reads.
            drop(asks.remove(0));
            for (id, ask) in ids.into_iter().skip(1).zip(asks) {
                ledger.withdraw(id, ask);
            }
            let tally = ledger.settle();
            assert_eq!((tally.handled, tally.withdrawn, tally.discarded), (1, 2, 1));
        }
    });
}

/// Its state, its messages and its replies can be sent, but not shared.
#[actor]
struct Loner {
    count: Cell<u32>,
}

#[actor]
impl Loner {
    fn add(&mut self, count: Cell<u32>) -> Cell<u32> {
        self.count.set(self.count.get() + count.get());
        Cell::new(self.count.get())
    }
}

fn send<T: Send>(value: T) -> T {
    value
}

fn send_and_sync<T: Send + Sync>(value: T) -> T {
    value
}

#[test]
fn futures_of_an_actor_that_cannot_be_shared_are_send_and_its_handles_are_sync_too() {
    on_runtime(Flavor::TwoWorkers, || async {
        let loner = send_and_sync(
            Loner {
                count: Cell::new(0),
            }
            .spawn(),
        );
        let weak: WeakHandle<Loner> = send_and_sync(loner.downgrade());
        let recipient: Recipient<LonerAdd> = send_and_sync(loner.recipient());
        let raw: Handle<Loner> = send_and_sync(Handle::clone(&loner));
        let one = || Cell::new(1);
        within(send(loner.add(one()))).await.unwrap();
        within(send(loner.add(one()).tell())).await.unwrap();
        within(send(loner.add(one()).timeout(LIMIT))).await.unwrap();
        within(send(loner.add(one()).tell().timeout(LIMIT)))
            .await
            .unwrap();
        within(send(loner.add(one()).into_owned())).await.unwrap();
        within(send(raw.ask(LonerAdd { count: one() })))
            .await
            .unwrap();
        within(send(raw.tell(LonerAdd { count: one() })))
            .await
            .unwrap();
        within(send(recipient.tell(LonerAdd { count: one() })))
            .await
            .unwrap();
        assert_eq!(within(loner.add(one())).await.unwrap().get(), 9);
        loner.stop();
        within(send(loner.join())).await;
        within(send(raw.join())).await;
        within(send(weak.join())).await;
    });
}

/// Keeps what may lead back to itself.
#[actor]
struct Keeper {
    me: Option<KeeperHandle>,
    host: Option<tokio::runtime::Runtime>,
    parting: Parting,
}

/// Counts the states that went.
#[derive(Clone, Default)]
struct Parting(Arc<AtomicUsize>);

impl Drop for Keeper {
    fn drop(&mut self) {
        self.parting.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[actor]
impl Keeper {
    fn keep(&mut self, ctx: &mut Context<Self>) {
        self.me = Some(ctx.handle());
    }

    fn ping(&mut self) -> bool {
        self.host.is_some()
    }

    fn carry(&mut self, handle: KeeperHandle) {
        drop(handle);
    }

    async fn hold(&mut self, gate: Gate) {
        gate.pass().await;
    }
}

fn keeper(parting: &Parting) -> KeeperHandle {
    spawn_keeper(None, parting)
}

fn spawn_keeper(host: Option<tokio::runtime::Runtime>, parting: &Parting) -> KeeperHandle {
    let (me, parting) = (None, parting.clone());
    Keeper { me, host, parting }.spawn()
}

#[test]
fn an_actor_that_keeps_its_own_handle_lives_until_it_is_told_to_end() {
    on_each_runtime(|| async {
        type Told = (fn(&KeeperHandle), fn(&ExitReason) -> bool);
        let told: [Told; 2] = [
            (|me| me.stop(), |end| matches!(end, ExitReason::Stopped)),
            (|me| me.kill(), |end| matches!(end, ExitReason::Killed)),
        ];
        for (tell, is_reason) in told {
            let parting = Parting::default();
            let keeper = keeper(&parting);
            let weak = keeper.downgrade();
            within(keeper.keep()).await.unwrap();
            drop(keeper);
            let keeper = weak.upgrade().expect("it keeps itself");
            assert!(!within(keeper.ping()).await.unwrap());
            tell(&keeper);
            drop(keeper);
            let reason = within(weak.join()).await;
            assert!(is_reason(&reason), "{reason:?}");
            assert!(weak.upgrade().is_none());
            assert_eq!(parting.0.load(Ordering::SeqCst), 1);
        }
    });
}

#[test]
fn an_actor_that_keeps_its_own_handle_goes_with_its_runtime() {
    on_thread(|| {
        for flavor in Flavor::ALL {
            let (runtime, parting) = (flavor.build(), Parting::default());
            let weak = runtime.block_on(async {
                let keeper = keeper(&parting);
                within(keeper.keep()).await.unwrap();
                keeper.downgrade()
            });
            drop(runtime);
            assert_eq!(parting.0.load(Ordering::SeqCst), 1);
            assert!(matches!(block_on(weak.join()), ExitReason::RuntimeGone));
            assert!(weak.upgrade().is_none());
        }
    });
}

#[test]
fn an_actor_whose_state_owns_its_runtime_ends_with_its_last_handle() {
    on_thread(|| {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        let host = builder.worker_threads(2).enable_all().build().unwrap();
        let (inside, parting) = (host.handle().clone(), Parting::default());
        let keeper = {
            let _inside = inside.enter();
            spawn_keeper(Some(host), &parting)
        };
        assert!(keeper.ping().blocking().unwrap());
        let weak = keeper.downgrade();
        drop(keeper);
        let (done, joined) = mpsc::channel();
        std::thread::spawn(move || done.send(block_on(weak.join())));
        let reason = joined.recv_timeout(LIMIT).expect("a hang");
        assert!(matches!(reason, ExitReason::Dropped), "{reason:?}");
        assert_eq!(parting.0.load(Ordering::SeqCst), 1);
    });
}

#[test]
fn a_message_that_holds_the_last_handle_of_its_actor_may_be_discarded_with_it() {
    on_each_runtime(|| async {
        let (parting, gate) = (Parting::default(), Gate::shut());
        let keeper = keeper(&parting);
        let weak = keeper.downgrade();
        keeper.hold(gate.clone()).tell().await.unwrap();
        gate.reached().await;
        keeper.carry(keeper.clone()).tell().await.unwrap();
        drop(keeper);
        weak.upgrade().expect("in the message").kill();
        let reason = within(weak.join()).await;
        assert!(matches!(reason, ExitReason::Killed), "{reason:?}");
        assert!(weak.upgrade().is_none());
        assert_eq!(parting.0.load(Ordering::SeqCst), 1);
    });
}

#[test]
fn a_handler_that_drops_the_last_handle_of_its_actor_is_its_last() {
    on_each_runtime(|| async {
        let parting = Parting::default();
        let keeper = keeper(&parting);
        let weak = keeper.downgrade();
        let last = keeper.carry(keeper.clone()).try_tell();
        drop(keeper);
        last.unwrap();
        let reason = within(weak.join()).await;
        assert!(matches!(reason, ExitReason::Dropped), "{reason:?}");
        assert_eq!(parting.0.load(Ordering::SeqCst), 1);
    });
}
