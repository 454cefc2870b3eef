//! Style as tests: each rule reads the repository's own files.
//!
//! A rule is a function from sources to findings, so that it can be tried on made-up input, and a
//! `#[test]` that settles its findings against the list of excuses. An excuse that excuses nothing
//! fails too: the lists only ever hold what is needed.

mod attributes;
mod excuses;
mod floors;
mod guarantees;
mod lengths;
mod names;
mod orphans;
mod ported;
mod scan;
mod tree;
mod unsafety;
mod verdict;
mod words;
