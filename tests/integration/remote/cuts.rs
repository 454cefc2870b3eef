//! A session between two nodes, cut after each of its bytes.

use std::sync::Arc;

use greenroom::AskError;
use greenroom::remote::{MemoryNetwork, Node};
use tokio::sync::Semaphore;

use super::scene::{Counter, Scene, within};

/// Asks and tells, and one of so many bytes; what was seen there, in order.
async fn exchange(scene: &Scene, length: usize) -> Vec<u64> {
    let counter = &scene.counter;
    let mut replies = Vec::new();
    for n in 1..=6 {
        replies.push(within(counter.add(n).enqueue()).await.expect("it lives"));
        within(counter.add(100 + n).tell()).await.expect("it lives");
    }
    let large = within(counter.length(vec![1; length]).enqueue()).await;
    let small = within(counter.take(1).enqueue()).await.expect("it lives");
    let mut sum = 0;
    for (n, reply) in (1..).zip(replies) {
        sum += n;
        assert_eq!(within(reply).await.expect("it is executed once"), sum);
        sum += 100 + n;
    }
    assert_eq!(within(small).await.expect("it is executed once"), sum - 1);
    let answer = within(large.expect("it lives")).await;
    assert_eq!(answer.expect("it is executed once"), length);
    within(counter.seen()).await.expect("it lives")
}

/// What the actor there sees, whatever the connection does.
fn model() -> Vec<u64> {
    (1..=6).flat_map(|n| [n, 100 + n]).collect()
}

#[tokio::test(start_paused = true)]
async fn a_cut_after_any_byte_of_both_directions_changes_nothing() {
    let mut bytes = 0;
    loop {
        bytes += 1;
        if !cut(bytes, 10).await {
            break; // it was all said before
        }
    }
    assert!(bytes > 100, "it was all said in {bytes}");
}

#[tokio::test(start_paused = true)]
async fn a_cut_in_the_midst_of_what_goes_in_chunks_changes_nothing() {
    for bytes in (1..80_000).step_by(1_997) {
        cut(bytes, 70_000).await;
    }
}

/// Says whether there was a cut.
async fn cut(bytes: u64, length: usize) -> bool {
    let scene = Scene::new().await;
    scene.network.cut_after(Some(bytes));
    assert_eq!(exchange(&scene, length).await, model(), "cut after {bytes}");
    scene.network.cut_after(None);
    let seen = within(scene.counter.seen()).await;
    assert_eq!(seen.expect("it lives"), model());
    within(scene.link.close()).await;
    scene.network.opened() > 1
}

#[tokio::test(start_paused = true)]
async fn a_cut_after_any_byte_of_the_greetings_is_an_error_or_a_session() {
    let gate = Arc::new(Semaphore::new(0));
    let mut errors = 0;
    for bytes in 1..400 {
        let network = MemoryNetwork::new();
        let server = Node::builder().build();
        let local = Counter::new(&gate).spawn();
        server.export("counter", &local).expect("it is free");
        let listens = server.listen(network.address("server")).await;
        listens.expect("it is free");
        network.cut_after(Some(bytes));
        let client = Node::builder().build();
        let Ok(link) = within(client.connect(network.address("server"))).await else {
            errors += 1;
            continue;
        };
        let counter = within(link.lookup::<Counter>("counter")).await;
        let counter = counter.expect("a session survives its connection");
        match within(counter.add(bytes)).await {
            Ok(sum) => assert_eq!(sum, bytes, "it is executed once"),
            Err(AskError::OutcomeUnknown(_)) => {}
            Err(error) => panic!("{error:?}"),
        }
        assert!(local.seen().await.expect("it lives").len() <= 1);
    }
    assert!(errors > 100, "only {errors} were cut in a greeting");
}
