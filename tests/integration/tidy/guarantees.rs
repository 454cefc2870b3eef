//! Every promise names a test that exists.

use std::collections::HashSet;

use super::tree;

/// The last cells of a text's table rows, which name tests.
fn named(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|line| {
            line.strip_prefix("//! | ")?
                .strip_suffix("` |")?
                .rsplit_once('`')
        })
        .map(|(_, name)| name)
        .collect()
}

/// The names of functions.
fn functions(text: &str) -> impl Iterator<Item = &str> {
    text.lines()
        .filter_map(|line| line.split_once("fn ")?.1.split_once('('))
        .map(|(name, _)| name)
}

#[test]
fn every_promise_names_a_test_that_exists() {
    let sources = tree::rust();
    let tests: HashSet<&str> = sources
        .iter()
        .filter(|source| source.path.starts_with("tests/"))
        .flat_map(|source| functions(&source.text))
        .collect();
    let names: Vec<&str> = sources
        .iter()
        .filter(|source| {
            source.path.starts_with("src/guarantees") || source.path == "src/world/mod.rs"
        })
        .flat_map(|source| {
            let names = named(&source.text);
            assert!(
                names.len() > 10,
                "the tables of {} were not understood",
                source.path
            );
            names
        })
        .collect();
    let missing: Vec<_> = names
        .iter()
        .filter(|name| !tests.contains(**name))
        .collect();
    assert!(missing.is_empty(), "no such tests: {missing:?}");
}

#[test]
fn a_promise_is_read_from_the_last_cell_of_its_row() {
    let text = "//! | what | test |\n//! | --- | --- |\n//! | `a` holds | `a_holds` |\n";
    assert_eq!(named(text), ["a_holds"]);
}
