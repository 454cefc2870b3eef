//! The floors of the crate, as data, and the rule that imports go down.

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use super::excuses;
use super::scan::{Spot, each_token};
use super::tree::{self, Source};
use super::verdict::{Finding, settle};

/// From the ground up. A module imports from floors below its own, from its own folder, and from
/// modules further left in its row. Rows may name modules that are yet to come.
const FLOORS: &[&[&str]] = &[
    &["sync", "limits", "contain", "trace", "error"],
    &["ring", "park", "rng", "id", "time", "pool", "ending"],
    &["task", "reply", "mailbox", "edges"],
    &["exec"],
    &["admission", "actor"],
    &[
        "supervise",
        "registry",
        "group",
        "topic",
        "workers",
        "shutdown",
    ],
    &["world"],
    &["remote"],
    &["testing", "observe"],
    &["lib", "prelude", "private", "guarantees"],
];

/// The crate's root, which is on the top floor and may import what it likes.
const FACE: &str = "lib";

/// Floor and place in its row.
fn place(module: &str) -> Option<(usize, usize)> {
    FLOORS.iter().enumerate().find_map(|(floor, row)| {
        let column = row.iter().position(|name| *name == module)?;
        Some((floor, column))
    })
}

/// The module that a name at the crate's root leads to: the face, where it is no module's.
fn owner(name: &str) -> &str {
    if place(name).is_some() { name } else { FACE }
}

fn may_import(importer: &str, imported: &str) -> bool {
    importer == FACE || importer == imported || place(importer) > place(imported)
}

/// Imports, as `use` or as paths in the code, that go up or to the right.
fn upward(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    let Some(module) = source.module() else {
        return findings;
    };
    let importer = module.first().map_or(FACE, String::as_str);
    each_token(source, |spot| {
        for name in root_names(spot, &module) {
            if may_import(importer, owner(&name)) {
                continue;
            }
            let key = format!("{}: crate::{name}", source.path);
            let line = spot.line();
            let text = format!(
                "{}:{line}: `{importer}` must not import {name}",
                source.path
            );
            findings.push(Finding::new(key, text));
        }
    });
    findings
}

/// The names at the crate's root that a path which starts here leads to.
///
/// `$crate` in a macro's body is not looked at: it belongs to where the macro is used.
fn root_names(spot: &Spot<'_>, module: &[String]) -> Vec<String> {
    let goes_on = spot.is_path_sep(-2) && spot.is_ident(-3, "super");
    if goes_on || spot.is_punct(-1, '$') || is_visibility(spot) {
        return Vec::new();
    }
    let depth = module.len() + spot.modules.len();
    match spot.ident(0).as_deref() {
        Some("crate" | "greenroom") if spot.is_path_sep(1) => heads(spot, 3),
        Some("super") => {
            let supers = (0..).take_while(|n| spot.is_ident(n * 3, "super")).count();
            let end = 3 * isize::try_from(supers).expect("a short path");
            if supers < depth {
                Vec::new()
            } else {
                heads(spot, end)
            }
        }
        _ => Vec::new(),
    }
}

/// Whether this is the path of a `pub(in path)`.
fn is_visibility(spot: &Spot<'_>) -> bool {
    spot.is_ident(-1, "in") && spot.place() == 1
}

/// The first segments of what stands at `offset`: a name, a glob or a braced list.
fn heads(spot: &Spot<'_>, offset: isize) -> Vec<String> {
    if let Some(list) = spot.group(offset, Delimiter::Brace) {
        return list_heads(list.stream());
    }
    if spot.is_punct(offset, '*') {
        return vec!["*".to_owned()];
    }
    spot.ident(offset).into_iter().collect()
}

fn list_heads(list: TokenStream) -> Vec<String> {
    let trees: Vec<TokenTree> = list.into_iter().collect();
    let is_comma = |tree: &TokenTree| matches!(tree, TokenTree::Punct(p) if p.as_char() == ',');
    let elements = trees.split(is_comma).filter_map(<[TokenTree]>::first);
    elements.map(ToString::to_string).collect()
}

#[test]
fn modules_import_only_from_floors_below() {
    let findings: Vec<_> = tree::rust().iter().flat_map(upward).collect();
    settle(&findings, excuses::IMPORTS);
}

#[test]
fn every_module_stands_on_a_floor() {
    for source in tree::rust() {
        let Some(module) = source.module() else {
            continue;
        };
        let name = module.first().map_or(FACE, String::as_str);
        assert!(place(name).is_some(), "{}: on no floor", source.path);
    }
}

#[test]
fn no_module_stands_on_two_floors() {
    let mut names: Vec<_> = FLOORS.concat();
    names.sort_unstable();
    assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
}

fn imports(path: &str, text: &str) -> Vec<String> {
    let found = upward(&Source::new(path, text));
    let name = |finding: Finding| finding.key.rsplit("::").next().map(str::to_owned);
    found.into_iter().filter_map(name).collect()
}

#[test]
fn an_import_from_above_or_from_the_right_is_found() {
    assert_eq!(imports("src/sync.rs", "use crate::limits::A;"), ["limits"]);
    assert_eq!(imports("src/task/mod.rs", "use crate::exec::A;"), ["exec"]);
    assert_eq!(
        imports("src/task/a.rs", "use super::super::exec::A;"),
        ["exec"]
    );
    assert_eq!(imports("src/id.rs", "use super::{rng, task::A};"), ["task"]);
    assert_eq!(
        imports("src/id.rs", "use crate::{rng, exec::{A, B}, reply};"),
        ["exec", "reply"]
    );
    assert_eq!(
        imports(
            "src/id.rs",
            "fn f() -> crate::exec::A { g!(crate::actor::B) }"
        ),
        ["exec", "actor"]
    );
    assert_eq!(imports("src/id.rs", "use crate::Error;"), ["Error"]);
    assert_eq!(imports("src/id.rs", "use crate::*;"), ["*"]);
    assert_eq!(imports("src/id.rs", "use ::greenroom::spawn;"), ["spawn"]);
    assert_eq!(
        imports("src/id.rs", "mod tests { use super::super::task::A; }"),
        ["task"]
    );
}

#[test]
fn an_import_from_below_or_from_the_left_is_not() {
    assert!(
        imports(
            "src/exec/core.rs",
            "use crate::{sync::A, task::B, exec::C};"
        )
        .is_empty()
    );
    assert!(imports("src/limits.rs", "use crate::sync::A;").is_empty());
    assert!(
        imports(
            "src/task/a.rs",
            "use super::state::A; mod tests { use super::*; }"
        )
        .is_empty()
    );
    assert!(imports("src/lib.rs", "pub use crate::private as __private;").is_empty());
    assert!(imports("src/prelude.rs", "pub use crate::{Actor, spawn};").is_empty());
    assert!(imports("tests/integration/main.rs", "use crate::exec::A;").is_empty());
}

#[test]
fn what_is_no_import_is_not_taken_for_one() {
    assert!(
        imports(
            "src/id.rs",
            "/// [`crate::exec::A`]\nfn f() {} // crate::exec"
        )
        .is_empty()
    );
    assert!(
        imports(
            "src/id.rs",
            "macro_rules! m { () => { $crate::exec::f() } }"
        )
        .is_empty()
    );
    assert!(
        imports(
            "src/id.rs",
            "pub(in crate::exec) fn f() { g(\"crate::exec\") }"
        )
        .is_empty()
    );
    assert!(imports("src/id.rs", "use std::{task::Waker, sync::Arc};").is_empty());
}
