//! Brings the files from the walk to the readers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::BoxError;
use super::file::File;
use super::journal::JournalHandle;
use super::reader::ReaderHandle;
use super::walk::Step;

/// What was brought, and how often there was no reader with a free slot: backpressure.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fed {
    pub files: u64,
    pub waits: u64,
    pub waited: Duration,
    pub waited_longest: Duration,
    /// Whether the walk was called off.
    pub ended_early: bool,
}

/// Lets a walk be ended early, by `Ctrl-C` for instance.
#[derive(Clone, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    pub fn raise(&self) {
        // Ordering: Relaxed; read by `is_raised`. The flag carries no data.
        self.0.store(true, Ordering::Relaxed);
    }

    pub fn is_raised(&self) -> bool {
        // Ordering: Relaxed; set by `raise`. One file more or less makes no difference.
        self.0.load(Ordering::Relaxed)
    }
}

/// Brings all files to the readers, waiting while their mailboxes are full.
///
/// Walking a directory blocks at every step, so this is synchronous code for a thread of its own,
/// and sends with `.blocking()`.
pub fn feed(
    steps: impl Iterator<Item = Step>,
    readers: &[ReaderHandle],
    journal: &JournalHandle,
    stop: &StopFlag,
) -> Result<Fed, BoxError> {
    let mut fed = Fed::default();
    for step in steps {
        if stop.is_raised() {
            fed.ended_early = true;
            break;
        }
        match step {
            Step::File(file) => fed.offer(Arc::new(file), readers)?,
            Step::Remark(remark, path) => journal.remark(remark, path).tell().blocking()?,
        }
    }
    Ok(fed)
}

impl Fed {
    /// Gives a file to the reader with the most free slots; if none has any, waits for that one.
    fn offer(&mut self, file: Arc<File>, readers: &[ReaderHandle]) -> Result<(), BoxError> {
        let reader = readers.iter().max_by_key(|reader| reader.free_slots());
        let reader = reader.ok_or("there are no readers")?;
        let (is_full, start) = (reader.free_slots() == 0, Instant::now());
        reader.read(file).tell().blocking()?;
        self.files += 1;
        if is_full {
            self.waits += 1;
            self.waited += start.elapsed();
            self.waited_longest = self.waited_longest.max(start.elapsed());
        }
        Ok(())
    }
}
