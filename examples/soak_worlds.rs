//! A world of a thousand actors, forked a thousand times: each fork handles ten messages, and is
//! discarded. Says what that takes, and fails if something is left.
//!
//! `cargo run --release --features world --example soak_worlds [forks]`

use std::sync::Arc;
use std::time::{Duration, Instant};

use greenroom::world::{ForkActor, Stage, Within, World};
use greenroom::{Error, actor};

const ACTORS: usize = 1_000;
const MESSAGES: usize = 10;
const FORKS: usize = 1_000;

/// A state of some size. Its token is counted: each clone of the state has one.
#[actor]
#[derive(Clone)]
struct Cell {
    values: Vec<u64>,
    _token: Arc<()>,
}

#[actor(fork)]
impl Cell {
    fn add(&mut self, n: u64) -> u64 {
        let at = n as usize % self.values.len();
        self.values[at] += n;
        self.values.iter().sum()
    }
}

/// What one round of forks took.
struct Took {
    forking: Duration,
    all: Duration,
    sum: u64,
}

async fn round(stage: &Stage, cells: &[CellHandle<Within>], forks: usize) -> Result<Took, Error> {
    let begin = Instant::now();
    let (mut forking, mut sum) = (Duration::ZERO, 0_u64);
    for fork in 0..forks {
        let before = Instant::now();
        let branch = stage.fork().await;
        forking += before.elapsed();
        for message in 0..MESSAGES {
            let cell = &cells[(fork * 31 + message * 97) % cells.len()];
            let added = cell.within(&branch).add(message as u64 + 1).await?;
            sum = sum.wrapping_mul(31).wrapping_add(added);
        }
    }
    let all = begin.elapsed();
    Ok(Took { forking, all, sum })
}

/// Waits until the actors of worlds that are gone are gone as well.
async fn settled(token: &Arc<()>, states: usize) {
    while Arc::strong_count(token) > states {
        greenroom::yield_now().await;
    }
    assert_eq!(Arc::strong_count(token), states, "a state was lost");
}

/// Pages in memory, where the system tells.
fn resident_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

#[greenroom::main]
async fn main() -> Result<(), Error> {
    let forks = std::env::args().nth(1).and_then(|forks| forks.parse().ok());
    let forks = forks.unwrap_or(FORKS);
    let token = Arc::new(());
    let stage = Stage::new(World::seeded(1));
    let cells: Vec<_> = (0..ACTORS)
        .map(|n| {
            let (values, _token) = (vec![n as u64; 16], token.clone());
            Cell { values, _token }.spawn_in(&stage)
        })
        .collect();
    drop(stage.quiesce().await);
    // The caller's token, and for each actor its own state and the world's.
    let states = 1 + 2 * ACTORS;

    let warm = round(&stage, &cells, forks).await?;
    settled(&token, states).await;
    let before = resident_kib();
    let took = round(&stage, &cells, forks).await?;
    settled(&token, states).await;
    assert_eq!(took.sum, warm.sum, "two rounds differ");

    let each = |took: Duration| took.as_nanos() / forks.max(1) as u128;
    println!("{ACTORS} actors, {forks} forks, {MESSAGES} messages in each");
    println!(
        "a fork takes {} ns; with its messages and its end {} ns",
        each(took.forking),
        each(took.all)
    );
    if let (Some(before), Some(after)) = (before, resident_kib()) {
        println!("resident: {before} KiB before, {after} KiB after");
    }
    drop((stage, cells));
    settled(&token, 1).await;
    println!("nothing is left");
    Ok(())
}
