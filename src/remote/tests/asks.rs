use futures::future::join_all;
use futures::poll;
use std::pin::pin;

use super::{Counter, CounterAdd, CounterHandle, CounterRoute, scene};
use crate::actor::{AskError, Reply};
use crate::remote::{AnyOf, Remote};

/// Code that does not know where its counter is.
async fn count<R: CounterRoute>(counter: &CounterHandle<R>) -> (u64, Result<u64, String>) {
    let sum = counter.add(2).await.expect("it lives");
    let half = match counter.halve(sum).await {
        Err(AskError::Handler(error)) => Err(error),
        other => Ok(other.expect("it lives")),
    };
    (sum, half)
}

#[tokio::test]
async fn a_remote_handle_asks_as_a_local_one_does() {
    let scene = scene(8);
    assert_eq!(count(&scene.local).await, (2, Ok(1)));
    assert_eq!(scene.remote.add(1).await.expect("it lives"), 3);
    assert_eq!(count(&scene.remote).await, (5, Err("5 is odd".to_owned())));
    assert_eq!(
        scene
            .remote
            .ask(CounterAdd { n: 1 })
            .await
            .expect("it lives"),
        6
    );
    let both = join_all([scene.remote.add(1), scene.remote.add(1)]).await;
    let both = both.into_iter().map(|sum| sum.expect("it lives"));
    assert_eq!(both.collect::<Vec<_>>(), [7, 8]);
}

#[tokio::test]
async fn a_tell_over_a_link_is_handled_in_its_turn() {
    let scene = scene(8);
    scene.remote.add(1).tell().await.expect("it lives");
    scene
        .remote
        .tell(CounterAdd { n: 2 })
        .await
        .expect("it lives");
    scene.remote.add(3).try_tell().expect("there is room");
    scene
        .remote
        .try_tell(CounterAdd { n: 4 })
        .expect("there is room");
    assert_eq!(scene.remote.add(0).await.expect("it lives"), 10);
}

#[tokio::test]
async fn an_ask_in_two_steps_is_answered_over_a_link() {
    let scene = scene(8);
    let first: Reply<u64> = scene.remote.add(1).enqueue().await.expect("it lives");
    let second = scene
        .remote
        .add(2)
        .enqueue()
        .into_owned()
        .await
        .expect("it lives");
    let odd = scene.remote.halve(3).enqueue().await.expect("it lives");
    assert!(matches!(odd.await, Err(AskError::Handler(text)) if text == "3 is odd"));
    assert_eq!(
        tokio::spawn(second)
            .await
            .expect("no panic")
            .expect("it lives"),
        3
    );
    assert_eq!(first.await.expect("it lives"), 1);
    assert_eq!(scene.link.waiting(), (0, 0));
}

#[tokio::test]
async fn an_owned_request_outlives_its_handle() {
    let scene = scene(8);
    let ask = scene.remote.add(1).into_owned();
    drop(scene.remote);
    assert_eq!(
        tokio::spawn(ask)
            .await
            .expect("no panic")
            .expect("it lives"),
        1
    );
}

#[tokio::test]
async fn asks_wait_for_room_and_who_leaves_gives_up_its_place() {
    let scene = scene(1);
    let mut stuck = Box::pin(scene.remote.wait(1));
    assert!(poll!(&mut stuck).is_pending());
    let mut second = Box::pin(scene.remote.add(1));
    assert!(poll!(&mut second).is_pending());
    assert_eq!(scene.link.waiting(), (1, 1));
    drop(second);
    assert_eq!(scene.link.waiting(), (0, 1));
    assert!(
        scene
            .remote
            .add(1)
            .try_tell()
            .expect_err("no room")
            .is_full()
    );
    let mut tell = pin!(scene.remote.add(5).tell());
    assert!(poll!(tell.as_mut()).is_pending());
    assert_eq!(tell.as_mut().cancel().expect("it was not sent").n, 5);
    assert_eq!(scene.link.waiting(), (0, 1));
    scene.gate.add_permits(1);
    assert_eq!(stuck.await.expect("it lives"), 1);
    assert_eq!(scene.remote.add(1).await.expect("it lives"), 1);
}

#[tokio::test]
async fn an_ask_that_waited_for_room_goes_on_when_there_is_some() {
    let scene = scene(0);
    let mut ask = Box::pin(scene.remote.add(1));
    assert!(poll!(&mut ask).is_pending());
    scene.link.widen();
    assert_eq!(ask.await.expect("it lives"), 1);
}

#[tokio::test]
async fn an_ask_that_is_dropped_after_it_was_sent_is_forgotten() {
    let scene = scene(8);
    let mut asks = [scene.remote.wait(1), scene.remote.wait(2)].map(Box::pin);
    for ask in &mut asks {
        assert!(poll!(ask).is_pending());
    }
    let reply = scene.remote.wait(3).enqueue().await.expect("it lives");
    assert_eq!(scene.link.waiting(), (0, 3));
    drop((asks, reply));
    assert_eq!((scene.link.waiting(), scene.link.forgotten()), ((0, 0), 3));
    // The one that had begun goes on; those that were queued are skipped.
    scene.gate.add_permits(1);
    assert_eq!(scene.remote.add(1).await.expect("it lives"), 1);
    assert_eq!(scene.gate.available_permits(), 0);
}

#[tokio::test]
async fn a_message_that_is_not_sent_stays_with_its_request() {
    let scene = scene(8);
    assert_eq!(scene.remote.add(7).into_message().n, 7);
    drop(scene.remote.add(7));
    assert_eq!(scene.remote.add(0).await.expect("it lives"), 0);
    assert_eq!(scene.local.add(0).await.expect("it lives"), 0);
}

#[tokio::test]
async fn handles_of_one_actor_on_one_session_are_equal() {
    let one = scene(8);
    let other = scene(8);
    let again: CounterHandle<Remote> = one.remote.clone();
    assert_eq!(one.remote, again);
    assert_ne!(one.remote, other.remote);
    assert_eq!(one.remote.name(), "counter");
    let named = format!("{:?}", *again);
    assert!(named.contains("counter"), "{named}");
    let _: &Counter = &Counter {
        count: 0,
        gate: one.gate,
    };
}

#[tokio::test]
async fn handles_of_one_type_reach_actors_here_and_elsewhere() {
    let scene = scene(8);
    let both: [CounterHandle<AnyOf>; 2] = [scene.local.any_of(), scene.remote.any_of()];
    for (counter, sum) in both.iter().zip([2, 4]) {
        assert_eq!(count(counter).await, (sum, Ok(sum / 2)));
    }
    for (counter, sum) in both.iter().zip([5, 7]) {
        counter.add(1).tell().await.expect("it lives");
        assert_eq!(
            counter
                .ask(CounterAdd { n: 0 })
                .into_owned()
                .await
                .expect("it lives"),
            sum
        );
        counter
            .try_tell(CounterAdd { n: 1 })
            .expect("there is room");
        let reply = counter.wait(7).enqueue().await.expect("there is room");
        scene.gate.add_permits(1);
        assert_eq!(reply.await.expect("it lives"), 7);
        assert_eq!(counter.clone(), *counter);
    }
    assert_ne!(both[0], both[1]);
    scene.local.shutdown().await;
    for counter in &both {
        let error = counter.add(1).await.expect_err("it has ended");
        assert_eq!(
            error.into_message::<CounterAdd>().expect("its message").n,
            1
        );
    }
}
