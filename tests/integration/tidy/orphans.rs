//! Every Rust file is part of something that is compiled.

use std::collections::BTreeSet;

use proc_macro2::Delimiter;

use super::excuses;
use super::scan::each_token;
use super::tree::{self, Source};
use super::verdict::{Finding, settle};

/// Files that Cargo takes for the root of a target, within a package; `*` is one name.
const ROOTS: &[&str] = &[
    "build.rs",
    "src/lib.rs",
    "src/main.rs",
    "src/bin/*.rs",
    "src/bin/*/main.rs",
    "tests/*.rs",
    "tests/*/main.rs",
    "benches/*.rs",
    "benches/*/main.rs",
    "examples/*.rs",
    "examples/*/main.rs",
    "fuzz_targets/*.rs",
];

fn orphans(sources: &[Source]) -> Vec<Finding> {
    let packages: Vec<&str> = sources
        .iter()
        .filter_map(|source| source.path.strip_suffix("Cargo.toml"))
        .collect();
    let is_root = |path: &str| {
        let package = packages
            .iter()
            .filter(|package| path.starts_with(**package));
        package
            .max_by_key(|package| package.len())
            .is_some_and(|package| {
                let inner = &path[package.len()..];
                ROOTS.iter().any(|root| matches(root, inner))
            })
    };
    let rust: Vec<&Source> = sources.iter().filter(|source| source.is_rust()).collect();
    let roots = rust.iter().filter(|source| is_root(&source.path)).copied();
    let mut reached = BTreeSet::new();
    let mut waiting: Vec<(&Source, bool)> = roots.map(|root| (root, true)).collect();
    while let Some((source, root)) = waiting.pop() {
        if !reached.insert(&source.path) {
            continue;
        }
        let children = children(source, root);
        let is_child = |path: &str| children.iter().any(|child| matches(child, path));
        let found = rust.iter().filter(|other| is_child(&other.path));
        waiting.extend(found.map(|other| (*other, false)));
    }
    rust.into_iter()
        .filter(|source| !reached.contains(&source.path))
        .map(|source| Finding::new(&source.path, format!("{}: nothing leads here", source.path)))
        .collect()
}

/// Paths and patterns of the files that this one makes part of its target: by a `mod` line, or by
/// naming them to the compile-fail tests.
fn children(source: &Source, is_root: bool) -> Vec<String> {
    let (folder, file) = source.path.rsplit_once('/').unwrap_or(("", &source.path));
    let folder = match file {
        _ if is_root => folder.to_owned(),
        "mod.rs" => folder.to_owned(),
        _ => format!("{folder}/{}", file.trim_end_matches(".rs")),
    };
    let mut children = Vec::new();
    each_token(source, |spot| {
        if spot.is_ident(0, "mod") && spot.is_punct(2, ';') {
            let name = spot.ident(1).unwrap_or_default();
            let inner: String = spot.modules.iter().map(|m| format!("{m}/")).collect();
            children.push(format!("{folder}/{inner}{name}.rs"));
            children.push(format!("{folder}/{inner}{name}/mod.rs"));
        }
        let is_case = spot.is_ident(0, "compile_fail") || spot.is_ident(0, "pass");
        if let Some(pattern) = spot.group(1, Delimiter::Parenthesis).filter(|_| is_case) {
            let pattern = pattern.stream().to_string();
            children.push(pattern.trim_matches('"').to_owned());
        }
    });
    children
}

/// Whether a path is of a pattern in which `*` stands for any part of one name.
fn matches(pattern: &str, path: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == path;
    };
    let Some(path) = path.strip_prefix(start) else {
        return false;
    };
    let name = path.find('/').unwrap_or(path.len());
    (0..=name).any(|end| path.is_char_boundary(end) && matches(rest, &path[end..]))
}

#[test]
fn every_file_is_reached() {
    settle(&orphans(&tree::all()), excuses::ORPHANS);
}

fn orphans_of(files: &[(&str, &str)]) -> Vec<String> {
    let sources: Vec<_> = files
        .iter()
        .map(|(path, text)| Source::new(*path, *text))
        .collect();
    orphans(&sources)
        .into_iter()
        .map(|orphan| orphan.key)
        .collect()
}

#[test]
fn a_file_that_nothing_leads_to_is_found() {
    let found = orphans_of(&[
        ("Cargo.toml", ""),
        ("src/lib.rs", "mod a; // mod b;"),
        ("src/a.rs", "mod c { mod d; }"),
        ("src/a/c/d.rs", ""),
        ("src/a/d.rs", ""),
        ("src/b.rs", ""),
        ("tests/a.rs", ""),
        ("tests/all/main.rs", "mod sub;"),
        ("tests/all/sub/mod.rs", "mod deep;"),
        ("tests/all/sub/deep.rs", ""),
        ("tests/all/stray.rs", ""),
        ("inner/Cargo.toml", ""),
        ("inner/src/main.rs", ""),
        ("inner/src/other.rs", ""),
    ]);
    let expected = [
        "src/a/d.rs",
        "src/b.rs",
        "tests/all/stray.rs",
        "inner/src/other.rs",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_file_that_is_compiled_by_name_is_reached() {
    let found = orphans_of(&[
        ("Cargo.toml", ""),
        (
            "tests/ui.rs",
            "fn f() { t.compile_fail(\"tests/ui/*.rs\"); }",
        ),
        ("tests/ui/a_mistake.rs", ""),
        ("tests/ui/deep/a_mistake.rs", ""),
    ]);
    assert_eq!(found, ["tests/ui/deep/a_mistake.rs"]);
}
