//! The state that an actor leaves to who asked for it.

use std::error::Error;
use std::rc::Rc;

use greenroom::{Builder, Child, Context, ExitReason, Handle, Supervisor, actor};

use super::scene::{Log, Parting};
use crate::actor::support::{Flavor, Gate, on_thread, poll_once, within};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    Start,
    Handler,
    Stop,
}

#[actor(mailbox = 8)]
struct Purse {
    coins: u32,
    lives: u64,
    fault: Fault,
    log: Log,
    _parting: Parting,
}

fn purse(fault: Fault, log: &Log) -> Purse {
    Purse {
        coins: 0,
        lives: 0,
        fault,
        log: log.clone(),
        _parting: Parting("state dropped", log.clone()),
    }
}

#[actor]
impl Purse {
    #[on(start)]
    fn begin(&mut self, ctx: &Context<Self>) -> Result<(), &'static str> {
        self.lives = ctx.incarnation();
        if self.fault == Fault::Start {
            Err("torn")
        } else {
            Ok(())
        }
    }

    fn put(&mut self, n: u32) -> u32 {
        assert!(self.fault != Fault::Handler, "a hole");
        self.coins += n;
        self.coins
    }

    fn life(&self, ctx: &Context<Self>) -> u64 {
        assert_eq!(ctx.incarnation(), self.lives);
        self.lives
    }

    async fn hold(&mut self, gate: Gate) {
        gate.pass().await;
    }

    #[on(stop)]
    fn end(&mut self, reason: &ExitReason) {
        self.log.say(format!("stop hook: {reason}"));
        assert!(self.fault != Fault::Stop, "it tore");
    }
}

#[test]
fn who_asks_for_the_state_gets_it_after_the_last_message_and_the_stop_hook() {
    for flavor in Flavor::ALL {
        on_thread(move || {
            flavor.build().block_on(async {
                for is_blocking in [false, true] {
                    let log = Log::default();
                    let builder = Builder::new(purse(Fault::None, &log));
                    let purse = if is_blocking {
                        builder.blocking()
                    } else {
                        builder
                    }
                    .spawn();
                    for _ in 0..3 {
                        purse.put(2).try_tell().unwrap();
                    }
                    let state = within(Handle::join_state(&purse)).await.unwrap();
                    assert_eq!(state.coins, 6);
                    log.assert(&["stop hook: it was stopped"]);
                    assert!(matches!(purse.exit_reason(), Some(ExitReason::Stopped)));
                    drop(state);
                    drop(purse);
                    log.assert(&["stop hook: it was stopped", "state dropped"]);
                }
            });
        });
    }
}

#[greenroom::test]
async fn an_end_that_is_not_normal_leaves_no_state_and_drops_it() {
    for (fault, text) in [
        (Fault::Start, "left no state: its start hook failed: torn"),
        (Fault::Handler, "a hole"),
        (
            Fault::Stop,
            "left no state: it panicked in its stop hook: it tore",
        ),
    ] {
        let log = Log::default();
        let purse = purse(fault, &log).spawn();
        drop(purse.put(1).try_tell());
        let error = within(Handle::join_state(&purse))
            .await
            .map(drop)
            .unwrap_err();
        assert!(error.to_string().ends_with(text), "{error}");
        assert!(error.source().is_some() && !error.is_lost());
        assert_eq!(error.actor(), &purse.identity());
        assert_eq!(log.lines().last().unwrap(), "state dropped");
    }
    let log = Log::default();
    let purse = purse(Fault::None, &log).spawn();
    let gate = Gate::shut();
    purse.hold(gate.clone()).try_tell().unwrap();
    gate.reached().await;
    let mut state = Box::pin(Handle::join_state(&purse));
    assert!(poll_once(&mut state).await.is_pending());
    purse.kill();
    let error = within(state).await.map(drop).unwrap_err();
    assert!(matches!(error.reason(), ExitReason::Killed));
    log.assert(&["state dropped"]);
}

