//! What became of every file: the one place that counts them.

use std::path::PathBuf;
use std::sync::Arc;

use greenroom::actor;

use super::file::File;
use super::remark::{Remark, Remarks};
use super::words::TextFacts;

/// How far the work has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Files that were indexed.
    pub files: u64,
    /// Bytes read from them.
    pub bytes: u64,
    /// Words in them, repeated ones included.
    pub words: u64,
    /// Messages that this journal had, beside questions.
    pub entries: u64,
}

/// What reading a file came to.
#[derive(Clone, Copy, Debug)]
pub enum Outcome {
    Indexed { bytes: u64, facts: TextFacts },
    Refused(Remark),
}

/// Counts files and remembers remarks.
#[actor(mailbox = 256)]
#[derive(Default)]
pub struct Journal {
    progress: Progress,
    remarks: Remarks,
}

#[actor]
impl Journal {
    /// Enters what a reader made of a file.
    pub fn enter(&mut self, file: Arc<File>, outcome: Outcome) {
        self.progress.entries += 1;
        match outcome {
            Outcome::Indexed { bytes, facts } => {
                self.progress.files += 1;
                self.progress.bytes += bytes;
                self.progress.words += facts.words;
                for remark in remarks_on(&facts) {
                    self.remarks.add(remark, &file.path);
                }
            }
            Outcome::Refused(remark) => self.remarks.add(remark, &file.path),
        }
    }

    /// Enters what the walk passed over.
    pub fn remark(&mut self, remark: Remark, path: PathBuf) {
        self.progress.entries += 1;
        self.remarks.add(remark, &path);
    }

    /// Says how far the work has come.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Gives all remarks so far.
    pub fn remarks(&self) -> Remarks {
        self.remarks.clone()
    }
}

fn remarks_on(facts: &TextFacts) -> impl Iterator<Item = Remark> {
    let counts = [
        (facts.invalid_sequences, Remark::InvalidUtf8),
        (facts.long_lines, Remark::LongLine),
        (facts.long_words, Remark::LongWord),
    ];
    counts
        .into_iter()
        .filter(|&(count, _)| count > 0)
        .map(|(_, remark)| remark)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indexed_files_add_up_and_refused_ones_are_remarked() {
        let mut journal = Journal::default();
        let facts = TextFacts {
            words: 5,
            invalid_sequences: 2,
            long_lines: 1,
            long_words: 0,
        };
        journal.enter(File::stub("a"), Outcome::Indexed { bytes: 30, facts });
        journal.enter(
            File::stub("b"),
            Outcome::Indexed {
                bytes: 12,
                facts: TextFacts::default(),
            },
        );
        journal.enter(File::stub("c"), Outcome::Refused(Remark::Binary));
        journal.remark(Remark::Loop, "d".into());
        assert_eq!(
            journal.progress(),
            Progress {
                files: 2,
                bytes: 42,
                words: 5,
                entries: 4
            }
        );
        let remarks: Vec<Remark> = journal.remarks().iter().map(|(remark, _)| remark).collect();
        assert_eq!(
            remarks,
            [
                Remark::Binary,
                Remark::Loop,
                Remark::InvalidUtf8,
                Remark::LongLine
            ]
        );
    }
}
