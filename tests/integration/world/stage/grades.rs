//! What forks have of actors that are not just states.

use greenroom::world::{ForkActor, Within};
use greenroom::{AskError, Refusal, actor};

use super::support::stage;
use crate::world::support::Token;

/// Everybody's.
#[actor]
#[derive(Clone)]
struct Log {
    lines: Vec<String>,
    _token: Token,
}

#[actor(fork = shared)]
impl Log {
    fn note(&mut self, line: String) -> usize {
        self.lines.push(line);
        self.lines.len()
    }
}

/// Must not happen twice.
#[actor]
#[derive(Clone)]
struct Wire {
    sent: u32,
    log: LogHandle<Within>,
}

#[actor(fork = refuse)]
impl Wire {
    async fn send(&mut self) -> Result<u32, greenroom::Error> {
        self.sent += 1;
        self.log.note(format!("sent {}", self.sent)).await?;
        Ok(self.sent)
    }
}

#[tokio::test]
async fn an_actor_that_is_shared_is_the_same_one_in_every_fork() {
    let token = Token::new();
    let stage = stage();
    let log = Log {
        lines: Vec::new(),
        _token: token.clone(),
    };
    let log = log.spawn_in(&stage);
    log.note("at home".into()).await.expect("it lives");
    let fork = stage.fork().await;
    let grandchild = fork.fork().await;
    let note = log.within(&fork).note("in a fork".into()).await;
    assert_eq!(note.expect("it lives"), 2);
    let note = log.within(&grandchild).note("in its fork".into()).await;
    assert_eq!(note.expect("it lives"), 3);
    assert_eq!(token.alive(), 2, "it was not cloned");
    drop(stage);
    let note = log.within(&fork).note("nobody reads it".into()).await;
    assert!(matches!(
        note,
        Err(AskError::NotHandled(_) | AskError::Interrupted(_))
    ));
}

#[tokio::test]
async fn an_actor_that_refuses_is_in_no_fork() {
    let stage = stage();
    let (lines, _token) = (Vec::new(), Token::new());
    let log = Log { lines, _token }.spawn_in(&stage);
    let wire = Wire { sent: 0, log }.spawn_in(&stage);
    let fork = stage.fork().await;
    assert_eq!(wire.send().await.expect("it lives"), 1);
    let error = wire.within(&fork).send().await.expect_err("it refuses");
    let AskError::NotHandled(error) = error else {
        panic!("{error}");
    };
    assert!(matches!(error.refusal(), Refusal::NotHere));
}

#[tokio::test]
async fn what_does_not_fork_goes_on_after_a_commit() {
    let stage = stage();
    let (lines, _token) = (Vec::new(), Token::new());
    let log = Log { lines, _token }.spawn_in(&stage);
    let wire = Wire { sent: 0, log }.spawn_in(&stage);
    let fork = stage.fork().await;
    let counter = super::support::Counter::of(0).spawn_in(&fork);
    counter.add(1).await.expect("it lives");
    assert_eq!(wire.send().await.expect("it lives"), 1);
    let mut parent = stage.quiesce().await;
    let committed = fork.quiesce().await.commit(&mut parent);
    committed.expect("its state is no part of the world");
    drop(parent);
    assert_eq!(wire.send().await.expect("it lives"), 2);
}
