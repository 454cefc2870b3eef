//! Every bound of the index, with its reason.

/// Bytes that a reader takes from a file at a time: a page of text is a few milliseconds of work
/// between two awaits, and a huge file never lies in memory whole.
pub const CHUNK_BYTES: usize = 128 * 1024;

/// Bytes at the start of a file in which a NUL makes it binary; git looks at as many.
pub const PROBE_BYTES: usize = 8 * 1024;

/// Longest word; what is longer is a hash or an image in base64, and nobody asks for it.
pub const WORD_BYTES_MAX: usize = 64;

/// A line beyond this is remarked upon: it was made by a machine.
pub const LINE_BYTES_LONG: usize = 64 * 1024;

/// Lines that a reader gathers from one file before it sends them on: more than most files have,
/// few enough that mailboxes full of such batches take a few megabytes.
pub const GATHERED_MAX: usize = 8 * 1024;

/// Directories open at a time, one per level: far below what a process may open.
pub const DEPTH_MAX: usize = 128;

/// Paths remembered for each kind of remark; the rest is only counted.
pub const REMARKED_PATHS_MAX: usize = 3;

/// Words of which a prefix look-up takes the hits: the most frequent ones.
pub const PREFIX_WORDS_MAX: usize = 64;

/// Files that one shard names in an answer.
pub const ANSWER_FILES_MAX: usize = 1_000;

/// Hits that are printed, and lines named for each of them.
pub const HITS_SHOWN: usize = 10;
pub const LINES_SHOWN: usize = 4;

/// Bytes of a line that are read again, and characters of it that are printed.
pub const LINE_BYTES_READ: usize = 64 * 1024;
pub const LINE_CHARS_SHOWN: usize = 100;

/// What the index holds at most; beyond it things are counted instead of kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Files, since their paths stay in memory.
    pub files: usize,
    /// Distinct words.
    pub words: usize,
    /// Positions in all. A position is a line of a file that holds the word.
    pub positions: usize,
    /// Positions of one word: `the` stands everywhere, and nobody reads a thousand hits.
    pub positions_per_word: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            files: 500_000,
            // Just below what a hash table of 2^21 buckets takes before it doubles.
            words: 1_800_000,
            positions: 30_000_000,
            positions_per_word: 1_000,
        }
    }
}

impl Limits {
    /// The part of one shard among `shards`, which together stay below the whole.
    pub fn share(self, shards: usize) -> Limits {
        Limits {
            words: self.words / shards,
            positions: self.positions / shards,
            ..self
        }
    }
}
