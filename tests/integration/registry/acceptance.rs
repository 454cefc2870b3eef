//! What has gone wrong in the field, and must not here: names.

use std::sync::Arc;

use greenroom::{Builder, Context, ExitReason, actor, registry};

use crate::actor::exclusive::Exclusive;
use crate::actor::support::{on_each_runtime, within};

#[actor]
struct Database {
    _held: Exclusive,
    trips: bool,
}

#[actor]
impl Database {
    #[on(stop)]
    async fn flush(&mut self) {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        assert!(!self.trips, "tripped on the way out");
    }

    fn ping(&self) {}

    fn finish(&mut self, ctx: &mut Context<Self>) {
        ctx.stop();
    }

    async fn crash(&mut self) {
        panic!("at work");
    }
}

#[test]
fn acc_05_a_name_keeps_no_actor_running() {
    on_each_runtime(|| async {
        let held = Arc::default();
        let database = Database {
            _held: Exclusive::take(&held),
            trips: false,
        };
        let database = Builder::new(database).register("db").spawn();
        assert_eq!(database.handle_count(), 1);
        let found = registry().get::<Database>("db").unwrap();
        assert_eq!(database.handle_count(), 2);
        let weak = database.downgrade();
        drop(database);
        within(found.ping()).await.unwrap();
        drop(found);
        assert!(matches!(within(weak.join()).await, ExitReason::Dropped));
        assert!(registry().get::<Database>("db").is_err());
    });
}

#[test]
fn acc_09_who_waited_for_the_end_can_take_the_name_at_once() {
    on_each_runtime(|| async {
        let held = Arc::default();
        for round in 0..100 * 6 {
            let database = Database {
                _held: Exclusive::take(&held),
                trips: round % 6 == 5,
            };
            let spawned = Builder::new(database).register("db").try_spawn();
            let database = spawned.expect("the name is free");
            let weak = database.downgrade();
            match round % 6 {
                0 | 5 => database.stop(),
                1 => database.kill(),
                2 => drop(database.crash().await.unwrap_err()),
                3 => database.finish().tell().await.unwrap(),
                _ => drop(database),
            }
            within(weak.join()).await;
            assert!(registry().get::<Database>("db").is_err(), "in {round}");
        }
    });
}

#[test]
fn acc_11_a_panic_in_the_stop_hook_frees_the_name_before_who_waits_is_told() {
    on_each_runtime(|| async {
        let held = Arc::default();
        let database = Database {
            _held: Exclusive::take(&held),
            trips: true,
        };
        let database = Builder::new(database).register("db").spawn();
        let reason = within(database.shutdown()).await;
        assert!(reason.to_string().contains("tripped"), "{reason}");
        let next = Database {
            _held: Exclusive::take(&held),
            trips: false,
        };
        Builder::new(next).register("db").try_spawn().unwrap();
    });
}
