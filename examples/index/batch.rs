//! The words of one file, gathered by a reader and parted among the shards.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use super::file::File;
use super::limits::GATHERED_MAX;

/// Where a word stands in one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Occurrences {
    /// How often, several times on a line included.
    pub count: u32,
    /// The lines, ascending, each of them once.
    pub lines: Vec<u32>,
}

/// What one file, or a part of a huge one, has for one shard.
#[derive(Debug)]
pub struct Batch {
    pub file: Arc<File>,
    pub words: Vec<(Box<str>, Occurrences)>,
}

/// The words of a file so far.
#[derive(Default)]
pub struct Gathering {
    words: HashMap<Box<str>, Occurrences>,
    lines: usize,
}

impl Gathering {
    pub fn note(&mut self, word: &str, line: u32) {
        if !self.words.contains_key(word) {
            self.words.insert(word.into(), Occurrences::default());
        }
        let found = self.words.get_mut(word).expect("the word was just put in");
        found.count += 1;
        if found.lines.last() != Some(&line) {
            found.lines.push(line);
            self.lines += 1;
        }
    }

    /// Whether it is time to send on what is here.
    pub fn is_full(&self) -> bool {
        self.lines >= GATHERED_MAX
    }

    /// Empties itself into a batch per shard; some may be without words.
    pub fn part(&mut self, file: &Arc<File>, shards: usize) -> Vec<Batch> {
        let batch = || Batch {
            file: Arc::clone(file),
            words: Vec::new(),
        };
        let mut batches: Vec<Batch> = std::iter::repeat_with(batch).take(shards).collect();
        for (word, found) in self.words.drain() {
            batches[shard_of(&word, shards)].words.push((word, found));
        }
        self.lines = 0;
        batches
    }
}

/// The shard that a word belongs to; every reader must come to the same one.
fn shard_of(word: &str, shards: usize) -> usize {
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    (hasher.finish() % shards as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(batches: Vec<Batch>) -> Vec<(Box<str>, Occurrences)> {
        let mut words: Vec<_> = batches.into_iter().flat_map(|batch| batch.words).collect();
        words.sort_by(|a, b| a.0.cmp(&b.0));
        words
    }

    #[test]
    fn a_line_is_kept_once_and_every_occurrence_counted() {
        let mut gathering = Gathering::default();
        for (word, line) in [("be", 1), ("or", 1), ("be", 1), ("be", 4)] {
            gathering.note(word, line);
        }
        let words = sorted(gathering.part(&File::stub("f"), 3));
        assert_eq!(
            words[0],
            (
                "be".into(),
                Occurrences {
                    count: 3,
                    lines: vec![1, 4]
                }
            )
        );
        assert_eq!(
            words[1],
            (
                "or".into(),
                Occurrences {
                    count: 1,
                    lines: vec![1]
                }
            )
        );
    }

    #[test]
    fn a_word_goes_to_the_same_shard_from_every_file() {
        let shard_with = |word: &str| {
            let mut gathering = Gathering::default();
            gathering.note(word, 1);
            let batches = gathering.part(&File::stub("f"), 7);
            batches.iter().position(|batch| !batch.words.is_empty())
        };
        for word in ["actor", "mailbox", "ask", "tell"] {
            assert_eq!(shard_with(word), shard_with(word));
        }
    }

    #[test]
    fn parting_leaves_nothing_behind() {
        let mut gathering = Gathering::default();
        (0..GATHERED_MAX as u32).for_each(|line| gathering.note("word", line));
        assert!(gathering.is_full());
        assert_eq!(sorted(gathering.part(&File::stub("f"), 2)).len(), 1);
        assert!(!gathering.is_full());
        assert!(sorted(gathering.part(&File::stub("f"), 2)).is_empty());
    }
}
