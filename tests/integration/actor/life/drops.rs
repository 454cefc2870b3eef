//! Drops that reach back into actors, and what is left of an actor that has ended.

use std::sync::Arc;

use greenroom::{Builder, ExitReason, Runtime, WeakHandle, actor};

use crate::actor::clerk::{ClerkFile, ClerkHandle, clerk};
use crate::actor::support::{
    Flavor, Gate, Ledger, Note, assert_at_rest, on_each_seat, on_thread, within,
};

/// When it is dropped, tells its own actor and others; what is refused comes back.
struct Chatter {
    own: Option<WeakHandle<Host>>,
    others: Vec<ClerkHandle>,
    ledger: Ledger,
}

impl Drop for Chatter {
    fn drop(&mut self) {
        let note = || self.ledger.single();
        for clerk in &self.others {
            if let Err(error) = clerk.try_tell(ClerkFile { note: note() }) {
                error.into_message().note.returned();
            }
        }
        if let Some(own) = self.own.as_ref().and_then(WeakHandle::upgrade)
            && let Err(error) = own.file(note()).try_tell()
        {
            error.into_message().note.returned();
        }
    }
}

/// Holds chatters: in its state, in its handlers, in its mailbox.
#[actor(mailbox = 8)]
struct Host {
    guest: Option<Chatter>,
}

#[actor]
impl Host {
    async fn hold(&mut self, chatter: Chatter, gate: Gate) {
        gate.pass().await;
        drop(chatter);
    }

    fn lodge(&mut self, chatter: Chatter) {
        self.guest = Some(chatter);
    }

    fn file(&mut self, note: Note) {
        note.handled();
    }
}

/// A host with chatters everywhere, five of them queued, and the sibling and the stopped actor
/// that they tell.
async fn full_host(ledger: &Ledger) -> (HostHandle, ClerkHandle, ClerkHandle, Gate) {
    let host = Host { guest: None }.spawn();
    let (sibling, stopped, gate) = (clerk(8), clerk(8), Gate::shut());
    stopped.stop();
    within(stopped.join()).await;
    let chatter = || Chatter {
        own: Some(host.downgrade()),
        others: vec![sibling.clone(), stopped.clone()],
        ledger: ledger.clone(),
    };
    within(host.lodge(chatter())).await.unwrap();
    host.hold(chatter(), gate.clone()).tell().await.unwrap();
    gate.reached().await;
    for _ in 0..5 {
        host.hold(chatter(), gate.clone()).tell().await.unwrap();
    }
    (host, sibling, stopped, gate)
}

#[test]
fn messages_and_states_that_tell_actors_when_they_are_dropped_do_not_hang_a_kill() {
    on_each_seat(|| async {
        let ledger = Ledger::default();
        let (host, sibling, stopped, _gate) = full_host(&ledger).await;
        host.kill();
        assert!(matches!(within(host.join()).await, ExitReason::Killed));
        within(sibling.ping()).await.unwrap();
        assert_at_rest(&host);
        assert_at_rest(&sibling);
        assert_at_rest(&stopped);
        let tally = ledger.settle();
        assert_eq!((tally.handled, tally.returned), (7, 14));
    });
}

#[test]
fn messages_and_states_that_tell_actors_when_they_are_dropped_do_not_hang_a_stop() {
    on_each_seat(|| async {
        let ledger = Ledger::default();
        let (host, sibling, _, gate) = full_host(&ledger).await;
        host.stop();
        gate.open();
        assert!(matches!(within(host.join()).await, ExitReason::Stopped));
        within(sibling.ping()).await.unwrap();
        assert_at_rest(&host);
        assert_at_rest(&sibling);
        let tally = ledger.settle();
        assert_eq!((tally.handled, tally.returned), (7, 14));
    });
}

#[test]
fn messages_states_and_tasks_that_tell_actors_when_they_are_dropped_do_not_hang_a_shutdown() {
    for flavor in Flavor::ALL {
        on_thread(move || {
            let (ledger, runtime) = (Ledger::default(), flavor.build());
            let (host, sibling) = runtime.block_on(async {
                let (host, sibling, _, gate) = full_host(&ledger).await;
                let chatter = Chatter {
                    own: Some(host.downgrade()),
                    others: vec![sibling.clone()],
                    ledger: ledger.clone(),
                };
                let held = Gate::shut();
                greenroom::spawn({
                    let held = held.clone();
                    async move {
                        held.pass().await;
                        drop((chatter, gate));
                    }
                });
                held.reached().await;
                (host, sibling)
            });
            drop(runtime);
            assert!(matches!(host.exit_reason(), Some(ExitReason::RuntimeGone)));
            assert!(matches!(
                sibling.exit_reason(),
                Some(ExitReason::RuntimeGone)
            ));
            assert_at_rest(&host);
            assert_at_rest(&sibling);
            ledger.settle();
        });
    }
}

/// Something large; the token counts who still has it.
struct Ballast {
    _bytes: Vec<u8>,
    _token: Arc<()>,
}

impl Ballast {
    fn new(token: &Arc<()>) -> Self {
        Self {
            _bytes: vec![1; 10 << 20],
            _token: token.clone(),
        }
    }
}

#[actor(mailbox = 2)]
struct Ship {
    _cargo: Ballast,
}

#[actor]
impl Ship {
    async fn carry(&mut self, ballast: Ballast, gate: Gate) {
        gate.pass().await;
        drop(ballast);
    }
}

#[test]
fn an_ended_actor_that_handles_still_name_keeps_its_reason_and_nothing_large() {
    on_each_seat(|| async {
        for kill in [false, true] {
            let (token, gate) = (Arc::new(()), Gate::shut());
            let ship = Builder::new(Ship {
                _cargo: Ballast::new(&token),
            })
            .name("ship")
            .spawn();
            ship.carry(Ballast::new(&token), gate.clone())
                .tell()
                .await
                .unwrap();
            gate.reached().await;
            ship.carry(Ballast::new(&token), gate.clone())
                .tell()
                .await
                .unwrap();
            assert_eq!(Arc::strong_count(&token), 4);
            if kill {
                ship.kill();
            } else {
                ship.stop();
                gate.open();
            }
            let reason = within(ship.join()).await;
            assert_eq!(Arc::strong_count(&token), 1);
            assert!(ship.is_stopped());
            assert_eq!(ship.exit_reason().unwrap().to_string(), reason.to_string());
            assert_eq!(ship.name(), "ship");
            assert_at_rest(&ship);
        }
    });
}

#[test]
fn a_handle_that_outlives_its_runtime_keeps_nothing_large() {
    for flavor in Flavor::ALL {
        on_thread(move || {
            let (token, runtime): (_, Runtime) = (Arc::new(()), flavor.build());
            let ship = runtime.block_on(async {
                let (ship, gate) = (
                    Ship {
                        _cargo: Ballast::new(&token),
                    }
                    .spawn(),
                    Gate::shut(),
                );
                ship.carry(Ballast::new(&token), gate.clone())
                    .tell()
                    .await
                    .unwrap();
                gate.reached().await;
                ship.carry(Ballast::new(&token), gate).tell().await.unwrap();
                ship
            });
            drop(runtime);
            assert_eq!(Arc::strong_count(&token), 1);
            assert!(ship.is_stopped());
        });
    }
}
