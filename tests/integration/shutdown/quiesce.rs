//! Waiting until actors have nothing to do.

use std::time::Duration;

use greenroom::shutdown::quiesce;
use greenroom::{Handle, actor, runtime};
use tokio::time::Instant;

use super::scene::{Log, Worker};
use crate::actor::support::within;

const SECOND: Duration = Duration::from_secs(1);

/// Passes a number on until it is zero.
#[actor(mailbox = 4)]
struct Relay {
    next: Option<RelayHandle>,
    seen: u32,
}

#[actor]
impl Relay {
    fn meet(&mut self, next: RelayHandle) {
        self.next = Some(next);
    }

    async fn pass(&mut self, n: u32) {
        self.seen += 1;
        if n > 0
            && let Some(next) = &self.next
        {
            let _ = next.pass(n - 1).tell().await;
        }
    }

    fn seen(&self) -> u32 {
        self.seen
    }
}

#[tokio::test]
async fn a_chain_of_messages_is_waited_for_to_its_end() {
    let relay = || Relay {
        next: None,
        seen: 0,
    };
    let (one, two) = (relay().spawn(), relay().spawn());
    one.meet(two.clone()).await.unwrap();
    two.meet(one.clone()).await.unwrap();
    one.pass(999).tell().await.unwrap();
    let runtime = runtime::Handle::current();
    within(runtime.quiesce(60 * SECOND)).await.unwrap();
    assert_eq!(one.seen().await.unwrap() + two.seen().await.unwrap(), 1000);
    two.kill();
    one.kill();
}

#[tokio::test(start_paused = true)]
async fn at_the_limit_those_are_named_that_are_busy_and_with_what() {
    let log = Log::default();
    let (idle, busy) = (
        Worker::new("a", &log).spawn(),
        Worker::new("b", &log).spawn(),
    );
    busy.hang().tell().await.unwrap();
    busy.hear("nothing").tell().await.unwrap();
    let start = Instant::now();
    let error = within(runtime::Handle::current().quiesce(SECOND)).await;
    let error = error.expect_err("one hangs");
    assert_eq!(start.elapsed(), SECOND);
    let [info] = error.actors() else {
        panic!("one is busy: {error}")
    };
    assert_eq!(info.identity, busy.identity());
    assert!(
        info.handling
            .is_some_and(|name| name.contains("WorkerHang"))
    );
    assert_eq!(info.queued, 1);
    assert!(
        error
            .to_string()
            .starts_with("not at rest, busy: 1 (Worker#")
    );
    within(quiesce([idle.erase()], SECOND)).await.unwrap();
    within(quiesce([busy.erase()], SECOND)).await.unwrap_err();
}

#[tokio::test(start_paused = true)]
async fn a_handler_at_an_await_and_a_stop_hook_are_waited_for() {
    let log = Log::default();
    let worker = Worker {
        lingers: SECOND,
        ..Worker::new("worker", &log)
    }
    .spawn();
    let runtime = runtime::Handle::current();
    let start = Instant::now();
    worker.take(3 * SECOND).tell().await.unwrap();
    within(runtime.quiesce(10 * SECOND)).await.unwrap();
    assert!(start.elapsed() >= 3 * SECOND);
    Handle::stop(&worker);
    within(runtime.quiesce(10 * SECOND)).await.unwrap();
    assert!(worker.is_stopped());
}

#[tokio::test]
async fn the_actors_of_a_runtime_are_listed_until_they_have_ended() {
    let log = Log::default();
    let runtime = runtime::Handle::current();
    let one = Worker::new("one", &log).spawn();
    let two = Worker::new("two", &log).spawn();
    two.hear("something").tell().await.unwrap();
    let infos = runtime.actors();
    let ids: Vec<_> = infos.iter().map(|info| info.identity.clone()).collect();
    assert_eq!(ids, [one.identity(), two.identity()]);
    assert_eq!((infos[0].is_busy, infos[0].queued), (false, 0));
    assert_eq!((infos[1].is_busy, infos[1].queued), (true, 1));
    assert!(!infos[0].is_supervised);
    one.stop();
    within(one.join()).await;
    assert_eq!(runtime.actors().len(), 1);
}
