//! A part of the index: the words whose hash falls to it, with all that was found of them.

use std::collections::HashMap;
use std::ops::AddAssign;
use std::sync::Arc;

use greenroom::actor;

use super::batch::{Batch, Occurrences};
use super::file::File;
use super::limits::{ANSWER_FILES_MAX, Limits, PREFIX_WORDS_MAX};
use super::postings::Postings;
use super::query::{self, Answer, Hit, Pattern};

/// How much a shard holds, and what it had no room for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    pub batches: u64,
    /// Distinct words.
    pub words: u64,
    pub positions: u64,
    /// Positions left out because their word has as many as one may have.
    pub beyond_word: u64,
    /// Positions left out because the shard is full.
    pub beyond_total: u64,
    /// Occurrences of words that were new when there was no room for new words.
    pub beyond_words: u64,
}

/// Keeps the positions of its words. A word is in one shard only, so the limits are exact.
#[actor(mailbox = 16)]
pub struct Shard {
    words: HashMap<Box<str>, Postings>,
    files: HashMap<u32, Arc<File>>,
    limits: Limits,
    census: Census,
}

#[actor]
impl Shard {
    pub fn new(limits: Limits) -> Self {
        Shard {
            words: HashMap::new(),
            files: HashMap::new(),
            limits,
            census: Census::default(),
        }
    }

    /// Takes in what a file has for this shard.
    pub fn add(&mut self, batch: Batch) {
        self.census.batches += 1;
        let file = batch.file.id;
        self.files.entry(file).or_insert(batch.file);
        for (word, found) in batch.words {
            self.put(file, word, &found);
        }
    }

    /// Finds the files that hold a word, the best of them first.
    pub fn find(&self, pattern: Pattern) -> Answer {
        let matching = self.matching(&pattern);
        let mut answer = Answer {
            words: matching.len() as u64,
            ..Answer::default()
        };
        answer.count = matching.iter().map(|postings| postings.count()).sum();
        answer.kept = matching.iter().map(|postings| postings.kept() as u64).sum();
        answer.hits = self.hits(most_frequent(matching));
        answer.rank(ANSWER_FILES_MAX);
        answer
    }

    /// Says how much is here.
    pub fn census(&self) -> Census {
        self.census
    }
}

impl Shard {
    fn put(&mut self, file: u32, word: Box<str>, found: &Occurrences) {
        if !self.words.contains_key(&word) {
            if self.words.len() >= self.limits.words {
                self.census.beyond_words += u64::from(found.count);
                return;
            }
            self.census.words += 1;
        }
        let postings = self.words.entry(word).or_default();
        let total_room = self.limits.positions - self.census.positions as usize;
        let word_room = self.limits.positions_per_word - postings.kept();
        let kept = postings.add(file, found, total_room.min(word_room));
        self.census.positions += kept as u64;
        let left_out = (found.lines.len() - kept) as u64;
        if word_room <= total_room {
            self.census.beyond_word += left_out;
        } else {
            self.census.beyond_total += left_out;
        }
    }

    fn matching(&self, pattern: &Pattern) -> Vec<&Postings> {
        match pattern.as_word() {
            Some(word) => self.words.get(word).into_iter().collect(),
            None => {
                let meant = self.words.iter().filter(|(word, _)| pattern.matches(word));
                meant.map(|(_, postings)| postings).collect()
            }
        }
    }

    fn hits(&self, matching: Vec<&Postings>) -> Vec<Hit> {
        let mut hits = HashMap::new();
        for run in matching.into_iter().flat_map(Postings::runs) {
            let file = Arc::clone(&self.files[&run.file]);
            query::add(
                &mut hits,
                Hit {
                    file,
                    count: run.count,
                    lines: run.lines,
                },
            );
        }
        hits.into_values().collect()
    }
}

fn most_frequent(mut matching: Vec<&Postings>) -> Vec<&Postings> {
    if matching.len() > PREFIX_WORDS_MAX {
        matching.select_nth_unstable_by_key(PREFIX_WORDS_MAX, |postings| {
            std::cmp::Reverse(postings.count())
        });
        matching.truncate(PREFIX_WORDS_MAX);
    }
    matching
}

