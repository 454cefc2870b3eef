//! What the actors of a fork have, and what the others see of it.

use std::io::{self, PipeWriter, Read, Write};
use std::sync::Arc;

use greenroom::actor;
use greenroom::world::{ForkActor, Stage};

use super::support::{Counter, relayed, stage};
use crate::world::support::Token;

#[tokio::test]
async fn a_handle_reaches_its_actor_in_any_fork() {
    let stage = stage();
    let counter = Counter::of(1).spawn_in(&stage);
    let one = stage.fork().await;
    let two = stage.fork().await;
    assert_eq!(counter.within(&one).add(10).await.expect("it lives"), 11);
    assert_eq!(counter.within(&two).add(20).await.expect("it lives"), 21);
    let three = one.fork().await;
    assert_eq!(
        counter.within(&three).add(100).await.expect("it lives"),
        111
    );
    assert_eq!(counter.add(5).await.expect("it lives"), 6);
    assert_eq!(counter.within(&one).count().await.expect("it lives"), 11);
}

#[tokio::test]
async fn a_fork_sees_the_world_as_it_was_and_is_not_seen() {
    let (stage, counter, _) = relayed();
    counter.add(1).await.expect("it lives");
    let fork = stage.fork().await;
    counter.add(1).await.expect("it lives");
    assert_eq!(counter.within(&fork).count().await.expect("it lives"), 1);
    assert_eq!(counter.count().await.expect("it lives"), 2);
}

#[tokio::test]
async fn in_the_code_of_an_actor_a_handle_means_the_actor_of_its_world() {
    let (stage, counter, relay) = relayed();
    let fork = stage.fork().await;
    assert_eq!(relay.within(&fork).add(3).await.expect("it lives"), 3);
    assert_eq!(counter.within(&fork).count().await.expect("it lives"), 3);
    assert_eq!(counter.count().await.expect("it lives"), 0);
}

#[tokio::test]
async fn a_handle_that_is_bound_to_a_world_stays_there() {
    let (stage, counter, _) = relayed();
    let bound = super::support::Relay {
        to: counter.within(&stage),
    };
    let relay = bound.spawn_in(&stage);
    let fork = stage.fork().await;
    assert_eq!(relay.within(&fork).add(3).await.expect("it lives"), 3);
    assert_eq!(counter.count().await.expect("it lives"), 3);
    assert_eq!(counter.within(&fork).count().await.expect("it lives"), 0);
}

#[tokio::test]
async fn a_fork_makes_an_actor_when_a_message_comes_for_it() {
    let token = Token::new();
    let stage = stage();
    let counters: Vec<_> = (0..100)
        .map(|_| Counter::with(&token).spawn_in(&stage))
        .collect();
    let fork = stage.fork().await;
    let alive = token.alive();
    assert_eq!((stage.running(), fork.running()), (100, 0));
    counters[7].within(&fork).add(1).await.expect("it lives");
    assert_eq!((token.alive(), fork.running()), (alive + 1, 1));
}

#[tokio::test]
async fn the_state_of_an_actor_lies_in_the_world_under_its_entry() {
    let stage = stage();
    let counter = Counter::of(1).spawn_in(&stage);
    counter.add(1).await.expect("it lives");
    let mut quiet = stage.quiesce().await;
    assert_eq!(quiet.state(&counter).map(|state| state.count), Some(2));
    let state = quiet.world_mut().get_mut(counter.entry());
    state.expect("it lies there").count = 7;
    let snapshot = quiet.snapshot();
    drop(quiet);
    assert_eq!(counter.add(1).await.expect("it lives"), 8);
    let again = Stage::new(snapshot.open(3));
    assert_eq!(counter.within(&again).add(2).await.expect("it lives"), 9);
}

