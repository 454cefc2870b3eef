//! What has gone wrong in the field, and must not here: the end of an actor.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use greenroom::{Context, ExitReason, actor};

use crate::actor::support::{on_each_runtime, within};

/// A resource that one at a time may hold, and that takes a while to let go.
struct Exclusive(Arc<AtomicBool>);

impl Exclusive {
    fn take(held: &Arc<AtomicBool>) -> Self {
        assert!(
            !held.swap(true, Ordering::SeqCst),
            "somebody still holds it"
        );
        Self(held.clone())
    }
}

impl Drop for Exclusive {
    fn drop(&mut self) {
        for _ in 0..20 {
            std::thread::yield_now();
        }
        self.0.store(false, Ordering::SeqCst);
    }
}

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
