//! Spawns under a name.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use greenroom::{Builder, Context, SpawnErrorKind, actor, registry};

use super::{Cache, Store};
use crate::actor::support::{on_each_runtime, within};

#[actor]
struct Early {
    saw_itself: Arc<AtomicBool>,
    fails: bool,
    panics: bool,
}

#[actor]
impl Early {
    #[on(start)]
    async fn look(&mut self, ctx: &mut Context<Self>) -> Result<(), String> {
        let found = registry().get::<Self>("early");
        let saw = found.is_ok_and(|found| found.id() == ctx.id());
        self.saw_itself.store(saw, Ordering::SeqCst);
        tokio::task::yield_now().await;
        assert!(!self.panics, "at the start");
        match self.fails {
            true => Err("no start".to_owned()),
            false => Ok(()),
        }
    }

    fn ping(&self) {}
}

fn early(fails: bool, panics: bool) -> Early {
    Early {
        saw_itself: Arc::default(),
        fails,
        panics,
    }
}

#[test]
fn a_spawn_under_a_taken_name_hands_the_actor_back() {
    on_each_runtime(|| async {
        let store = Store.spawn();
        store.register("early").unwrap();
        let actor = early(false, false);
        let mark = actor.saw_itself.clone();
        let error = Builder::new(actor)
            .register("early")
            .try_spawn()
            .unwrap_err();
        assert_eq!(
            error.kind(),
            SpawnErrorKind::NameTaken {
                by: store.identity()
            }
        );
        let text = format!("its name is taken by {}", store.identity());
        assert_eq!(error.to_string(), text);
        assert!(Arc::ptr_eq(&error.into_actor().saw_itself, &mark));
        assert_eq!(registry().get::<Store>("early").unwrap(), store);
    });
}

#[test]
fn an_actor_has_its_name_before_its_start_hook_runs() {
    on_each_runtime(|| async {
        let actor = early(false, false);
        let mark = actor.saw_itself.clone();
        let early = Builder::new(actor).register("early").spawn();
        within(early.ping()).await.unwrap();
        assert!(mark.load(Ordering::SeqCst));
    });
}

#[test]
fn field_45_a_failed_start_leaves_no_name_taken() {
    on_each_runtime(|| async {
        for (fails, panics) in [(true, false), (false, true), (false, false)] {
            let spawned = Builder::new(early(fails, panics))
                .register("early")
                .try_spawn();
            let early = spawned.expect("the name is free");
            let pinged = within(early.ping()).await;
            assert_eq!(pinged.is_ok(), !(fails || panics));
            if fails || panics {
                within(early.join()).await;
            }
        }
    });
}

#[test]
fn a_spawn_that_is_refused_for_another_reason_takes_no_name() {
    on_each_runtime(|| async {
        let refused = Builder::new(Store).register("store").mailbox(0).try_spawn();
        assert_eq!(refused.unwrap_err().kind(), SpawnErrorKind::Mailbox(0));
        let none = registry().list();
        assert_eq!(none, []);
        Builder::new(Store).register("store").try_spawn().unwrap();
    });
}

#[test]
fn its_registered_name_is_its_name_unless_it_is_given_another() {
    on_each_runtime(|| async {
        let store = Builder::new(Store).register("store").spawn();
        assert_eq!(store.name(), "store");
        let cache = Builder::new(Cache).name("shown").register("cache").spawn();
        assert_eq!(cache.name(), "shown");
        assert_eq!(registry().get::<Cache>("cache").unwrap(), cache);
    });
}

/// Spawns and looks up as it is dropped.
struct Late;

impl Drop for Late {
    fn drop(&mut self) {
        // Whatever they give, they give it.
        let _ = registry().get::<Store>("store");
        let _ = Builder::new(Store).register("store").try_spawn();
    }
}

#[test]
fn names_may_be_used_in_drops_while_the_runtime_ends() {
    on_each_runtime(|| async {
        for _ in 0..10 {
            greenroom::spawn(async {
                let _late = Late;
                std::future::pending::<()>().await;
            });
        }
        tokio::task::yield_now().await;
    });
}
