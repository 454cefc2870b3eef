//! What one can make the others suffer: nothing.

use std::time::Duration;

use futures::future::join_all;
use greenroom::remote::limits::ASK_LIMIT;
use greenroom::remote::{ConnectError, Limits, LinkEnd, MemoryNetwork, Node, Refused, RemoteEnd};
use greenroom::{AskError, Delegated, Refusal, ReplyTo, actor};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::Instant;

use super::scene::{Counter, CounterAdd, Scene, until, within};

#[tokio::test]
async fn who_speaks_another_protocol_is_not_answered() {
    let node = Node::builder().insecure().build();
    let address = node.listen("127.0.0.1:0").await.expect("it is free");
    let mut stream = TcpStream::connect(address.to_string())
        .await
        .expect("it listens");
    stream
        .write_all(b"GET / HTTP/1.1\r\n\r\n")
        .await
        .expect("there is room");
    let mut answer = Vec::new();
    let read = within(stream.read_to_end(&mut answer)).await;
    assert!(answer.is_empty(), "{read:?}: {answer:?}");
}

#[tokio::test(start_paused = true)]
async fn a_target_that_never_answers_leaves_room_to_the_others() {
    let scene = Scene::new().await;
    let free = Counter::new(&scene.gate).spawn();
    scene.server.export("free", &free).expect("it is free");
    let free = within(scene.link.lookup::<Counter>("free"))
        .await
        .expect("it is exported");
    let stuck: Vec<_> = (0..2_000)
        .map(|n| tokio::spawn(scene.counter.wait(n).into_owned()))
        .collect();
    until(|| scene.server.metrics().asks_running >= 16).await;
    for n in 1..=500 {
        assert_eq!(within(free.add(1)).await.expect("it lives"), n);
    }
    scene.gate.add_permits(2_000);
    for ask in stuck {
        within(ask).await.expect("no panic").expect("it lives");
    }
}

#[tokio::test(start_paused = true)]
async fn small_asks_are_answered_while_a_large_payload_is_under_way() {
    let scene = Scene::new().await;
    let small = Counter::new(&scene.gate).spawn();
    scene.server.export("small", &small).expect("it is free");
    let small = within(scene.link.lookup::<Counter>("small"))
        .await
        .expect("it is exported");
    scene.network.throttle(Some(1 << 20));
    let large = tokio::spawn(scene.counter.length(vec![7; 4 << 20]).into_owned());
    let mut answered = 0;
    while !large.is_finished() {
        let limit = Duration::from_millis(1_000);
        within(small.add(1).timeout(limit))
            .await
            .expect("it is not held up");
        answered += 1;
    }
    assert_eq!(
        within(large).await.expect("no panic").expect("it lives"),
        4 << 20
    );
    assert!(answered > 10, "{answered}");
    assert_eq!(scene.network.opened(), 1, "nobody took the link for dead");
}

