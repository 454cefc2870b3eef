//! Wakers are code of others, and run under no lock of a session.

use std::sync::mpsc;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use greenroom::remote::Link;

use super::scene::{Scene, until, within};
use crate::hooked;

/// Tells a lock that is held from one that is free; no test rests on its length.
const LIMIT: Duration = Duration::from_secs(10);

/// A waker that looks at the session, from another thread, whatever is done with it.
fn nosy(link: &Link) -> Waker {
    let link = link.clone();
    hooked::waker(move |what| {
        let (link, (tell, told)) = (link.clone(), mpsc::channel());
        thread::spawn(move || {
            let _ = link.metrics();
            tell.send(()).expect("it is waited for");
        });
        assert!(told.recv_timeout(LIMIT).is_ok(), "{what:?} under the lock");
    })
}

fn poll<F: Future + Unpin>(future: &mut F, waker: &Waker) -> Poll<F::Output> {
    std::pin::Pin::new(future).poll(&mut Context::from_waker(waker))
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_an_answer_clones_and_drops_no_waker_under_a_lock() {
    let scene = Scene::new().await;
    let wakers = [(); 3].map(|()| nosy(&scene.link));
    let mut asks: Vec<_> = (0..2).map(|n| Box::pin(scene.counter.wait(n))).collect();
    for waker in &wakers {
        for ask in &mut asks {
            assert!(poll(ask, waker).is_pending());
            assert!(poll(ask, waker).is_pending());
        }
    }
    drop(asks.pop()); // with its waker
    scene.gate.add_permits(2);
    let answer = within(asks.pop().expect("there were two")).await;
    assert_eq!(answer.expect("it lives"), 0);
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_room_clones_and_drops_no_waker_under_a_lock() {
    let scene = Scene::new().await;
    let wakers = [(); 3].map(|()| nosy(&scene.link));
    let stuck = tokio::spawn(scene.counter.wait(0).into_owned());
    until(|| scene.server.metrics().asks_running == 1).await;
    let fill = async { while scene.counter.add(0).tell().timeout(LIMIT).await.is_ok() {} };
    within(fill).await;
    let mut tells: Vec<_> = (0..2)
        .map(|n| Box::pin(scene.counter.add(n).tell()))
        .collect();
    let mut ask = Box::pin(scene.counter.add(0));
    for waker in &wakers {
        for tell in &mut tells {
            assert!(poll(tell, waker).is_pending());
            assert!(poll(tell, waker).is_pending());
        }
        assert!(poll(&mut ask, waker).is_pending());
    }
    drop(tells.pop()); // with its waker
    scene.gate.add_permits(1);
    within(tells.pop().expect("there were two"))
        .await
        .expect("it lives");
    within(ask).await.expect("it lives");
    within(stuck).await.expect("no panic").expect("it lives");
}
