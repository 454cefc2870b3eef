//! A look-up: what is asked of the shards, and the ranking of what they answer.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::file::File;
use super::limits::WORD_BYTES_MAX;
use super::words::{is_word_char, lower};

/// A word, or with a star at its end the beginning of words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: Box<str>,
    is_prefix: bool,
}

/// Why something typed is no pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError(String);

/// What one shard has for a pattern, or all of them together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Words that match.
    pub words: u64,
    /// How often they were seen, kept or not.
    pub count: u64,
    /// Positions of them that are kept; only these make hits.
    pub kept: u64,
    /// Files with a kept position, the best first.
    pub hits: Vec<Hit>,
}

/// A file in which the pattern was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    pub file: Arc<File>,
    pub count: u64,
    /// Ascending.
    pub lines: Vec<u32>,
}

impl Pattern {
    pub fn parse(typed: &str) -> Result<Self, PatternError> {
        let (word, is_prefix) = match typed.strip_suffix('*') {
            Some(beginning) => (beginning, true),
            None => (typed, false),
        };
        if word.is_empty() || !word.chars().all(is_word_char) || word.len() > WORD_BYTES_MAX {
            return Err(PatternError(typed.to_owned()));
        }
        Ok(Pattern {
            text: lower(word).into(),
            is_prefix,
        })
    }

    /// The word itself, if only one can match.
    pub fn as_word(&self) -> Option<&str> {
        (!self.is_prefix).then_some(&self.text)
    }

    /// Whether a word in lower case is meant.
    pub fn matches(&self, word: &str) -> bool {
        if self.is_prefix {
            word.starts_with(&*self.text)
        } else {
            word == &*self.text
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.text, if self.is_prefix { "*" } else { "" })
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} is not one word of letters, digits and underscores, at most {WORD_BYTES_MAX} \
             bytes, with or without a star after it",
            self.0
        )
    }
}

impl std::error::Error for PatternError {}

impl Hit {
    /// Counts weigh by the length of their file, else the longest file would win every look-up;
    /// by its root only, else the shortest would.
    fn score(&self) -> f64 {
        self.count as f64 / ((self.file.bytes + 1024) as f64).sqrt()
    }
}

impl Answer {
    /// Brings the best hits to the front and keeps `most` of them.
    pub fn rank(&mut self, most: usize) {
        self.hits.sort_by(|a, b| {
            b.score()
                .total_cmp(&a.score())
                .then_with(|| a.file.path.cmp(&b.file.path))
        });
        self.hits.truncate(most);
    }

    /// Makes one answer of many: with a prefix, several shards may name the same file.
    pub fn merge(answers: impl IntoIterator<Item = Answer>) -> Answer {
        let mut whole = Answer::default();
        let mut hits: HashMap<u32, Hit> = HashMap::new();
        for answer in answers {
            whole.words += answer.words;
            whole.count += answer.count;
            whole.kept += answer.kept;
            for hit in answer.hits {
                add(&mut hits, hit);
            }
        }
        whole.hits = hits.into_values().collect();
        whole
    }
}

/// Adds a hit to those in other files.
pub fn add(hits: &mut HashMap<u32, Hit>, hit: Hit) {
    match hits.get_mut(&hit.file.id) {
        Some(known) => {
            known.count += hit.count;
            known.lines.extend(hit.lines);
            known.lines.sort_unstable();
            known.lines.dedup();
        }
        None => drop(hits.insert(hit.file.id, hit)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(id: u32, bytes: u64, count: u64, lines: &[u32]) -> Hit {
        let file = File {
            id,
            path: format!("file-{id}").into(),
            bytes,
        };
        Hit {
            file: Arc::new(file),
            count,
            lines: lines.to_vec(),
        }
    }

    fn ids(answer: &Answer) -> Vec<u32> {
        answer.hits.iter().map(|hit| hit.file.id).collect()
    }

    #[test]
    fn a_pattern_is_a_word_or_its_beginning() {
        let word = Pattern::parse("Größe_2").unwrap();
        assert!(word.matches("größe_2") && !word.matches("größe_20"));
        assert_eq!(
            (word.as_word(), word.to_string()),
            (Some("größe_2"), "größe_2".to_owned())
        );
        let prefix = Pattern::parse("Spawn*").unwrap();
        assert!(prefix.matches("spawn") && prefix.matches("spawn_blocking"));
        assert!(!prefix.matches("respawn"));
        assert_eq!(
            (prefix.as_word(), prefix.to_string()),
            (None, "spawn*".to_owned())
        );
    }

    #[test]
    fn what_is_no_word_is_refused_with_what_was_typed() {
        for typed in [
            "",
            "*",
            "two words",
            "a.b",
            "a*b",
            &"x".repeat(WORD_BYTES_MAX + 1),
        ] {
            let error = Pattern::parse(typed).unwrap_err().to_string();
            assert!(error.contains(&format!("{typed:?}")), "{error}");
        }
    }

    #[test]
    fn a_longer_file_needs_more_occurrences_to_come_first() {
        let hits = vec![
            hit(1, 1_000_000, 9, &[1]),
            hit(2, 1_000, 1, &[1]),
            hit(3, 1_000, 2, &[1]),
        ];
        let mut answer = Answer {
            hits,
            ..Answer::default()
        };
        answer.rank(10);
        assert_eq!(ids(&answer), [3, 2, 1]);
        answer.rank(1);
        assert_eq!(ids(&answer), [3]);
    }

    #[test]
    fn equal_scores_are_ordered_by_path() {
        let hits = vec![hit(2, 5, 1, &[1]), hit(3, 5, 1, &[1]), hit(1, 5, 1, &[1])];
        let mut answer = Answer {
            hits,
            ..Answer::default()
        };
        answer.rank(10);
        assert_eq!(ids(&answer), [1, 2, 3]);
    }

    #[test]
    fn one_file_named_by_two_shards_is_one_hit() {
        let one = Answer {
            words: 1,
            count: 3,
            kept: 2,
            hits: vec![hit(1, 9, 3, &[2, 9])],
        };
        let two = Answer {
            words: 2,
            count: 4,
            kept: 3,
            hits: vec![hit(1, 9, 4, &[1, 2, 5])],
        };
        let whole = Answer::merge([one, two, Answer::default()]);
        assert_eq!((whole.words, whole.count, whole.kept), (3, 7, 5));
        assert_eq!(whole.hits, [hit(1, 9, 7, &[1, 2, 5, 9])]);
    }
}