#[greenroom::test]
async fn of_several_who_ask_for_the_state_the_first_that_waits_gets_it() {
    let log = Log::default();
    let purse = purse(Fault::None, &log).spawn();
    let gate = Gate::shut();
    purse.hold(gate.clone()).try_tell().unwrap();
    gate.reached().await;
    let mut asks = [(); 3].map(|()| Box::pin(Handle::join_state(&purse)));
    for ask in &mut asks {
        assert!(poll_once(ask).await.is_pending());
    }
    let [first, second, third] = asks;
    drop(first);
    gate.open();
    let error = within(third).await.map(drop).unwrap_err();
    assert!(error.is_lost() && error.reason().is_normal());
    assert!(
        error
            .to_string()
            .ends_with("left its state to another who asked")
    );
    assert!(within(second).await.is_ok());
    let late = within(Handle::join_state(&purse))
        .await
        .map(drop)
        .unwrap_err();
    assert!(!late.is_lost() && late.to_string().ends_with("left no state: it was stopped"));
    log.assert(&["stop hook: it was stopped", "state dropped"]);
}

/// It is not `Send`.
#[actor(local)]
struct Drawer {
    _here: Rc<()>,
    _parting: Parting,
}

#[actor(local)]
impl Drawer {}

#[greenroom::test]
async fn a_local_actor_leaves_no_state_and_drops_it_where_it_lived() {
    let log = Log::default();
    let parting = Parting("state dropped", log.clone());
    let drawer = Drawer::spawn(move || Drawer {
        _here: Rc::default(),
        _parting: parting,
    });
    let error = within(Handle::join_state(&drawer))
        .await
        .map(drop)
        .unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("is local: its state does not leave its thread")
    );
    assert!(error.reason().is_normal() && !error.is_lost());
    log.assert(&["state dropped"]);
}

#[greenroom::test]
async fn a_state_that_nobody_waits_for_any_more_is_dropped() {
    let log = Log::default();
    let purse = purse(Fault::None, &log).spawn();
    let gate = Gate::shut();
    purse.hold(gate.clone()).try_tell().unwrap();
    gate.reached().await;
    let mut ask = Box::pin(Handle::join_state(&purse));
    assert!(poll_once(&mut ask).await.is_pending());
    drop(ask);
    gate.open();
    assert!(matches!(within(purse.join()).await, ExitReason::Stopped));
    log.assert(&["stop hook: it was stopped", "state dropped"]);
    // What was given and not taken goes with who asked.
    let purse = purse_that_is_given(&log).await;
    assert!(purse.is_stopped());
    assert_eq!(log.lines().last().unwrap(), "state dropped");
}

async fn purse_that_is_given(log: &Log) -> PurseHandle {
    let purse = purse(Fault::None, log).spawn();
    let mut ask = Box::pin(Handle::join_state(&purse));
    assert!(poll_once(&mut ask).await.is_pending());
    within(purse.join()).await;
    drop(ask);
    purse
}

#[greenroom::test]
async fn a_restart_leaves_no_state_and_a_context_knows_which_life_it_is() {
    let log = Log::default();
    let made = log.clone();
    let purse = Builder::restartable(move || purse(Fault::None, &made)).spawn();
    assert_eq!(within(purse.life()).await.unwrap(), 1);
    let mut ask = Box::pin(Handle::join_state(&purse));
    Handle::restart(&purse).unwrap();
    assert_eq!(within(purse.life()).await.unwrap(), 2);
    let state = within(&mut ask).await.unwrap();
    assert_eq!(state.lives, 2);
    let made = log.clone();
    let child = Child::new(move || self::purse(Fault::Handler, &made)).name("purse");
    let supervisor = Supervisor::builder().child(child).spawn();
    let purse = within(supervisor.child::<Purse>("purse")).await.unwrap();
    assert_eq!(within(purse.life()).await.unwrap(), 1);
    assert!(within(purse.put(1)).await.is_err());
    assert_eq!(within(purse.life()).await.unwrap(), 2);
    assert_eq!(within(Handle::join_state(&purse)).await.unwrap().lives, 2);
}
