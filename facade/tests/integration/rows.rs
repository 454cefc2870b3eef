//! Every row of the README's table names a test that exists.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

/// The last cells of the table's rows, which name tests.
fn named(text: &str) -> Vec<&str> {
    let rows = text.lines().filter(|line| line.starts_with("| "));
    let cells = rows.filter_map(|row| row.strip_suffix(" |")?.rsplit_once(" | "));
    cells.map(|(_, last)| last).skip(2).collect()
}

/// The names of the functions of these tests.
fn functions() -> HashSet<String> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = fs::read_dir(package.join("tests/integration")).unwrap();
    let files = folder.map(|entry| entry.unwrap().path());
    let attributes = package.join("../macros/src/entry/options/tests.rs");
    let texts = files.chain([attributes]);
    let texts = texts.map(|path| fs::read_to_string(path).unwrap());
    let names = |text: String| {
        let lines = text.lines();
        let names = lines.filter_map(|line| line.split_once("fn ")?.1.split_once('('));
        names.map(|(name, _)| name.to_owned()).collect::<Vec<_>>()
    };
    texts.flat_map(names).collect()
}

#[test]
fn every_row_of_what_changes_names_a_test_that_exists() {
    let tests = functions();
    let rows = named(include_str!("../../README.md"));
    assert!(rows.len() > 10, "the table was not understood");
    let is_known = |row: &str| {
        let name = row.strip_prefix('`').and_then(|row| row.strip_suffix('`'));
        name.is_some_and(|name| tests.contains(name))
    };
    let unknown: Vec<_> = rows.into_iter().filter(|row| !is_known(row)).collect();
    assert!(unknown.is_empty(), "no such tests: {unknown:?}");
}

#[test]
fn a_row_names_its_test_in_the_last_cell() {
    let text = "| what | test |\n| --- | --- |\n| `a` | `a_holds` |\n| b | nothing |\n";
    assert_eq!(named(text), ["`a_holds`", "nothing"]);
}
