//! The run: senders and sinks that come and go, and what is checked when they have gone.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use greenroom::runtime::Metrics;
use greenroom::{JoinSet, Runtime};

use crate::arguments::Arguments;
use crate::memory::{Growth, Memory, mebibytes, resident};
use crate::rng::Rng;
use crate::sender::{Stage, send_all};
use crate::token::{Fate, Ledger};

const SENDERS: usize = 24;
const SINKS: usize = 6;
/// How often somebody is started anew. It draws who.
const RESTART: Duration = Duration::from_millis(1);
/// Samples of the memory in a run: one for each so many messages.
const SAMPLES: u64 = 100;

/// What a run that held has done.
pub struct Report {
    pub ledger: Arc<Ledger>,
    restarts: u64,
    lasted: Duration,
    growth: Option<Growth>,
    /// Bytes in memory at the end.
    resident: Option<u64>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each = self.lasted.as_nanos() as f64 / self.ledger.made() as f64;
        write!(f, "{}", self.ledger)?;
        let seconds = self.lasted.as_secs_f64();
        let restarts = self.restarts;
        writeln!(
            f,
            "{restarts} restarts, {seconds:.1} s, {each:.0} ns for each message"
        )?;
        match (&self.growth, self.resident) {
            (Some(growth), _) => writeln!(f, "memory: {growth}"),
            (None, Some(bytes)) => writeln!(f, "memory: {:.1} MiB", mebibytes(bytes)),
            (None, None) => writeln!(f, "memory: not told by this system"),
        }
    }
}

/// Soaks, and checks. The error says what did not hold.
pub fn run(arguments: &Arguments) -> Result<Report, String> {
    let builder = Runtime::builder().worker_threads(arguments.workers);
    let runtime = builder.build().map_err(|error| error.to_string())?;
    let report = runtime.block_on(soak(arguments.clone()))?;
    check(&report, &runtime.handle().metrics())?;
    Ok(report)
}

async fn soak(arguments: Arguments) -> Result<Report, String> {
    let mut rng = Rng::seeded(arguments.seed);
    let stage = Arc::new(Stage::new(arguments.messages, SINKS));
    let ledger = Arc::clone(&stage.ledger);
    let (mut senders, mut ended) = (JoinSet::new(), JoinSet::new());
    let mut aborts: Vec<_> = (0..SENDERS)
        .map(|_| senders.spawn(send_all(Arc::clone(&stage), rng.fork())))
        .collect();
    let (began, mut restarts) = (Instant::now(), 0);
    let (mut memory, mut due) = (Memory::default(), 0);
    while !stage.is_over() {
        tokio::time::sleep(RESTART).await;
        restarts += 1;
        let place = rng.below(SENDERS as u64 * 2) as usize;
        if let Some(abort) = aborts.get_mut(place) {
            abort.abort();
            *abort = senders.spawn(send_all(Arc::clone(&stage), rng.fork()));
        } else {
            let old = stage.replace(&mut rng);
            ended.spawn(async move { drop(old.join().await) });
        }
        while senders.try_join_next().is_some() || ended.try_join_next().is_some() {}
        if ledger.made() >= due {
            due += arguments.messages.div_ceil(SAMPLES);
            if let Some(bytes) = resident() {
                memory.push(bytes);
            }
        }
    }
    while senders.join_next().await.is_some() {}
    while ended.join_next().await.is_some() {}
    let lasted = began.elapsed();
    let stage = Arc::into_inner(stage).ok_or("a sender is alive though all have been joined")?;
    for sink in stage.into_sinks() {
        sink.shutdown().await;
    }
    Ok(Report {
        ledger,
        restarts,
        lasted,
        growth: memory.growth(),
        resident: memory.last(),
    })
}

fn check(report: &Report, metrics: &Metrics) -> Result<(), String> {
    let ledger = &report.ledger;
    if let Some(fault) = ledger.fault() {
        return Err(fault);
    }
    let lost = metrics.undelivered;
    let counted = (lost.ended + lost.asker_gone + lost.expired, lost.overflow);
    let met = (ledger.met(Fate::Undelivered), ledger.met(Fate::Overflowed));
    if counted != met {
        return Err(format!(
            "the runtime counts {counted:?} undelivered and overflowed, not {met:?}"
        ));
    }
    match &report.growth {
        Some(growth) if !growth.is_flat() => Err(format!("memory grows: {growth}")),
        _ => Ok(()),
    }
}
