//! Actors that live in worlds, for tests.

use std::sync::Arc;

use greenroom::world::{ForkActor, InWorld, Stage, Within, World};
use greenroom::{Context, actor};
use tokio::sync::Semaphore;

use crate::world::support::Token;

/// A stage whose seed is known.
pub(crate) fn stage() -> Stage {
    Stage::new(World::seeded(1))
}

/// Lets one handler through at a time, and tells that it is there.
#[derive(Clone)]
pub(crate) struct Gate(Arc<(Semaphore, Semaphore)>);

impl Gate {
    pub(crate) fn new() -> Self {
        Self(Arc::new((Semaphore::new(0), Semaphore::new(0))))
    }

    /// Waits until a handler has come to it.
    pub(crate) async fn reached(&self) {
        self.0.0.acquire().await.expect("open").forget();
    }

    pub(crate) fn open(&self) {
        self.0.1.add_permits(1);
    }

    pub(crate) async fn pass(&self) {
        self.0.0.add_permits(1);
        self.0.1.acquire().await.expect("open").forget();
    }
}

/// A number that messages change.
#[actor]
#[derive(Clone)]
pub(crate) struct Counter {
    pub(crate) count: u64,
    _token: Option<Token>,
}

impl Counter {
    pub(crate) fn of(count: u64) -> Self {
        let _token = None;
        Self { count, _token }
    }

    pub(crate) fn with(token: &Token) -> Self {
        let _token = Some(token.clone());
        Self { count: 0, _token }
    }
}

#[actor(fork, derive(Clone))]
impl Counter {
    pub(crate) fn add(&mut self, n: u64) -> u64 {
        self.count += n;
        self.count
    }

    pub(crate) fn take(&mut self, n: u64) {
        self.count -= n;
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Adds when the gate opens.
    pub(crate) async fn add_late(&mut self, n: u64, gate: Gate) -> u64 {
        gate.pass().await;
        self.count += n;
        self.count
    }

    /// Draws by the world's seed.
    pub(crate) fn draw(&mut self, what: u64, ctx: &mut Context<Self>) -> u64 {
        let world = ctx.world().expect("it lives in a world");
        let drawn = world.stream(what).below(1_000) as u64;
        self.count = self.count.wrapping_mul(31).wrapping_add(drawn);
        self.count
    }

    pub(crate) fn fail(&mut self) -> Result<u64, String> {
        Err("as told".to_owned())
    }

    pub(crate) fn panic(&mut self) {
        self.count += 1_000;
        panic!("as told");
    }

    pub(crate) fn finish(&mut self, ctx: &mut Context<Self>) {
        ctx.stop();
    }
}

/// Hands on to another actor of its world.
#[actor]
#[derive(Clone)]
pub(crate) struct Relay {
    pub(crate) to: CounterHandle<Within>,
}

#[actor(fork)]
impl Relay {
    pub(crate) async fn add(&mut self, n: u64) -> Result<u64, greenroom::Error> {
        Ok(self.to.add(n).await?)
    }

    /// Takes from one and gives to the other, with the others' handlers in between.
    pub(crate) async fn transfer(
        &mut self,
        to: CounterHandle<Within>,
        n: u64,
    ) -> Result<(), greenroom::Error> {
        self.to.take(n).await?;
        greenroom::yield_now().await;
        to.add(n).await?;
        Ok(())
    }

    /// Has another counter from now on.
    pub(crate) fn renew(&mut self, ctx: &mut Context<Self>) {
        let world = ctx.world().expect("it lives in a world");
        self.to = world.spawn(Counter::of(500));
    }

    /// Asks itself, and says what it is told.
    pub(crate) async fn ask_me(&mut self, ctx: &mut Context<Self>) -> String {
        let me = ctx.world().expect("it lives in a world").me();
        let answer = me.ask_me().await;
        answer.expect_err("it waits for itself").to_string()
    }

    /// Tells, when the gate opens.
    pub(crate) async fn tell_late(&mut self, n: u64, gate: Gate) {
        gate.pass().await;
        self.to.add(n).tell().await.expect("it lives");
    }
}

/// A stage with a counter and a relay to it.
pub(crate) fn relayed() -> (Stage, CounterHandle<Within>, RelayHandle<Within>) {
    let stage = stage();
    let counter = Counter::of(0).spawn_in(&stage);
    let relay = Relay {
        to: counter.clone(),
    };
    let relay = relay.spawn_in(&stage);
    (stage, counter, relay)
}
