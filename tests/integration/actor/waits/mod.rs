//! Handlers that wait for each other.

mod circles;
mod innocent;

use greenroom::{AskError, Builder, Deadlock, Refusal, actor};

use super::support::Gate;

/// Asks others, which ask others.
#[actor(mailbox = 4)]
pub(crate) struct Node {
    handled: u32,
}

/// Whom to ask, one after the other: the first asks the second, and so on.
type Chain = Vec<NodeHandle>;

#[actor]
impl Node {
    #[message(inline = never)]
    pub(crate) fn ping(&mut self) -> u32 {
        self.handled
    }

    #[message(inline = never)]
    pub(crate) async fn go(&mut self, chain: Chain) -> Result<(), Deadlock> {
        self.handled += 1;
        match split(chain) {
            None => Ok(()),
            Some((next, rest)) => next.go(rest).await.map_err(deadlock),
        }
    }

    #[message(inline = always)]
    pub(crate) async fn go_inline(&mut self, chain: Chain) -> Result<(), Deadlock> {
        self.handled += 1;
        match split(chain) {
            None => Ok(()),
            Some((next, rest)) => next.go_inline(rest).await.map_err(deadlock),
        }
    }

    /// Waits at a gate, then does as `go`.
    #[message(inline = never)]
    pub(crate) async fn go_late(&mut self, gate: Gate, chain: Chain) -> Result<(), Deadlock> {
        gate.pass().await;
        self.go(chain).await
    }
}

fn split(mut chain: Chain) -> Option<(NodeHandle, Chain)> {
    if chain.is_empty() {
        return None;
    }
    let next = chain.remove(0);
    Some((next, chain))
}

/// The deadlock that an ask failed with, here or further down.
#[track_caller]
fn deadlock(error: AskError<Deadlock>) -> Deadlock {
    match error {
        AskError::Handler(deadlock) | AskError::Deadlock(deadlock) => deadlock,
        AskError::NotHandled(error) => match error.refusal() {
            Refusal::Deadlock(deadlock) => deadlock.clone(),
            other => panic!("{other}"),
        },
        other => panic!("{other}"),
    }
}

fn node(name: &str) -> NodeHandle {
    Builder::new(Node { handled: 0 }).name(name).spawn()
}

fn nodes<const N: usize>() -> [NodeHandle; N] {
    std::array::from_fn(|index| node(&format!("n{index}")))
}

/// Who waits, in the order of the path.
fn names(deadlock: &Deadlock) -> Vec<&str> {
    deadlock
        .path()
        .iter()
        .map(|hop| hop.actor().name())
        .collect()
}
