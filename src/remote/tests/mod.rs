//! Asks and tells to another process, by a link within this one.

mod asks;
mod errors;
mod limits;
mod loopback;

use std::sync::Arc;

use tokio::sync::Semaphore;

use super::RemoteHandle;
use super::carry::{Port, identity};
use super::handle::handle_of;
use super::target::target;
use crate::actor::Context;
use loopback::Loopback;

/// Counts, fails, waits and panics.
#[greenroom::actor]
struct Counter {
    count: u64,
    gate: Arc<Semaphore>,
}

#[greenroom::actor(remote)]
impl Counter {
    fn add(&mut self, n: u64) -> u64 {
        self.count += n;
        self.count
    }

    fn halve(&self, n: u64) -> Result<u64, String> {
        match n % 2 {
            0 => Ok(n / 2),
            _ => Err(format!("{n} is odd")),
        }
    }

    /// Waits at the gate.
    async fn wait(&mut self, n: u64) -> u64 {
        let pass = self.gate.acquire().await.expect("it stays open");
        pass.forget();
        n
    }

    /// How long its asker waits, in milliseconds.
    fn term(&self, ctx: &mut Context<Self>) -> Option<u64> {
        let left = ctx
            .deadline()?
            .saturating_duration_since(tokio::time::Instant::now());
        Some(u64::try_from(left.as_millis()).unwrap_or(u64::MAX))
    }

    fn crash(&self) {
        panic!("a secret");
    }

    fn long(&self, bytes: usize) -> String {
        "x".repeat(bytes)
    }

    #[message(wire = "units")]
    fn many(&self, units: Vec<()>) -> Vec<()> {
        units
    }
}

/// One of this process, and a handle that reaches it over a link.
struct Scene {
    local: CounterHandle,
    remote: RemoteHandle<Counter>,
    link: Arc<Loopback>,
    gate: Arc<Semaphore>,
}

/// With room for so many asks at a time.
fn scene(room: usize) -> Scene {
    let gate = Arc::new(Semaphore::new(0));
    let local = Counter {
        count: 0,
        gate: Arc::clone(&gate),
    }
    .spawn();
    let link = Arc::new(Loopback::new(target::<Counter>(&local), room));
    let port = Port::new(link.clone(), identity("counter"));
    Scene {
        local,
        remote: handle_of::<Counter>(port),
        link,
        gate,
    }
}
