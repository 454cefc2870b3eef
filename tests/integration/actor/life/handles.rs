//! The last handle: wherever it is dropped, the actor notices.

use std::sync::{Arc, Barrier};
use std::thread;

use greenroom::{Builder, Context, ExitReason, Handle, WeakHandle, actor};

use crate::actor::clerk::{Clerk, ClerkHandle, busy_clerk, clerk};
use crate::actor::support::{BUSY, Ledger, assert_at_rest, on_each_seat, until, within};

#[test]
fn an_idle_actor_ends_when_a_plain_thread_drops_its_last_handle() {
    on_each_seat(|| async {
        for _ in 0..100 {
            let clerk = clerk(1);
            within(clerk.ping()).await.unwrap();
            let weak = clerk.downgrade();
            let thread = thread::spawn(move || drop(clerk));
            assert!(matches!(within(weak.join()).await, ExitReason::Dropped));
            thread.join().unwrap();
        }
    });
}

/// Keeps a clerk until it is told to let it go.
#[actor]
struct Keeper {
    clerk: Option<ClerkHandle>,
}

#[actor]
impl Keeper {
    fn let_go(&mut self) {
        self.clerk = None;
    }

    async fn let_go_later(&mut self) {
        let clerk = self.clerk.take();
        tokio::task::yield_now().await;
        drop(clerk);
    }
}

#[test]
fn an_idle_actor_ends_when_another_actors_handler_drops_its_last_handle() {
    on_each_seat(|| async {
        for round in 0..100 {
            let clerk = clerk(1);
            let weak = clerk.downgrade();
            let keeper = Keeper { clerk: Some(clerk) }.spawn();
            match round % 2 {
                0 => within(keeper.let_go()).await.unwrap(),
                _ => within(keeper.let_go_later()).await.unwrap(),
            }
            assert!(matches!(within(weak.join()).await, ExitReason::Dropped));
            assert_at_rest(&keeper);
        }
    });
}

#[test]
fn an_idle_actor_ends_when_the_state_that_kept_its_last_handle_is_dropped() {
    on_each_seat(|| async {
        for round in 0..100 {
            let clerk = clerk(1);
            let weak = clerk.downgrade();
            let keeper = Keeper { clerk: Some(clerk) }.spawn();
            match round % 3 {
                0 => keeper.stop(),
                1 => keeper.kill(),
                _ => drop(keeper),
            }
            assert!(matches!(within(weak.join()).await, ExitReason::Dropped));
        }
    });
}

#[test]
fn an_upgrade_that_races_the_last_drop_gets_a_living_actor_or_none() {
    on_each_seat(|| async {
        let (mut lived, mut ended) = (0, 0);
        for _ in 0..300 {
            let clerk = clerk(1);
            let weak = clerk.downgrade();
            let barrier = Arc::new(Barrier::new(2));
            let thread = thread::spawn({
                let barrier = barrier.clone();
                move || {
                    barrier.wait();
                    drop(clerk);
                }
            });
            barrier.wait();
            match weak.upgrade() {
                Some(clerk) => {
                    lived += 1;
                    until(|| thread.is_finished()).await;
                    within(clerk.ping()).await.unwrap();
                    assert_eq!(clerk.handle_count(), 1);
                    assert_at_rest(&clerk);
                }
                None => ended += 1,
            }
            thread.join().unwrap();
            assert!(matches!(within(weak.join()).await, ExitReason::Dropped));
            assert!(weak.upgrade().is_none());
        }
        assert_eq!(lived + ended, 300);
    });
}

#[test]
fn a_request_keeps_its_actor_only_while_it_owns_or_borrows_a_handle() {
    on_each_seat(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(2, ledger.note(BUSY, 0)).await;
        let weak = clerk.downgrade();
        let ask = clerk.file(ledger.note(0, 3)).into_owned();
        assert_eq!(clerk.handle_count(), 2);
        drop(clerk);
        gate.open();
        assert_eq!(within(ask).await.unwrap(), 3);
        assert!(matches!(within(weak.join()).await, ExitReason::Dropped));
        assert_eq!(ledger.settle().handled, 2);
    });
}

#[test]
fn a_recipient_keeps_its_actor_and_a_weak_handle_does_not() {
    on_each_seat(|| async {
        let (ledger, clerk) = (Ledger::default(), clerk(1));
        let (recipient, weak) = (clerk.recipient(), clerk.downgrade());
        drop(clerk);
        within(recipient.tell(crate::actor::clerk::ClerkFile {
            note: ledger.note(0, 0),
        }))
        .await
        .unwrap();
        assert_eq!(recipient.identity(), weak.identity());
        let again = weak.upgrade().expect("the recipient keeps it");
        within(again.ping()).await.unwrap();
        assert_at_rest(&again);
        drop(again);
        drop(recipient);
        assert!(matches!(within(weak.join()).await, ExitReason::Dropped));
        assert_eq!(ledger.settle().handled, 1);
    });
}

/// Tells itself one message more, while it can.
#[actor(mailbox = 4)]
struct Echo {
    heard: Arc<std::sync::Mutex<Vec<bool>>>,
}

#[actor]
impl Echo {
    fn again(&mut self, ctx: &mut Context<Self>) {
        let told = ctx.handle().again().try_tell();
        self.heard.lock().unwrap().push(told.is_ok());
    }

    #[on(stop)]
    async fn end(&mut self, ctx: &mut Context<Self>) {
        let told = ctx.handle().again().tell().await;
        self.heard.lock().unwrap().push(told.is_ok());
    }
}

#[test]
fn an_actor_whose_last_handle_is_gone_accepts_nothing_more_not_even_from_itself() {
    on_each_seat(|| async {
        let heard = Arc::default();
        let echo = Echo {
            heard: Arc::clone(&heard),
        }
        .spawn();
        let weak: WeakHandle<Echo> = echo.downgrade();
        echo.again().tell().await.unwrap();
        until(|| heard.lock().unwrap().len() > 2).await;
        drop(echo);
        assert!(matches!(within(weak.join()).await, ExitReason::Dropped));
        let heard = heard.lock().unwrap();
        let accepted = heard.iter().take_while(|told| **told).count();
        assert_eq!(
            heard[accepted..],
            [false, false],
            "refused in a handler, then in the hook"
        );
    });
}

#[test]
fn handles_of_one_actor_are_equal_and_of_two_are_not() {
    on_each_seat(|| async {
        let (one, two) = (Builder::new(Clerk).name("one").spawn(), Clerk.spawn());
        assert_eq!(one, one.clone());
        assert_ne!(one, two);
        assert_eq!(one.downgrade().upgrade().unwrap(), one);
        assert_eq!((Handle::name(&one), Handle::name(&two)), ("one", "Clerk"));
        assert_eq!(one.identity().to_string(), format!("one#{}", one.id()));
        let set: std::collections::HashSet<_> = [one.clone(), one.clone(), two].into();
        assert_eq!(set.len(), 2);
    });
}
