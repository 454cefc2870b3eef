//! What has gone wrong in the field, and must not here: the end of an actor.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use greenroom::{Context, ExitReason, actor};

use crate::actor::clerk::Clerk;
use crate::actor::exclusive::Exclusive;
use crate::actor::support::{Gate, on_each_runtime, within};

#[actor]
struct Store {
    _held: Exclusive,
}

#[actor]
impl Store {
    #[on(stop)]
    async fn flush(&mut self) {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
    }

    async fn finish(&mut self, ctx: &mut Context<Self>) {
        ctx.stop();
    }

    async fn crash(&mut self) {
        panic!("at work");
    }
}

#[test]
fn acc_09_who_waited_for_the_end_can_take_at_once_what_the_state_held() {
    on_each_runtime(|| async {
        let held = Arc::new(AtomicBool::new(false));
        for round in 0..100 * 5 {
            let store = Store {
                _held: Exclusive::take(&held),
            }
            .spawn();
            let weak = store.downgrade();
            let reason = match round % 5 {
                0 => {
                    store.stop();
                    within(store.join()).await
                }
                1 => {
                    store.kill();
                    within(store.join()).await
                }
                2 => {
                    store.crash().await.unwrap_err();
                    within(store.join()).await
                }
                3 => {
                    store.finish().tell().await.unwrap();
                    within(store.join()).await
                }
                _ => {
                    drop(store);
                    within(weak.join()).await
                }
            };
            assert!(
                !held.load(Ordering::SeqCst),
                "{reason:?} was said too early"
            );
        }
    });
}

#[actor]
struct Fragile;

#[actor]
impl Fragile {
    #[on(stop)]
    async fn leave(&mut self) {
        tokio::task::yield_now().await;
        panic!("{} on the way out", "tripped");
    }

    fn ping(&mut self) {}
}

#[test]
fn acc_11_a_panic_in_the_stop_hook_is_the_reason_that_all_who_wait_are_told() {
    on_each_runtime(|| async {
        let (fragile, other) = (Fragile.spawn(), Fragile.spawn());
        let weak = fragile.downgrade();
        let formats = async {
            let reason = weak.join().await;
            let first = (reason.to_string(), format!("{:?}", reason.clone()));
            (first, reason.to_string())
        };
        fragile.stop();
        let (reason, formatted) = within(futures::future::join(fragile.join(), formats)).await;
        let text = "it panicked in its stop hook: tripped on the way out";
        assert_eq!(reason.to_string(), text);
        assert!(matches!(reason, ExitReason::Panicked(_)));
        let ((first, debug), second) = formatted;
        assert_eq!((first.as_str(), second.as_str()), (text, text));
        assert!(debug.contains("tripped"));
        within(other.ping()).await.unwrap();
        let late = fragile.ping().await.unwrap_err();
        assert!(late.to_string().ends_with(text), "{late}");
    });
}

/// Looks, when it is dropped, at whether its actor's end was announced.
struct Watchman {
    actor: Arc<Mutex<Option<WatchedHandle>>>,
    saw: Arc<Mutex<Vec<&'static str>>>,
    name: &'static str,
}

impl Drop for Watchman {
    fn drop(&mut self) {
        let actor = self.actor.lock().unwrap();
        let actor = actor.as_ref().expect("the test left it here");
        assert!(
            !actor.is_stopped() && actor.exit_reason().is_none(),
            "it was said too early"
        );
        self.saw.lock().unwrap().push(self.name);
    }
}

#[actor(mailbox = 4)]
struct Watched {
    _watchman: Watchman,
}

#[actor]
impl Watched {
    async fn hold(&mut self, watchman: Watchman, gate: Gate) {
        gate.pass().await;
        drop(watchman);
    }
}

#[test]
fn acc_09_the_end_is_announced_after_everything_was_dropped_in_order() {
    on_each_runtime(|| async {
        let (actor, saw): (Arc<Mutex<_>>, Arc<Mutex<Vec<_>>>) = Default::default();
        let watchman = |name| Watchman {
            actor: actor.clone(),
            saw: saw.clone(),
            name,
        };
        let (watched, gate) = (
            Watched {
                _watchman: watchman("state"),
            }
            .spawn(),
            Gate::shut(),
        );
        *actor.lock().unwrap() = Some(watched.clone());
        watched
            .hold(watchman("handler"), gate.clone())
            .tell()
            .await
            .unwrap();
        gate.reached().await;
        watched
            .hold(watchman("first queued"), gate.clone())
            .tell()
            .await
            .unwrap();
        watched
            .hold(watchman("second queued"), gate.clone())
            .tell()
            .await
            .unwrap();
        watched.kill();
        within(watched.join()).await;
        let saw = saw.lock().unwrap().clone();
        assert_eq!(saw, ["handler", "state", "first queued", "second queued"]);
        *actor.lock().unwrap() = None;
    });
}

#[tokio::test]
async fn a_task_of_its_own_can_wait_for_an_end() {
    let clerk = Clerk.spawn();
    let weak = clerk.downgrade();
    let waits = [
        tokio::spawn({
            let clerk = clerk.clone();
            async move { clerk.join().await }
        }),
        tokio::spawn(async move { weak.join().await }),
    ];
    clerk.stop();
    for wait in waits {
        assert!(matches!(within(wait).await.unwrap(), ExitReason::Stopped));
    }
}
