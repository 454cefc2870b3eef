//! What hooks and handlers may do with their own actor.

use std::sync::{Arc, Mutex};

use futures::future::join_all;
use greenroom::{Builder, Context, ExitReason, actor};

use crate::actor::clerk::clerk;
use crate::actor::support::{
    Ledger, Note, assert_at_rest, on_each_seat, poll_once, seated, within,
};

type Act = fn(&Context<Player>);

/// Does something to itself in each hook, and keeps a handle that outlives it, if told to.
#[actor(mailbox = 8)]
struct Player {
    at_start: Act,
    at_stop: Act,
    escape: Arc<Mutex<Option<PlayerHandle>>>,
    own: Option<PlayerHandle>,
    token: Arc<()>,
}

#[actor]
impl Player {
    #[on(start)]
    async fn begin(&mut self, ctx: &mut Context<Self>) {
        (self.at_start)(ctx);
        tokio::task::yield_now().await;
    }

    #[on(stop)]
    async fn end(&mut self, ctx: &mut Context<Self>) {
        (self.at_stop)(ctx);
        *self.escape.lock().unwrap() = Some(ctx.handle());
        tokio::task::yield_now().await;
    }

    fn file(&mut self, note: Note) {
        note.handled();
    }

    /// Keeps a handle to itself.
    fn cling(&mut self, ctx: &mut Context<Self>) {
        self.own = Some(ctx.handle());
    }

    /// Lets the handle to itself go, which may be the last.
    async fn let_go(&mut self) {
        tokio::task::yield_now().await;
        self.own = None;
        tokio::task::yield_now().await;
    }

    async fn keep(&mut self, handle: PlayerHandle, token: Arc<()>) {
        tokio::task::yield_now().await;
        drop((handle, token));
    }
}

const NOTHING: Act = |_| {};

fn player(at_start: Act, at_stop: Act) -> Player {
    let escape = Arc::default();
    Player {
        at_start,
        at_stop,
        escape,
        own: None,
        token: Arc::new(()),
    }
}

#[test]
fn an_actor_that_stops_itself_in_its_start_hook_handles_what_was_accepted() {
    on_each_seat(|| async {
        let ledger = Ledger::default();
        let player = seated(Builder::new(player(Context::stop, NOTHING))).spawn();
        let mut accepted = 0;
        for index in 0..4 {
            match player.file(ledger.note(0, index)).try_tell() {
                Ok(()) => accepted += 1,
                Err(error) => error.into_message().note.returned(),
            }
        }
        assert!(matches!(within(player.join()).await, ExitReason::Stopped));
        assert_eq!(ledger.handled_without_gaps(0), accepted);
        assert_at_rest(&player);
        ledger.settle();
    });
}

#[test]
fn an_actor_can_kill_itself_in_either_hook() {
    on_each_seat(|| async {
        let kill: Act = |ctx| ctx.handle().kill();
        let starting = player(kill, NOTHING);
        let escape = starting.escape.clone();
        let starting = seated(Builder::new(starting)).spawn();
        assert!(matches!(within(starting.join()).await, ExitReason::Killed));
        assert!(escape.lock().unwrap().is_none(), "the stop hook ran");
        let stopping = seated(Builder::new(player(NOTHING, kill))).spawn();
        stopping.stop();
        assert!(matches!(within(stopping.join()).await, ExitReason::Killed));
    });
}

#[test]
fn an_actor_that_stops_itself_in_its_stop_hook_ends_as_it_would() {
    on_each_seat(|| async {
        let player = seated(Builder::new(player(NOTHING, Context::stop))).spawn();
        let weak = player.downgrade();
        drop(player);
        assert!(matches!(within(weak.join()).await, ExitReason::Dropped));
    });
}

#[test]
fn a_message_that_an_actor_tells_itself_in_its_start_hook_is_handled_in_its_turn() {
    on_each_seat(|| async {
        let cling: Act = |ctx| ctx.handle().cling().try_tell().expect("a slot");
        let player = player(cling, NOTHING);
        let token = player.token.clone();
        let player = seated(Builder::new(player)).spawn();
        let weak = player.downgrade();
        // The first may have been accepted before the hook ran, the second was not.
        for _ in 0..2 {
            within(player.keep(player.clone(), token.clone()))
                .await
                .unwrap();
        }
        drop(player);
        let player = weak.upgrade().expect("it clings to itself");
        within(player.let_go()).await.unwrap();
        drop(player);
        assert!(matches!(within(weak.join()).await, ExitReason::Dropped));
    });
}

#[test]
fn a_handle_that_escapes_from_a_stop_hook_names_an_actor_that_accepts_nothing() {
    on_each_seat(|| async {
        for stop in [false, true] {
            let ledger = Ledger::default();
            let player = player(NOTHING, NOTHING);
            let escape = player.escape.clone();
            let player = seated(Builder::new(player)).spawn();
            let weak = player.downgrade();
            if stop {
                player.stop();
            }
            drop(player);
            let reason = within(weak.join()).await;
            let escaped = escape.lock().unwrap().take().expect("the hook ran");
            assert_eq!(
                escaped.exit_reason().unwrap().to_string(),
                reason.to_string()
            );
            assert!(escaped.is_stopped());
            let refused = escaped.file(ledger.note(0, 0)).try_tell().unwrap_err();
            refused.into_message().note.returned();
            within(escaped.cling()).await.unwrap_err();
            drop((escaped.clone(), escaped));
            assert!(weak.upgrade().is_none());
            assert_eq!(ledger.settle().returned, 1);
        }
    });
}

#[test]
fn an_actor_that_lets_its_own_last_handle_go_ends_after_that_handler() {
    on_each_seat(|| async {
        let player = seated(Builder::new(player(NOTHING, NOTHING))).spawn();
        let weak = player.downgrade();
        within(player.cling()).await.unwrap();
        player.let_go().tell().await.unwrap();
        drop(player);
        assert!(matches!(within(weak.join()).await, ExitReason::Dropped));
    });
}

#[test]
fn a_kill_frees_an_actor_that_keeps_itself_by_its_state_and_its_messages() {
    on_each_seat(|| async {
        let player = player(NOTHING, NOTHING);
        let token = player.token.clone();
        let player = seated(Builder::new(player)).spawn();
        within(player.cling()).await.unwrap();
        for _ in 0..5 {
            player
                .keep(player.clone(), token.clone())
                .try_tell()
                .unwrap();
        }
        player.kill();
        let weak = player.downgrade();
        drop(player);
        assert!(matches!(within(weak.join()).await, ExitReason::Killed));
        assert_eq!(Arc::strong_count(&token), 1);
    });
}

#[test]
fn a_thousand_wait_for_one_end_and_some_stop_waiting() {
    on_each_seat(|| async {
        let clerk = clerk(1);
        let mut joins: Vec<_> = (0..1_000)
            .map(|_| {
                let weak = clerk.downgrade();
                Box::pin(async move { weak.join().await })
            })
            .collect();
        for join in &mut joins {
            assert!(poll_once(join).await.is_pending());
        }
        let mut count = 0;
        joins.retain(|_| {
            count += 1;
            count % 3 == 0
        });
        clerk.stop();
        let reasons = within(join_all(joins)).await;
        assert_eq!(reasons.len(), 333);
        assert!(
            reasons
                .iter()
                .all(|reason| matches!(reason, ExitReason::Stopped))
        );
        assert!(matches!(within(clerk.join()).await, ExitReason::Stopped));
    });
}
