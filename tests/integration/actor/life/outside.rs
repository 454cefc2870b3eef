//! The ends of actors, as those hear of them who are none.

use futures::StreamExt;
use greenroom::{Builder, Down, Ends, ExitReason, Handle, actor, registry};

use super::scene::{Log, Parting};
use crate::actor::support::{Flavor, on_thread, poll_once, within};

#[actor]
struct Guest {
    _parting: Option<Parting>,
}

#[actor]
impl Guest {
    fn fall(&mut self) {
        panic!("off the chair")
    }
}

fn guest() -> Builder<Guest> {
    Builder::new(Guest { _parting: None })
}

fn said(down: Option<Down>) -> String {
    let Down { actor, reason, .. } = down.expect("an end");
    format!("{}: {reason}", actor.name())
}

#[test]
fn ends_are_told_once_each_as_they_come_and_then_there_is_no_next() {
    for flavor in Flavor::ALL {
        on_thread(move || {
            flavor.build().block_on(async {
                let [ann, bob, eve] = ["ann", "bob", "eve"].map(|name| guest().name(name).spawn());
                let mut ends = Ends::new();
                for guest in [&ann, &bob, &eve] {
                    ends.watch(guest);
                }
                assert_eq!(ends.len(), 3);
                bob.kill();
                assert_eq!(
                    said(within(Ends::next(&mut ends)).await),
                    "bob: it was killed"
                );
                eve.fall().try_tell().unwrap();
                let eves = said(within(Ends::next(&mut ends)).await);
                assert!(eves.starts_with("eve: it panicked"), "{eves}");
                drop(ann);
                let anns = said(within(Ends::next(&mut ends)).await);
                assert_eq!(anns, "ann: its last handle was dropped");
                assert!(ends.is_empty() && within(Ends::next(&mut ends)).await.is_none());
            });
        });
    }
}

#[greenroom::test]
async fn an_end_is_told_of_when_nothing_is_left_and_before_who_joins_is_told() {
    let log = Log::default();
    let parting = Some(Parting("state dropped", log.clone()));
    let guest = Builder::new(Guest { _parting: parting })
        .register("guest")
        .spawn();
    let mut ends = Ends::new();
    ends.watch(&guest);
    let weak = guest.downgrade();
    drop(guest);
    let reason = within(weak.join()).await;
    assert!(matches!(reason, ExitReason::Dropped));
    log.assert(&["state dropped"]);
    assert!(registry().get::<Guest>("guest").is_err());
    // It has come: no wait.
    assert!(
        poll_once(&mut Box::pin(Ends::next(&mut ends)))
            .await
            .is_ready()
    );
}

#[greenroom::test]
async fn who_has_ended_is_told_of_at_once_and_who_is_watched_twice_is_twice() {
    let guest = guest().spawn();
    let mut ends = Ends::new();
    ends.watch(&guest);
    guest.kill();
    within(guest.join()).await;
    ends.watch(&guest.erase());
    assert_eq!(StreamExt::collect::<Vec<_>>(ends).await.len(), 2);
}

#[greenroom::test]
async fn ends_that_were_dropped_leave_nothing_with_who_was_watched() {
    let guest = guest().spawn();
    for _ in 0..3 {
        let mut ends = Ends::new();
        ends.watch(&guest);
        ends.watch(&guest);
        assert!(
            poll_once(&mut Box::pin(Ends::next(&mut ends)))
                .await
                .is_pending()
        );
    }
    assert_eq!(guest.handle_count(), 1);
    let mut ends = Ends::new();
    ends.watch(&guest);
    within(Handle::shutdown(&guest)).await;
    assert_eq!(ends.len(), 1);
    assert!(within(Ends::next(&mut ends)).await.is_some());
    assert_eq!(format!("{ends:?}"), "Ends { len: 0 }");
}

#[greenroom::test]
async fn a_restart_is_no_end_for_who_is_no_actor_either() {
    let guest = Builder::restartable(|| Guest { _parting: None }).spawn();
    let mut ends = Ends::new();
    ends.watch(&guest);
    Handle::restart(&guest).unwrap();
    while Handle::incarnation(&guest) < 2 {
        tokio::task::yield_now().await;
    }
    assert!(
        poll_once(&mut Box::pin(Ends::next(&mut ends)))
            .await
            .is_pending()
    );
    guest.stop();
    assert_eq!(
        said(within(Ends::next(&mut ends)).await),
        "Guest: it was stopped"
    );
}

#[test]
fn the_end_of_a_runtime_is_told_of_to_who_waits_on_another() {
    on_thread(|| {
        let there = Flavor::TwoWorkers.build();
        let guest = there.block_on(async { guest().spawn() });
        let mut ends = Ends::new();
        ends.watch(&guest);
        drop(there);
        let down = Flavor::ALL[0]
            .build()
            .block_on(within(Ends::next(&mut ends)));
        assert_eq!(said(down), "Guest: its runtime ended");
    });
}
