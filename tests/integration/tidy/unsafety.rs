//! `unsafe` is a place, not a habit: it stands in the files that the excuses name.

use super::excuses;
use super::scan::each_token;
use super::tree::{self, Source};
use super::verdict::{Finding, settle};

/// One finding per file, with the lines that say `unsafe`.
fn unsafe_lines(source: &Source) -> Option<Finding> {
    let mut lines = Vec::new();
    each_token(source, |spot| {
        if spot.is_ident(0, "unsafe") {
            lines.push(spot.line());
        }
    });
    let text = || format!("{}: unsafe in a new place, lines {lines:?}", source.path);
    (!lines.is_empty()).then(|| Finding::new(&source.path, text()))
}

#[test]
fn unsafe_code_stands_only_where_it_is_expected() {
    let findings: Vec<_> = tree::rust().iter().filter_map(unsafe_lines).collect();
    settle(&findings, excuses::UNSAFE_FILES);
}

#[test]
fn blocks_functions_and_impls_are_all_found() {
    let text = "unsafe impl Send for A {}\nunsafe fn f() {}\nfn g() { m!(unsafe { f() }) }";
    let found = unsafe_lines(&Source::new("src/a.rs", text)).expect("three");
    assert_eq!(
        found.text,
        "src/a.rs: unsafe in a new place, lines [1, 2, 3]"
    );
}

#[test]
fn lints_comments_and_strings_are_not_unsafe() {
    let text = "#![deny(unsafe_code)] // unsafe\nfn f() { \"unsafe { }\" }";
    assert_eq!(unsafe_lines(&Source::new("src/a.rs", text)), None);
}
