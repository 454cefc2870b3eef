use std::pin::pin;
use std::time::Duration;

use futures::poll;
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::{Counter, CounterAdd, scene};
use crate::actor::{AskError, Refusal, TimeoutState};
use crate::remote::RemoteHandle;

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn a_deadline_travels() {
    let scene = scene(8);
    assert_eq!(scene.remote.term().await.expect("it lives"), None);
    assert_eq!(
        scene.remote.term().timeout(SECOND).await.expect("it lives"),
        Some(1000)
    );
    let deadline = Instant::now() + 2 * SECOND;
    assert_eq!(
        scene
            .remote
            .term()
            .deadline(deadline)
            .await
            .expect("it lives"),
        Some(2000)
    );
    let at = Some(Instant::now() + SECOND);
    assert_eq!(scene.link.deadlines(), [None, at, Some(deadline)]);
}

#[tokio::test(start_paused = true)]
async fn a_limit_that_passes_says_whether_the_message_was_sent() {
    let scene = scene(1);
    let error = scene
        .remote
        .wait(1)
        .timeout(SECOND)
        .await
        .expect_err("it is stuck");
    // Who is quicker, this side or the other, is not known.
    let AskError::Timeout(timeout) = error else {
        panic!("{error:?}")
    };
    assert!(matches!(
        timeout.state(),
        TimeoutState::Sent | TimeoutState::Running
    ));
    assert_eq!(
        (timeout.limit(), timeout.actor().name()),
        (SECOND, "counter")
    );
    let mut stuck = pin!(scene.remote.wait(1));
    assert!(poll!(stuck.as_mut()).is_pending());
    let error = scene
        .remote
        .add(3)
        .timeout(SECOND)
        .await
        .expect_err("no room");
    let AskError::NotHandled(error) = error else {
        panic!("{error:?}")
    };
    assert!(matches!(error.refusal(), Refusal::Timeout(limit) if *limit == SECOND));
    assert_eq!(
        error
            .into_message::<CounterAdd>()
            .expect("it was not sent")
            .n,
        3
    );
    let error = scene
        .remote
        .add(4)
        .tell()
        .timeout(SECOND)
        .await
        .expect_err("no room");
    assert_eq!(error.into_message().n, 4);
    let error = scene
        .remote
        .add(5)
        .enqueue()
        .timeout(SECOND)
        .await
        .expect_err("no room");
    assert_eq!(error.into_message().n, 5);
    assert_eq!(scene.link.waiting(), (0, 1));
}

#[tokio::test(start_paused = true)]
async fn a_deadline_that_has_passed_sends_nothing() {
    let scene = scene(8);
    let error = scene
        .remote
        .add(1)
        .deadline(Instant::now())
        .await
        .expect_err("too late");
    let AskError::NotHandled(error) = error else {
        panic!("{error:?}")
    };
    assert!(matches!(error.refusal(), Refusal::Expired));
    assert!(scene.link.deadlines().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_does_not_come_in_time_is_forgotten() {
    let scene = scene(8);
    let reply = scene.remote.wait(1).enqueue().await.expect("it lives");
    let error = reply.timeout(SECOND).await.expect_err("it is stuck");
    let AskError::Timeout(timeout) = error else {
        panic!("{error:?}")
    };
    assert_eq!(timeout.state(), TimeoutState::Sent);
    assert_eq!(scene.link.forgotten(), 1);
}

/// Asks another, elsewhere.
#[greenroom::actor]
struct Asker {
    counter: RemoteHandle<Counter>,
}

#[greenroom::actor]
impl Asker {
    fn idle(&self) {}

    async fn term(&self) -> Option<u64> {
        self.counter.term().await.expect("it lives")
    }

    /// In one step, and in two.
    async fn wait(&self, seen: mpsc::Sender<TimeoutState>) {
        let reply = self.counter.wait(2).enqueue().await.expect("there is room");
        for result in [self.counter.wait(1).await, reply.await] {
            let Err(AskError::Timeout(timeout)) = result else {
                panic!("{result:?}")
            };
            seen.send(timeout.state()).await.expect("the test waits");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_handler_asks_over_a_link_has_no_more_time_than_the_handler() {
    let scene = scene(8);
    let counter = scene.remote.clone();
    let asker = Asker { counter }.spawn();
    assert_eq!(asker.term().await.expect("it lives"), None);
    assert_eq!(
        asker.term().timeout(SECOND).await.expect("it lives"),
        Some(1000)
    );
    scene.link.mute();
    let (seen, mut told) = mpsc::channel(2);
    let error = asker
        .wait(seen)
        .timeout(SECOND)
        .await
        .expect_err("it is stuck");
    assert!(matches!(error, AskError::Timeout(_)), "{error}");
    for _ in 0..2 {
        assert_eq!(told.recv().await, Some(TimeoutState::Sent));
    }
    asker.idle().await.expect("it lives");
    assert_eq!(scene.link.waiting(), (0, 0));
}
