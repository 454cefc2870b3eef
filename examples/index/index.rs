//! The actors of the index, and the questions that are put to them.

use std::time::{Duration, Instant};

use futures::future::join_all;
use tokio::task::JoinHandle;

use super::BoxError;
use super::feed::{Fed, StopFlag, feed};
use super::journal::{Journal, JournalHandle, Progress};
use super::limits::Limits;
use super::query::{Answer, Pattern};
use super::reader::{Reader, ReaderHandle};
use super::remark::Remarks;
use super::shard::{Census, Shard, ShardHandle};
use super::walk::Step;

/// A pool of readers, the shards that they fill, and the journal of what became of each file.
pub struct Index {
    readers: Vec<ReaderHandle>,
    shards: Vec<ShardHandle>,
    journal: JournalHandle,
}

impl Index {
    /// Spawns the actors.
    pub fn spawn(shards: usize, readers: usize, limits: Limits) -> Self {
        let journal = Journal::default().spawn();
        let limits = limits.share(shards);
        let shards: Vec<_> = (0..shards).map(|_| Shard::new(limits).spawn()).collect();
        let reader = |_| Reader::new(shards.clone(), journal.clone()).spawn();
        let readers = (0..readers).map(reader).collect();
        Index {
            readers,
            shards,
            journal,
        }
    }

    /// Starts to bring files to the readers, on a thread of the blocking pool.
    pub fn feed<S>(&self, steps: S, stop: StopFlag) -> JoinHandle<Result<Fed, BoxError>>
    where
        S: Iterator<Item = Step> + Send + 'static,
    {
        let (readers, journal) = (self.readers.clone(), self.journal.clone());
        tokio::task::spawn_blocking(move || feed(steps, &readers, &journal, &stop))
    }

    /// Waits until all that the readers were given is in the shards.
    ///
    /// A mailbox is a queue: the answer to the question that was put last says that all before it
    /// is done. Readers are done when their batches lie in the shards' mailboxes, so the shards
    /// are asked after them.
    pub async fn settle(&self) -> Result<(), BoxError> {
        for drained in join_all(self.readers.iter().map(|reader| reader.drained())).await {
            drained?;
        }
        self.census().await?;
        Ok(())
    }

    /// Asks the journal how far the work has come; gives also how long the ask took.
    pub async fn progress(&self) -> Result<(Progress, Duration), BoxError> {
        let (progress, took) = timed(self.journal.progress()).await;
        Ok((progress?, took))
    }

    /// Asks the journal for its remarks.
    pub async fn remarks(&self) -> Result<Remarks, BoxError> {
        Ok(self.journal.remarks().await?)
    }

    /// Asks all shards at once what they hold; gives the sum and how long each ask took.
    pub async fn census(&self) -> Result<(Census, Vec<Duration>), BoxError> {
        let asks = self.shards.iter().map(|shard| timed(shard.census()));
        let (mut sum, mut took) = (Census::default(), Vec::new());
        for (census, time) in join_all(asks).await {
            sum += census?;
            took.push(time);
        }
        Ok((sum, took))
    }

    /// Asks all shards at once: any of them may have words with that beginning.
    pub async fn find(&self, pattern: &Pattern) -> Result<(Answer, Vec<Duration>), BoxError> {
        let shards = self.shards.iter();
        let asks = shards.map(|shard| timed(shard.find(pattern.clone())));
        let (mut answers, mut took) = (Vec::new(), Vec::new());
        for (answer, time) in join_all(asks).await {
            answers.push(answer?);
            took.push(time);
        }
        Ok((Answer::merge(answers), took))
    }
}

async fn timed<F: Future>(ask: F) -> (F::Output, Duration) {
    let start = Instant::now();
    let answer = ask.await;
    (answer, start.elapsed())
}
