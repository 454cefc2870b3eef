//! Handlers that wait for each other.

mod circles;
mod forwarded;
mod innocent;
mod limited;
mod mailboxes;
mod movers;
mod scanned;

use std::time::Duration;

use futures::future::{join_all, try_join_all};
use greenroom::limits::WAIT_HOPS;
use greenroom::{AskError, Builder, Deadlock, Refusal, Reply, actor};

use super::support::{Gate, within};

/// Asks others, which ask others.
#[actor(mailbox = 4)]
pub(crate) struct Node {
    handled: u32,
    kept: Option<Reply<(), Deadlock>>,
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

    /// As `go`; says whether it went well.
    #[message(inline = never)]
    pub(crate) async fn go_anyhow(&mut self, chain: Chain) -> bool {
        let (next, rest) = split(chain).expect("somebody to ask");
        next.go(rest).await.is_ok()
    }

    /// As `go_anyhow`, within a limit of its own.
    #[message(inline = never)]
    pub(crate) async fn go_within(&mut self, chain: Chain, limit: Duration) -> bool {
        let (next, rest) = split(chain).expect("somebody to ask");
        next.go(rest).timeout(limit).await.is_ok()
    }

    /// Waits at a gate, then does as `go_all`.
    #[message(inline = never)]
    pub(crate) async fn go_all_late(
        &mut self,
        gate: Gate,
        chains: Vec<Chain>,
    ) -> Result<(), Deadlock> {
        gate.pass().await;
        self.go_all(chains).await
    }

    /// Does as `go` for many chains at once.
    #[message(inline = never)]
    pub(crate) async fn go_all(&mut self, chains: Vec<Chain>) -> Result<(), Deadlock> {
        let asks = chains.into_iter().filter_map(split);
        let asks: Vec<_> = asks
            .map(|(next, rest)| next.go(rest).into_owned())
            .collect();
        try_join_all(asks).await.map(drop).map_err(deadlock)
    }

    /// Sends what `go` asks, and keeps what comes of it for later.
    #[message(inline = never)]
    pub(crate) async fn send(&mut self, chain: Chain) {
        let (next, rest) = split(chain).expect("somebody to ask");
        let reply = next.go(rest).enqueue().await.expect("it is accepted");
        self.kept = Some(reply);
    }

    #[message(inline = never)]
    pub(crate) fn kept(&mut self) -> Option<Reply<(), Deadlock>> {
        self.kept.take()
    }

    /// Waits for what `send` has sent, and says when that begins.
    #[message(inline = never)]
    pub(crate) async fn wait_for_kept(&mut self, begun: Gate) -> Result<(), Deadlock> {
        begun.open();
        let kept = self.kept.take().expect("something was sent");
        kept.await.map_err(deadlock)
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
    Builder::new(Node {
        handled: 0,
        kept: None,
    })
    .name(name)
    .spawn()
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

/// Returns when every wait that has begun before has been looked at.
///
/// A circle that is too long to be found as it closes is found in such a look.
async fn looked_at() {
    let ring: Vec<_> = (0..2 * WAIT_HOPS).map(|_| node("ring")).collect();
    let mut chain = ring.clone();
    chain.rotate_left(1);
    let found = deadlock(within(ring[0].go(chain)).await.unwrap_err());
    assert_eq!(found.path().len(), ring.len());
    let idle = within(join_all(ring.iter().map(|node| node.ping()))).await;
    assert!(idle.iter().all(Result::is_ok));
}