#[tokio::test]
async fn a_restored_world_goes_on_as_it_was_and_saves_as_the_same() {
    let stage = stage();
    let counter = Counter::of(1).spawn_in(&stage);
    let before = stage.quiesce().await.snapshot();
    counter.add(1).await.expect("it lives");
    stage.quiesce().await.restore(&before);
    assert_eq!(
        stage.quiesce().await.snapshot().revision(),
        before.revision()
    );
    assert_eq!(counter.count().await.expect("it lives"), 1);
}

#[tokio::test]
async fn forks_of_one_world_draw_their_own_numbers_and_again_the_same() {
    let drawn = async || {
        let stage = stage();
        let counter = Counter::of(0).spawn_in(&stage);
        let mut drawn = Vec::new();
        for _ in 0..3 {
            let fork = stage.fork().await;
            drawn.push(counter.within(&fork).draw(1).await.expect("it lives"));
        }
        drawn
    };
    let (first, second) = (drawn().await, drawn().await);
    assert_eq!(first, second);
    assert!(first[0] != first[1] && first[1] != first[2], "{first:?}");
}

#[tokio::test]
async fn what_is_spawned_after_a_fork_is_not_in_it() {
    let stage = stage();
    let fork = stage.fork().await;
    let counter = Counter::of(1).spawn_in(&stage);
    assert!(counter.within(&fork).count().await.is_err());
    let own = Counter::of(2).spawn_in(&fork);
    assert_eq!(own.count().await.expect("it lives"), 2);
    assert!(own.within(&stage).count().await.is_err());
}

#[tokio::test]
async fn one_world_handles_one_message_of_an_actor_at_a_time_and_others_beside_it() {
    let stage = stage();
    let counter = Counter::of(0).spawn_in(&stage);
    let fork = stage.fork().await;
    let gate = super::support::Gate::new();
    let late = tokio::spawn(counter.add_late(1, gate.clone()).into_owned());
    gate.reached().await;
    let behind = tokio::spawn(counter.add(10).into_owned());
    assert_eq!(counter.within(&fork).add(100).await.expect("it lives"), 100);
    gate.open();
    assert_eq!(late.await.expect("joined").expect("it lives"), 1);
    assert_eq!(behind.await.expect("joined").expect("it lives"), 11);
}

#[tokio::test]
async fn an_actor_spawns_others_in_its_own_world() {
    let (stage, counter, relay) = relayed();
    let fork = stage.fork().await;
    relay.within(&fork).renew().await.expect("it lives");
    assert_eq!(relay.within(&fork).add(1).await.expect("it lives"), 501);
    let next = fork.fork().await;
    assert_eq!(relay.within(&next).add(1).await.expect("it lives"), 502);
    assert_eq!(relay.add(1).await.expect("it lives"), 1);
    assert_eq!(counter.count().await.expect("it lives"), 1);
}

/// Writes to what lies outside all worlds.
#[actor]
#[derive(Clone)]
struct Scribe {
    paper: Arc<PipeWriter>,
    letters: u64,
}

#[actor(fork)]
impl Scribe {
    fn write(&mut self, letter: u8) -> io::Result<u64> {
        (&*self.paper).write_all(&[letter])?;
        self.letters += 1;
        Ok(self.letters)
    }
}

#[tokio::test]
async fn what_was_written_outside_stays_written_whatever_becomes_of_the_world() {
    let (mut reader, paper) = io::pipe().expect("a pipe");
    let paper = Arc::new(paper);
    let stage = stage();
    let scribe = Scribe { paper, letters: 0 }.spawn_in(&stage);
    assert_eq!(scribe.write(b'a').await.expect("it lives"), 1);
    let fork = stage.fork().await;
    assert_eq!(scribe.within(&fork).write(b'b').await.expect("it lives"), 2);
    drop(fork);
    assert_eq!(scribe.write(b'c').await.expect("it lives"), 2);
    let mut written = [0; 3];
    reader.read_exact(&mut written).expect("written");
    assert_eq!(&written, b"abc");
}
