//! Reads files and sends their words to the shards.

use std::sync::Arc;

use greenroom::{Context, actor};

use super::BoxError;
use super::batch::Gathering;
use super::file::{Chunks, File, is_binary};
use super::journal::{JournalHandle, Outcome};
use super::remark::Remark;
use super::shard::ShardHandle;
use super::words::Words;

/// One of the pool that shares the files. While it waits for the disk or for a shard's mailbox,
/// its worker runs others; its own mailbox fills, and the walk waits.
#[actor(mailbox = 32)]
pub struct Reader {
    shards: Vec<ShardHandle>,
    journal: JournalHandle,
    chunks: Chunks,
    gathering: Gathering,
}

#[actor]
impl Reader {
    pub fn new(shards: Vec<ShardHandle>, journal: JournalHandle) -> Self {
        let (chunks, gathering) = (Chunks::default(), Gathering::default());
        Reader {
            shards,
            journal,
            chunks,
            gathering,
        }
    }

    /// Reads a file; what became of it goes to the journal.
    pub async fn read(&mut self, file: Arc<File>, ctx: &mut Context<Self>) {
        if self.index(file).await.is_err() {
            // A shard or the journal is gone, and with it the index.
            ctx.stop();
        }
    }

    /// Answers when every file that was accepted before has been read.
    pub fn drained(&self) {}
}

impl Reader {
    async fn index(&mut self, file: Arc<File>) -> Result<(), BoxError> {
        let outcome = self.gather(&file).await?;
        if let Outcome::Refused(_) = outcome {
            self.gathering = Gathering::default();
        }
        self.send(&file).await?;
        self.journal.enter(file, outcome).tell().await?;
        Ok(())
    }

    async fn gather(&mut self, file: &Arc<File>) -> Result<Outcome, BoxError> {
        let (mut words, mut bytes) = (Words::new(), 0);
        self.chunks.open(&file.path);
        loop {
            match self.chunks.next().await {
                Ok(Some(chunk)) if bytes == 0 && is_binary(chunk) => {
                    return Ok(Outcome::Refused(Remark::Binary));
                }
                Ok(Some(chunk)) => {
                    words.feed(chunk, &mut |word, line| self.gathering.note(word, line));
                    bytes += chunk.len() as u64;
                }
                Ok(None) => break,
                Err(error) => return Ok(Outcome::Refused(Remark::of(&error))),
            }
            if self.gathering.is_full() {
                self.send(file).await?;
            }
        }
        let facts = words.finish(&mut |word, line| self.gathering.note(word, line));
        Ok(Outcome::Indexed { bytes, facts })
    }

    /// Sends on what is gathered: one message per shard that it concerns.
    async fn send(&mut self, file: &Arc<File>) -> Result<(), BoxError> {
        let batches = self.gathering.part(file, self.shards.len());
        for (shard, batch) in self.shards.iter().zip(batches) {
            if !batch.words.is_empty() {
                shard.add(batch).tell().await?;
            }
        }
        Ok(())
    }
}
