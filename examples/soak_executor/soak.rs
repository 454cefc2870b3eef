//! A run, from its first task to its verdict.

use std::error::Error;
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::arguments::Arguments;
use super::crew::Crew;
use super::fault;
use super::ledger::Imbalance;
use super::memory::{self, Growth, Memory};
use super::report::{self, Line};
use super::rng::Rng;
use super::stage::{Runtimes, Stage};
use super::watchdog::{Stall, Watchdog};

/// Between two looks.
const TICK: Duration = Duration::from_secs(1);

/// Looks between two lines.
const LINE_TICKS: u32 = 10;

/// Time for all works to leave once no new work is begun, and for the runtimes to end.
const END_MAX: Duration = Duration::from_secs(30);

/// Why a run failed.
#[derive(Debug)]
pub enum Failure {
    /// The run could not start, or could not say how it goes.
    Broken(Box<dyn Error + Send + Sync>),
    /// A panic that is no part of the work.
    Fault(String),
    Stalled(Stall, String),
    /// Works that did not leave.
    Present(usize, String),
    /// Tasks and actors that outlived all works.
    Live(usize, String),
    Imbalance(Imbalance),
    Growth(Growth),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Broken(error) => error.fmt(f),
            Self::Fault(text) => write!(f, "a panic that nobody expected: {text}"),
            Self::Stalled(Stall { class, since }, dump) => {
                write!(f, "{class:?} made no progress for {since:.1?}\n{dump}")
            }
            Self::Present(count, dump) => write!(f, "{count} works did not end\n{dump}"),
            Self::Live(count, dump) => write!(f, "{count} tasks and actors are left\n{dump}"),
            Self::Imbalance(imbalance) => imbalance.fmt(f),
            Self::Growth(growth) => write!(f, "memory grows: {growth}"),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Broken(error.into())
    }
}

/// Soaks the executor, and says on `out` how it goes.
pub fn run(arguments: &Arguments, out: &mut impl Write) -> Result<(), Failure> {
    writeln!(out, "{arguments:?}")?;
    let runtimes = Runtimes::build(arguments).map_err(Failure::Broken)?;
    let (sender, faults) = mpsc::channel();
    fault::watch(sender);
    let mut run = Run {
        stage: Arc::new(runtimes.stage(arguments.batch)),
        runtimes: &runtimes,
        began: Instant::now(),
        memory: Memory::default(),
        faults,
    };
    if let Err(failure) = run.works(arguments, out) {
        write!(out, "{}", report::table(&run.stage.ledger))?;
        runtimes.abandon();
        return Err(failure);
    }
    let Run { stage, memory, .. } = run;
    let left = runtimes.shut_down(END_MAX);
    write!(out, "{}", report::table(&stage.ledger))?;
    let growth = memory.growth();
    writeln!(out, "{}", report::memory(growth))?;
    if left > 0 {
        return Err(Failure::Live(left, "after the shutdown".into()));
    }
    stage.ledger.balance().map_err(Failure::Imbalance)?;
    match growth {
        Some(growth) if !growth.is_flat() => Err(Failure::Growth(growth)),
        _ => Ok(writeln!(
            out,
            "all that was begun has ended, and nothing is left"
        )?),
    }
}

struct Run<'a> {
    stage: Arc<Stage>,
    runtimes: &'a Runtimes,
    began: Instant,
    memory: Memory,
    faults: Receiver<String>,
}

impl Run<'_> {
    /// All works, until they have left and nothing of them is alive.
    fn works(&mut self, arguments: &Arguments, out: &mut impl Write) -> Result<(), Failure> {
        let crew = Crew::start(&self.stage, &mut Rng::seeded(arguments.seed))?;
        let watched = self.watch(arguments.length, out);
        self.stage.end();
        watched?;
        self.until_zero(|| crew.present(), Failure::Present)?;
        self.until_zero(|| self.runtimes.live(), Failure::Live)
    }

    fn watch(&mut self, length: Duration, out: &mut impl Write) -> Result<(), Failure> {
        let mut watchdog = Watchdog::new();
        for tick in 1_u32.. {
            self.pause(TICK)?;
            let now = self.began.elapsed();
            let progress = self.stage.ledger.progress();
            let slowest = watchdog.look(now, &progress);
            if slowest.is_too_long() {
                return Err(Failure::Stalled(slowest, self.dump()));
            }
            if let Some(bytes) = memory::resident() {
                self.memory.push(bytes);
            }
            let is_over = now >= length;
            if is_over || tick.is_multiple_of(LINE_TICKS) {
                let line = Line {
                    now,
                    ended: progress.iter().sum(),
                    live: self.runtimes.live(),
                    resident: self.memory.last(),
                    slowest: &slowest,
                };
                writeln!(out, "{}", line.text())?;
            }
            if is_over {
                break;
            }
        }
        Ok(())
    }

    /// Waits for a count to come to zero.
    fn until_zero(
        &self,
        count: impl Fn() -> usize,
        failure: impl FnOnce(usize, String) -> Failure,
    ) -> Result<(), Failure> {
        let began = Instant::now();
        loop {
            match count() {
                0 => return Ok(()),
                left if began.elapsed() > END_MAX => return Err(failure(left, self.dump())),
                _ => self.pause(TICK / 100)?,
            }
        }
    }

    /// Waits for so long, or for a fault.
    fn pause(&self, length: Duration) -> Result<(), Failure> {
        match self.faults.recv_timeout(length) {
            Ok(fault) => Err(Failure::Fault(fault)),
            Err(RecvTimeoutError::Timeout) => Ok(()),
            // Another run took the hook over.
            Err(RecvTimeoutError::Disconnected) => {
                Err(Failure::Broken("two runs in one process".into()))
            }
        }
    }

    fn dump(&self) -> String {
        report::dump(&self.runtimes.metrics())
    }
}
