//! One run of the program: make the index, answer look-ups, sum up.

use std::future::pending;
use std::pin::pin;
use std::process;
use std::time::{Duration, Instant};

use greenroom::runtime;
use tokio::signal::ctrl_c;
use tokio::time::{MissedTickBehavior, interval};

use super::BoxError;
use super::arguments::Arguments;
use super::console::Console;
use super::excerpt::excerpt;
use super::feed::{Fed, StopFlag};
use super::index::Index;
use super::limits::{HITS_SHOWN, LINES_SHOWN, Limits};
use super::query::{Answer, Hit, Pattern};
use super::report::{Counted, Grouped, Latency, ProgressLine, Summary, printable};
use super::walk::Walk;

/// How often the shards and the journal are asked how far they are.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// The exit code of a process that `Ctrl-C` ended.
const INTERRUPTED: i32 = 130;

/// What became of the building.
pub struct Built {
    pub files: u64,
    pub ended_early: bool,
}

pub struct Session {
    index: Index,
    console: Console,
    limits: Limits,
    fed: Fed,
    took: Duration,
    asks_while_indexing: Latency,
    look_ups: Latency,
}

impl Session {
    pub fn new(arguments: &Arguments, console: Console) -> Self {
        Session {
            index: Index::spawn(arguments.shards, arguments.readers, arguments.limits),
            console,
            limits: arguments.limits,
            fed: Fed::default(),
            took: Duration::ZERO,
            asks_while_indexing: Latency::new(),
            look_ups: Latency::new(),
        }
    }

    /// Makes the index. `Ctrl-C` ends the walk and keeps what is there, a second one ends the
    /// process.
    pub async fn build(&mut self, walk: Walk) -> Result<Built, BoxError> {
        let (start, stop) = (Instant::now(), StopFlag::default());
        let mut line = ProgressLine::new();
        let mut ticks = interval(PROGRESS_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut interrupted = pin!(interrupt());
        let feeding = self.index.feed(walk, stop.clone());
        let index = &self.index;
        let build = async {
            let fed = feeding.await??;
            index.settle().await.map(|()| fed)
        };
        let mut build = pin!(build);
        self.fed = loop {
            tokio::select! {
                fed = &mut build => break fed?,
                _ = ticks.tick() => {
                    let (progress, took) = index.progress().await?;
                    self.asks_while_indexing.record(took);
                    let (_, took) = index.census().await?;
                    took.into_iter().for_each(|took| self.asks_while_indexing.record(took));
                    line.draw(&progress);
                }
                () = &mut interrupted => {
                    if stop.is_raised() {
                        process::exit(INTERRUPTED);
                    }
                    stop.raise();
                    interrupted.set(interrupt());
                }
            }
        };
        self.took = start.elapsed();
        line.clear();
        let files = index.progress().await?.0.files;
        Ok(Built {
            files,
            ended_early: self.fed.ended_early,
        })
    }

    /// Answers the given look-ups, or those that are typed, and sums up.
    pub async fn serve(&mut self, queries: &[Pattern]) -> Result<(), BoxError> {
        if queries.is_empty() {
            self.converse().await?;
        }
        for pattern in queries {
            self.look_up(pattern).await?;
        }
        let summary = self.sum_up().await?;
        Ok(self.console.print(&summary.to_string())?)
    }

    /// Answers what is typed until the input ends or `Ctrl-C` is pressed.
    async fn converse(&mut self) -> Result<(), BoxError> {
        loop {
            let line = tokio::select! {
                line = self.console.line() => line?,
                () = interrupt() => None,
            };
            let Some(line) = line else {
                return Ok(());
            };
            for word in line.split_whitespace() {
                match Pattern::parse(word) {
                    Ok(pattern) => self.look_up(&pattern).await?,
                    Err(error) => self.console.print(&format!("{error}\n"))?,
                }
            }
        }
    }

    async fn look_up(&mut self, pattern: &Pattern) -> Result<(), BoxError> {
        let (mut answer, took) = self.index.find(pattern).await?;
        took.into_iter().for_each(|took| self.look_ups.record(took));
        let files = answer.hits.len() as u64;
        answer.rank(HITS_SHOWN);
        let pattern = pattern.clone();
        // Files are read again for the lines: blocking, so not on a worker.
        let text = tokio::task::spawn_blocking(move || describe(&pattern, &answer, files)).await?;
        Ok(self.console.print(&text)?)
    }

    async fn sum_up(&mut self) -> Result<Summary, BoxError> {
        Ok(Summary {
            took: self.took,
            fed: self.fed,
            progress: self.index.progress().await?.0,
            census: self.index.census().await?.0,
            limits: self.limits,
            remarks: self.index.remarks().await?,
            asks_while_indexing: std::mem::replace(&mut self.asks_while_indexing, Latency::new()),
            look_ups: std::mem::replace(&mut self.look_ups, Latency::new()),
            metrics: runtime::Handle::current().metrics(),
        })
    }
}

/// Waits for `Ctrl-C`; for ever, where the system has no such thing.
async fn interrupt() {
    if ctrl_c().await.is_err() {
        pending().await
    }
}

/// An answer as it is printed.
fn describe(pattern: &Pattern, answer: &Answer, files: u64) -> String {
    let mut text = format!("{pattern}: {}", Counted(answer.count, "time"));
    if answer.words > 1 {
        text += &format!(", as {}", Counted(answer.words, "word"));
    }
    let (kept, files) = (Counted(answer.kept, "position"), Counted(files, "file"));
    text += &format!("; {kept} kept, in {files}\n");
    for (n, hit) in answer.hits.iter().enumerate() {
        text += &describe_hit(n + 1, hit, pattern);
    }
    text
}

fn describe_hit(n: usize, hit: &Hit, pattern: &Pattern) -> String {
    let Some((first, others)) = hit.lines.split_first() else {
        return String::new();
    };
    let path = printable(&hit.file.path.to_string_lossy());
    let mut text = format!("{n:>3}. {path}:{first}  ×{}", Grouped(hit.count));
    for (n, line) in others.iter().take(LINES_SHOWN - 1).enumerate() {
        text += &format!("{} {line}", if n == 0 { ", also at" } else { "," });
    }
    if others.len() >= LINES_SHOWN {
        text += ", …";
    }
    text + &format!("\n       {}\n", excerpt(&hit.file.path, *first, pattern))
}