impl AddAssign for Census {
    fn add_assign(&mut self, other: Census) {
        self.batches += other.batches;
        self.words += other.words;
        self.positions += other.positions;
        self.beyond_word += other.beyond_word;
        self.beyond_total += other.beyond_total;
        self.beyond_words += other.beyond_words;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(id: u32, words: &[(&str, u32, &[u32])]) -> Batch {
        let file = Arc::new(File {
            id,
            path: format!("file-{id}").into(),
            bytes: 10,
        });
        let entry = |&(word, count, lines): &(&str, u32, &[u32])| {
            (
                word.into(),
                Occurrences {
                    count,
                    lines: lines.to_vec(),
                },
            )
        };
        Batch {
            file,
            words: words.iter().map(entry).collect(),
        }
    }

    fn find(shard: &Shard, typed: &str) -> Answer {
        shard.find(Pattern::parse(typed).unwrap())
    }

    #[test]
    fn a_word_is_found_where_it_was_put() {
        let mut shard = Shard::new(Limits::default());
        shard.add(batch(1, &[("ask", 2, &[3, 4]), ("tell", 1, &[9])]));
        shard.add(batch(2, &[("ask", 5, &[1])]));
        let answer = find(&shard, "ask");
        assert_eq!((answer.words, answer.count, answer.kept), (1, 7, 3));
        let hits: Vec<_> = answer
            .hits
            .iter()
            .map(|h| (h.file.id, h.count, &*h.lines))
            .collect();
        assert_eq!(hits, [(2, 5, &[1][..]), (1, 2, &[3, 4])]);
        assert_eq!(find(&shard, "nothing"), Answer::default());
    }

    #[test]
    fn parts_of_one_file_make_one_hit() {
        let mut shard = Shard::new(Limits::default());
        shard.add(batch(1, &[("ask", 1, &[3])]));
        shard.add(batch(2, &[("ask", 1, &[1])]));
        shard.add(batch(1, &[("ask", 4, &[700])]));
        let answer = find(&shard, "ask");
        assert_eq!(answer.hits.len(), 2);
        assert_eq!(
            (answer.hits[0].count, &*answer.hits[0].lines),
            (5, &[3, 700][..])
        );
    }

    #[test]
    fn a_prefix_takes_hits_from_the_most_frequent_words_and_counts_all() {
        let mut shard = Shard::new(Limits::default());
        for n in 0..2 * PREFIX_WORDS_MAX as u32 {
            shard.add(batch(n, &[(&format!("w{n}"), n + 1, &[1])]));
        }
        let answer = find(&shard, "w*");
        assert_eq!(answer.words, 2 * PREFIX_WORDS_MAX as u64);
        assert_eq!(answer.count, (1..=2 * PREFIX_WORDS_MAX as u64).sum());
        assert_eq!(answer.hits.len(), PREFIX_WORDS_MAX);
        assert!(
            answer
                .hits
                .iter()
                .all(|hit| hit.count > PREFIX_WORDS_MAX as u64)
        );
    }

    #[test]
    fn what_is_beyond_a_limit_is_counted_by_the_limit() {
        let limits = Limits {
            files: 9,
            words: 2,
            positions: 5,
            positions_per_word: 3,
        };
        let mut shard = Shard::new(limits);
        shard.add(batch(1, &[("a", 9, &[1, 2, 3, 4, 5])]));
        shard.add(batch(2, &[("b", 1, &[1]), ("c", 7, &[1, 2])]));
        shard.add(batch(3, &[("b", 2, &[8, 9])]));
        let expected = Census {
            batches: 3,
            words: 2,
            positions: 5,
            beyond_word: 2,
            beyond_total: 1,
            beyond_words: 7,
        };
        assert_eq!(shard.census(), expected);
        assert_eq!((find(&shard, "a").count, find(&shard, "a").kept), (9, 3));
        assert_eq!((find(&shard, "b").count, find(&shard, "b").kept), (3, 2));
    }
}
