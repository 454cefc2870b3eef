//! What an actor sends itself: timers, the outputs of tasks, the items of streams.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use greenroom::{Context, actor, runtime};
use tokio::time::Instant;

use crate::actor::support::Gate;

mod attached;
mod ends;
mod idle;
mod keyed;
mod missed;
mod once;
mod restarts;
mod tasks;

/// What was handled, and how many milliseconds after the beginning.
#[derive(Clone)]
struct Log {
    began: Instant,
    lines: Arc<Mutex<Vec<(u32, u64)>>>,
}

impl Log {
    fn new() -> Self {
        Self {
            began: Instant::now(),
            lines: Arc::default(),
        }
    }

    fn write(&self, word: u32) {
        let at = self.began.elapsed().as_millis();
        let at = u64::try_from(at).expect("a short test");
        self.lines.lock().unwrap().push((word, at));
    }

    fn lines(&self) -> Vec<(u32, u64)> {
        self.lines.lock().unwrap().clone()
    }

    fn words(&self) -> Vec<u32> {
        self.lines().iter().map(|line| line.0).collect()
    }
}

/// What a ticker is to do in a handler.
type Act = Box<dyn FnOnce(&mut Context<Ticker>) + Send>;

fn act(act: impl FnOnce(&mut Context<Ticker>) + Send + 'static) -> Act {
    Box::new(act)
}

/// A message of a timer, a task or a stream. It is noted when it goes.
struct Tick {
    word: u32,
    gone: Option<Arc<()>>,
}

fn tick(word: u32) -> Tick {
    Tick { word, gone: None }
}

/// Logs its ticks, and does in its handlers what tests say.
#[actor(mailbox = 2)]
struct Ticker {
    log: Log,
}

#[actor]
impl Ticker {
    #[message]
    fn on_tick(&mut self, tick: Tick) {
        self.log.write(tick.word);
        drop(tick.gone);
    }

    #[message(inline = always)]
    fn ping(&mut self) {}

    fn run(&mut self, act: Act, ctx: &mut Context<Self>) {
        act(ctx);
    }

    /// Acts when the gate is opened.
    async fn hold(&mut self, gate: Gate, act: Act, ctx: &mut Context<Self>) {
        gate.pass().await;
        act(ctx);
    }

    /// Is busy for so long.
    async fn nap(&mut self, ms: u64) {
        tokio::time::sleep(millis(ms)).await;
    }
}

fn ticker() -> (TickerHandle, Log) {
    let log = Log::new();
    (Ticker { log: log.clone() }.spawn(), log)
}

/// A ticker that is at a gate, and will then act.
async fn busy_ticker(
    f: impl FnOnce(&mut Context<Ticker>) + Send + 'static,
) -> (TickerHandle, Log, Gate) {
    let (ticker, log) = ticker();
    let gate = Gate::shut();
    ticker.hold(gate.clone(), act(f)).tell().await.unwrap();
    gate.reached().await;
    (ticker, log, gate)
}

const fn millis(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Lets the paused clock go on, with all that is due on the way.
async fn pass(ms: u64) {
    tokio::time::sleep(millis(ms)).await;
}

/// Tasks and actors of this runtime that have not ended.
fn live() -> usize {
    runtime::Handle::current().metrics().live
}