#[tokio::test(start_paused = true)]
async fn two_nodes_that_connect_to_each_other_have_a_session_each_way() {
    let network = MemoryNetwork::new();
    let nodes = [Node::builder().build(), Node::builder().build()];
    for (node, name) in nodes.iter().zip(["a", "b"]) {
        within(node.listen(network.address(name)))
            .await
            .expect("it is free");
    }
    for _ in 0..100 {
        let (there, back) = tokio::join!(
            within(nodes[0].connect(network.address("b"))),
            within(nodes[1].connect(network.address("a"))),
        );
        let (there, back) = (there.expect("it listens"), back.expect("it listens"));
        assert_eq!(nodes[0].metrics().sessions, 2);
        within(there.close()).await;
        within(back.close()).await;
        until(|| nodes.iter().all(|node| node.metrics().sessions == 0)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_node_that_nobody_listens_at_is_an_error_at_once() {
    let network = MemoryNetwork::new();
    let error = within(Node::builder().build().connect(network.address("nobody"))).await;
    assert!(matches!(error, Err(ConnectError::Io(_))), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn who_does_not_answer_a_greeting_is_given_up() {
    let network = MemoryNetwork::new();
    let server = Node::builder().build();
    within(server.listen(network.address("a")))
        .await
        .expect("it is free");
    network.delay(Duration::from_secs(60));
    let error = within(Node::builder().build().connect(network.address("a"))).await;
    assert!(matches!(error, Err(ConnectError::Timeout)), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_is_given_up_while_it_is_dialled_fails_what_waits_for_it() {
    let scene = Scene::new().await;
    scene.network.part();
    scene.network.cut();
    let asks: Vec<_> = (0..50)
        .map(|n| tokio::spawn(scene.counter.add(n).into_owned()))
        .collect();
    tokio::task::yield_now().await;
    within(scene.link.close()).await;
    assert_eq!(within(scene.link.ended()).await, LinkEnd::Closed);
    for ask in asks {
        within(ask)
            .await
            .expect("no panic")
            .expect_err("nobody is there");
    }
}

#[tokio::test(start_paused = true)]
async fn a_lone_ask_takes_one_round_trip_and_a_tell_none() {
    let scene = Scene::new().await;
    let delay = Duration::from_millis(10);
    scene.network.delay(delay);
    for _ in 0..3 {
        let begun = Instant::now();
        within(scene.counter.add(1).tell()).await.expect("it lives");
        assert_eq!(begun.elapsed(), Duration::ZERO);
        within(scene.counter.add(1)).await.expect("it lives");
        assert_eq!(begun.elapsed(), 2 * delay, "nothing lingers");
        tokio::time::advance(Duration::from_secs(1)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn many_asks_share_their_round_trips() {
    let scene = Scene::new().await;
    let delay = Duration::from_millis(10);
    scene.network.delay(delay);
    for _ in 0..3 {
        let begun = Instant::now();
        let asks = (0..1_000).map(|_| scene.counter.add(1));
        let answers = within(join_all(asks)).await;
        assert!(answers.iter().all(Result::is_ok));
        let trips = begun.elapsed().as_millis() / (2 * delay).as_millis();
        assert!(trips <= 20, "{trips}"); // while the window grows
    }
}

#[tokio::test(start_paused = true)]
async fn tells_are_acknowledged_by_the_batch() {
    let scene = Scene::new().await;
    let before = scene.server.metrics();
    for n in 0..10_000 {
        within(scene.counter.add(n).tell()).await.expect("it lives");
    }
    within(scene.counter.add(0)).await.expect("it lives");
    let after = scene.server.metrics();
    let sent = after.frames_sent + after.acknowledgements_sent;
    let sent = sent - before.frames_sent - before.acknowledgements_sent;
    assert!(sent < 2_000, "{sent} frames for 10,000 tells");
}

#[tokio::test(start_paused = true)]
async fn each_who_watches_hears_of_each_end_once() {
    let scene = Scene::new().await;
    let mut ends = Vec::new();
    let mut locals = Vec::new();
    for number in 0..100 {
        let name = format!("counter {number}");
        let local = Counter::new(&scene.gate).spawn();
        scene.server.export(&name, &local).expect("it is free");
        let remote = within(scene.link.lookup::<Counter>(&name))
            .await
            .expect("it is exported");
        ends.extend([remote.ended(), remote.ended()]); // a second does not replace the first
        locals.push(local);
    }
    within(scene.counter.add(1))
        .await
        .expect("all watches have come");
    for local in &locals {
        local.kill();
    }
    let told = within(join_all(ends)).await;
    assert_eq!(told, [RemoteEnd::Killed; 200]);
}

#[tokio::test(start_paused = true)]
async fn what_an_ended_session_still_tells_counts_as_a_session() {
    let scene = Scene::with(|node| node.sessions(1)).await;
    let stuck = tokio::spawn(scene.local.wait(1).into_owned());
    until(|| scene.local.add(1).try_tell().is_err()).await; // its mailbox is full
    within(scene.counter.add(100).tell())
        .await
        .expect("there is room on the way");
    within(scene.link.close()).await;
    let connect = || scene.client.connect(&scene.address);
    let refused = within(connect()).await.expect_err("there is one still");
    assert!(matches!(refused, ConnectError::Refused(Refused::Busy)));
    scene.gate.add_permits(1);
    within(stuck).await.expect("no panic").expect("it lives");
    until(|| scene.server.metrics().sessions == 0).await;
    within(connect()).await.expect("there is room again");
    let seen = within(scene.local.seen()).await.expect("it lives");
    assert_eq!(seen.last(), Some(&100), "it was told");
}

/// Answers whoever waits when it is told to.
#[actor]
#[derive(Default)]
struct Barrier {
    waiting: Vec<ReplyTo<u64>>,
}

#[actor(remote)]
impl Barrier {
    fn pass(&mut self) -> Delegated<u64> {
        let (later, delegated) = Delegated::new();
        self.waiting.push(later);
        delegated
    }

    fn open(&mut self) -> usize {
        let waiting = std::mem::take(&mut self.waiting);
        let count = waiting.len();
        for later in waiting {
            later.send(7).expect("somebody waits");
        }
        count
    }
}

#[tokio::test(start_paused = true)]
async fn many_that_wait_for_one_more_message_do_not_hold_it_up() {
    let scene = Scene::new().await;
    let barrier = Barrier::default().spawn();
    scene
        .server
        .export("barrier", &barrier)
        .expect("it is free");
    let barrier = within(scene.link.lookup::<Barrier>("barrier"))
        .await
        .expect("it is exported");
    let waiting = join_all((0..500).map(|_| barrier.pass()));
    let (passed, opened) = within(futures::future::join(waiting, barrier.open())).await;
    assert_eq!(opened.expect("it lives"), 500);
    for pass in passed {
        assert_eq!(pass.expect("it lives"), 7);
    }
}

#[tokio::test(start_paused = true)]
async fn an_ask_has_its_whole_time_whatever_its_connection_waits_for() {
    let long = Duration::from_secs(600);
    let limits = Limits::new().heartbeat(long).idle(2 * long);
    let scene = Scene::with(|node| node.limits(limits.clone())).await;
    let other = Counter::new(&scene.gate).spawn();
    scene.server.export("other", &other).expect("it is free");
    let other = within(scene.link.lookup::<Counter>("other"))
        .await
        .expect("it is exported");
    scene.network.part(); // and what is written stands
    let full = scene.counter.length(vec![7; 1 << 20]).tell();
    within(full).await.expect("there is room");
    tokio::task::yield_now().await;
    tokio::time::advance(ASK_LIMIT / 2).await;
    let begun = Instant::now();
    let error = within(other.add(1)).await.expect_err("nobody hears");
    assert!(matches!(error, AskError::Timeout(_)), "{error:?}");
    assert!(begun.elapsed() >= ASK_LIMIT, "{:?}", begun.elapsed());
}

/// Tells the counter to wait until there is no more room on the way.
async fn fill(scene: &Scene) {
    let limit = ASK_LIMIT; // longer than it takes to hear what was taken
    while (scene.counter.wait(0).tell().timeout(limit).await).is_ok() {}
}

#[tokio::test(start_paused = true)]
async fn an_ask_is_handed_back_by_an_actor_that_takes_nothing_though_its_node_lives() {
    let scene = Scene::new().await;
    fill(&scene).await;
    let begun = Instant::now();
    let told = tokio::spawn(scene.counter.add(1).tell().into_owned());
    let limited = scene.counter.add(2).into_owned().timeout(2 * ASK_LIMIT);
    let limited = tokio::spawn(limited);
    let error = within(scene.counter.add(7)).await.expect_err("nobody");
    assert!(begun.elapsed() >= ASK_LIMIT, "{:?}", begun.elapsed());
    let AskError::NotHandled(error) = error else {
        panic!("{error:?}")
    };
    assert!(matches!(error.refusal(), Refusal::Timeout(ASK_LIMIT)));
    assert_eq!(error.into_message::<CounterAdd>().expect("it is").n, 7);
    assert_eq!(scene.network.opened(), 1, "its node answers");
    // Others wait as long as they want to.
    assert!(within(limited).await.expect("no panic").is_err());
    assert!(begun.elapsed() >= 2 * ASK_LIMIT, "{:?}", begun.elapsed());
    scene.gate.add_permits(10_000);
    within(told).await.expect("no panic").expect("it lives");
}

#[tokio::test(start_paused = true)]
async fn an_ask_waits_for_an_actor_that_takes_something_now_and_then() {
    let scene = Scene::new().await;
    fill(&scene).await;
    let begun = Instant::now();
    for n in 0..1_000 {
        tokio::spawn(scene.counter.wait(n).tell().into_owned());
    }
    tokio::task::yield_now().await;
    let mut sent = tokio::spawn(scene.counter.add(7).enqueue().into_owned());
    let sent = loop {
        if let Ok(sent) = tokio::time::timeout(ASK_LIMIT / 2, &mut sent).await {
            break sent;
        }
        scene.gate.add_permits(32);
        assert!(begun.elapsed() < 100 * ASK_LIMIT, "a hang");
    };
    drop(sent.expect("no panic").expect("it was sent"));
    assert!(begun.elapsed() > 2 * ASK_LIMIT, "{:?}", begun.elapsed());
}
