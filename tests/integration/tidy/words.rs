//! Words that must not stand in a finished tree.

use super::excuses;
use super::scan::each_token;
use super::tree::{self, Source};
use super::verdict::{Finding, settle};

/// Marks of unfinished work. Written apart, so that this table is not found itself.
const MARKS: &[(&str, &str)] = &[("FIX", "ME"), ("XX", "X"), ("TO", "DO"), ("HA", "CK")];

/// Macros that stand for code that is not there, or that print for the author alone.
const MACROS: &[&str] = &["todo", "unimplemented", "dbg"];

/// Hosts of package registries and folders of some machine.
const PLACES: &[(&str, &str)] = &[
    ("crates", ".io"),
    ("pypi", ".org"),
    ("npmjs", ".org"),
    ("deb.debian", ".org"),
    ("proxy.golang", ".org"),
    ("/wo", "rk/"),
    ("/tmp/", "wt"),
    ("/ro", "ot/"),
    ("/ho", "me/"),
];

fn joined(parts: &(&str, &str)) -> String {
    [parts.0, parts.1].concat()
}

fn marks(source: &Source) -> Vec<Finding> {
    let is_mark = |word: &str| MARKS.iter().any(|mark| joined(mark) == word);
    lines_where(source, |line| {
        let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(is_mark)
    })
}

fn places(source: &Source) -> Vec<Finding> {
    lines_where(source, |line| {
        PLACES.iter().any(|place| names_place(line, &joined(place)))
    })
}

/// Whether `place` stands in the line, other than in the middle of a longer path.
fn names_place(line: &str, place: &str) -> bool {
    line.match_indices(place).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !place.starts_with('/')
            || before.is_none_or(|c| !c.is_alphanumeric() && !"._-*".contains(c))
    })
}

fn lines_where(source: &Source, is_bad: impl Fn(&str) -> bool) -> Vec<Finding> {
    let lines = source.text.lines().enumerate();
    lines
        .filter(|(_, line)| is_bad(line))
        .map(|(index, line)| {
            let text = format!("{}:{}: {}", source.path, index + 1, line.trim());
            Finding::new(&source.path, text)
        })
        .collect()
}

fn macros(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    each_token(source, |spot| {
        let is_call = spot.is_punct(1, '!') && !spot.is_punct(2, '=') && !spot.is_quoted;
        let name = spot.ident(0).filter(|_| is_call);
        if let Some(name) = name.filter(|name| MACROS.contains(&name.as_str())) {
            let text = format!("{}:{}: {name}!", source.path, spot.line());
            findings.push(Finding::new(&source.path, text));
        }
    });
    findings
}

/// Calls of `sleep`, `sleep_ms` and `sleep_until` in tests; methods of that name are other things.
fn sleeps(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    each_token(source, |spot| {
        let sleeps = ["sleep", "sleep_ms", "sleep_until"]
            .iter()
            .any(|name| spot.is_ident(0, name));
        let is_call = spot.group(1, proc_macro2::Delimiter::Parenthesis).is_some();
        let is_other = spot.is_punct(-1, '.') || spot.is_ident(-1, "fn");
        if sleeps && is_call && !is_other && is_test(&source.path, spot.modules) {
            let text = format!("{}:{}: a test that sleeps", source.path, spot.line());
            findings.push(Finding::new(&source.path, text));
        }
    });
    findings
}

/// Whether this is test code: of the tests folder, of a file or folder of unit tests, or of a
/// `mod tests { .. }`.
fn is_test(path: &str, modules: &[String]) -> bool {
    let mut parts = path.split('/').map(|part| part.trim_end_matches(".rs"));
    parts.any(|part| part == "tests" || part == "loom") || modules.iter().any(|m| m == "tests")
}

#[test]
fn nothing_is_left_unfinished() {
    let sources = tree::all();
    let marks = sources.iter().flat_map(marks);
    let macros = sources.iter().filter(|s| s.is_rust()).flat_map(macros);
    settle(&marks.chain(macros).collect::<Vec<_>>(), &[]);
}

#[test]
fn no_registry_host_and_no_machine_path_is_named() {
    let findings: Vec<_> = tree::all().iter().flat_map(places).collect();
    settle(&findings, &[]);
}

#[test]
fn tests_do_not_sleep() {
    let findings: Vec<_> = tree::rust().iter().flat_map(sleeps).collect();
    settle(&findings, excuses::SLEEPS);
}

#[test]
fn marks_are_found_as_words_and_in_every_kind_of_file() {
    for mark in MARKS.iter().map(joined) {
        assert_eq!(
            marks(&Source::new("a.md", format!("first {mark}: this"))).len(),
            1,
            "{mark}"
        );
        assert!(
            marks(&Source::new("a.md", format!("{mark}S {mark}_A"))).is_empty(),
            "{mark}"
        );
    }
}

#[test]
fn unfinished_macros_are_found_in_code_alone() {
    for name in MACROS {
        let found = macros(&Source::new("a.rs", format!("fn f() {{ g({name}!(1)) }}")));
        assert_eq!(found.len(), 1, "{name}");
        let other = format!(
            "// {name}!()\nfn f() {{ \"{name}!()\"; {name} != 1; {name}(); quote!({name}!()) }}"
        );
        assert!(macros(&Source::new("a.rs", other)).is_empty(), "{name}");
    }
}

#[test]
fn machine_paths_are_found_but_not_folders_of_the_same_name() {
    for place in PLACES.iter().map(joined) {
        let line = format!("see {place} for more");
        assert_eq!(places(&Source::new("a.toml", line)).len(), 1, "{place}");
    }
    let folder = joined(&("src/wo", "rk/mod.rs"));
    assert!(places(&Source::new("a.md", folder)).is_empty());
}

#[test]
fn sleeping_is_found_in_tests_alone() {
    let call = "fn f() { thread::sleep(d); time::sleep(d).await; sleep_until(t) }";
    assert_eq!(
        sleeps(&Source::new("tests/integration/a.rs", call)).len(),
        3
    );
    assert_eq!(sleeps(&Source::new("src/a/tests.rs", call)).len(), 3);
    assert_eq!(
        sleeps(&Source::new("src/a.rs", format!("mod tests {{ {call} }}"))).len(),
        3
    );
    assert!(sleeps(&Source::new("src/a.rs", call)).is_empty());
    let other = "fn sleep() { parker.sleep(); \"sleep(1)\" } // sleep(1)";
    assert!(sleeps(&Source::new("tests/integration/a.rs", other)).is_empty());
}
