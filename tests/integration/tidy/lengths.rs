//! Files, functions and lines keep to a length that a reader can hold.

use super::excuses;
use super::scan::each_token;
use super::tree::{self, Source};
use super::verdict::{Finding, settle};

const FILE_LINES_MAX: usize = 400;
const FUNCTION_LINES_MAX: usize = 70;
const LINE_COLUMNS_MAX: usize = 100;

fn long_file(source: &Source) -> Option<Finding> {
    let lines = source.text.lines().count();
    let text = || format!("{}: {lines} lines, at most {FILE_LINES_MAX}", source.path);
    (lines > FILE_LINES_MAX).then(|| Finding::new(&source.path, text()))
}

fn wide_lines(source: &Source) -> Vec<Finding> {
    let lines = source.text.lines().enumerate();
    lines
        .map(|(index, line)| (index + 1, line.chars().count()))
        .filter(|(_, columns)| *columns > LINE_COLUMNS_MAX)
        .map(|(line, columns)| {
            let text = format!("{}:{line}: {columns} columns", source.path);
            Finding::new(&source.path, text)
        })
        .collect()
}

/// Counted from the word `fn` to the closing brace; functions inside macro calls count as well.
fn long_functions(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    each_token(source, |spot| {
        let Some(body) = spot.body().filter(|_| spot.is_ident(0, "fn")) else {
            return;
        };
        let first = spot.line();
        let lines = body.span_close().end().line - first + 1;
        if let Some(name) = spot.ident(1).filter(|_| lines > FUNCTION_LINES_MAX) {
            let text = format!("{}:{first}: `{name}` has {lines} lines", source.path);
            findings.push(Finding::new(format!("{}: fn {name}", source.path), text));
        }
    });
    findings
}

#[test]
fn files_are_not_too_long() {
    let findings: Vec<_> = tree::rust().iter().filter_map(long_file).collect();
    settle(&findings, excuses::LONG_FILES);
}

#[test]
fn lines_are_not_too_wide() {
    let findings: Vec<_> = tree::rust().iter().flat_map(wide_lines).collect();
    settle(&findings, excuses::WIDE_FILES);
}

#[test]
fn functions_are_not_too_long() {
    let findings: Vec<_> = tree::rust().iter().flat_map(long_functions).collect();
    settle(&findings, excuses::LONG_FUNCTIONS);
}

#[test]
fn a_file_one_line_over_the_limit_is_found() {
    let of_lines = |lines| Source::new("src/a.rs", "//\n".repeat(lines));
    assert_eq!(long_file(&of_lines(FILE_LINES_MAX)), None);
    assert!(long_file(&of_lines(FILE_LINES_MAX + 1)).is_some());
}

#[test]
fn width_is_counted_in_characters() {
    let of_width = |width| Source::new("src/a.rs", format!("\n{}\n", "é".repeat(width)));
    assert!(wide_lines(&of_width(LINE_COLUMNS_MAX)).is_empty());
    let found = wide_lines(&of_width(LINE_COLUMNS_MAX + 1));
    assert_eq!(found[0].text, "src/a.rs:2: 101 columns");
}

#[test]
fn a_function_one_line_over_the_limit_is_found_wherever_it_stands() {
    let of_lines = |lines: usize| {
        let function = format!("pub fn wide(\n) {{{}}}", "\n".repeat(lines - 2));
        let text = format!("impl A {{ fn short(); m! {{ {function} }} }}");
        long_functions(&Source::new("src/a.rs", text))
    };
    assert!(of_lines(FUNCTION_LINES_MAX).is_empty());
    assert_eq!(of_lines(FUNCTION_LINES_MAX + 1)[0].key, "src/a.rs: fn wide");
}
