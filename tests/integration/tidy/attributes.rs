//! Ignored tests and silenced warnings are few, and each says why.

use super::excuses;
use super::scan::{each_token, idents};
use super::tree::{self, Source};
use super::verdict::{Finding, settle};

fn silenced(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    each_token(source, |spot| {
        let Some(attribute) = spot.attribute().filter(|_| !spot.is_quoted) else {
            return;
        };
        if let Some(what) = silences(&idents(attribute.stream())) {
            let text = format!("{}:{}: {what}", source.path, spot.line());
            findings.push(Finding::new(format!("{}: {what}", source.path), text));
        }
    });
    findings
}

/// What an attribute of these words silences, if anything.
fn silences(words: &[String]) -> Option<&str> {
    let has = |word: &str| words.iter().any(|other| other == word);
    let is_conditional = words.first().is_some_and(|word| word == "cfg_attr");
    let is_ignored = words.first().is_some_and(|word| word == "ignore");
    if is_ignored || is_conditional && has("ignore") {
        return Some("ignore");
    }
    let is_quiet = |word: &&str| *word == "dead_code" || word.starts_with("unused");
    let lint = words.iter().map(String::as_str).find(is_quiet);
    lint.filter(|_| has("allow") || has("expect"))
}

/// Examples in docs that are not compiled.
fn ignored_examples(source: &Source) -> Vec<Finding> {
    let lines = source.text.lines().enumerate();
    let is_ignored = |line: &str| {
        let line = line.trim().trim_start_matches(['/', '!']).trim();
        line.strip_prefix("```")
            .is_some_and(|words| words.contains("ignore"))
    };
    lines
        .filter(|(_, line)| is_ignored(line))
        .map(|(index, _)| {
            let text = format!("{}:{}: an example is ignored", source.path, index + 1);
            Finding::new(format!("{}: example", source.path), text)
        })
        .collect()
}

#[test]
fn what_is_silenced_is_listed_with_a_reason() {
    let sources = tree::rust();
    let attributes = sources.iter().flat_map(silenced);
    let examples = sources.iter().flat_map(ignored_examples);
    settle(
        &attributes.chain(examples).collect::<Vec<_>>(),
        excuses::ATTRIBUTES,
    );
}

#[test]
fn every_way_to_silence_is_found() {
    for (attribute, what) in [
        ("#[ignore]", "ignore"),
        ("#[ignore = \"slow\"]", "ignore"),
        ("#[cfg_attr(miri, ignore)]", "ignore"),
        ("#[allow(dead_code)]", "dead_code"),
        ("#![allow(dead_code, clippy::all)]", "dead_code"),
        ("#[expect(unused_variables)]", "unused_variables"),
        ("#[cfg_attr(loom, allow(unused))]", "unused"),
    ] {
        let found = silenced(&Source::new("src/a.rs", format!("{attribute} fn f() {{}}")));
        assert_eq!(found[0].key, format!("src/a.rs: {what}"), "{attribute}");
    }
}

#[test]
fn other_attributes_are_left_alone() {
    for attribute in [
        "#[test]",
        "#[deny(unused)]",
        "#[allow(clippy::ignore)]",
        "quote! { #[allow(dead_code)] }",
    ] {
        let source = Source::new("src/a.rs", format!("{attribute} fn ignore() {{}}"));
        assert_eq!(silenced(&source), [], "{attribute}");
    }
}

#[test]
fn an_example_that_is_not_compiled_is_found() {
    let found = |fence: &str| ignored_examples(&Source::new("src/a.rs", fence)).len();
    assert_eq!(found("    /// ```rust,ignore"), 1);
    assert_eq!(found("//! ```ignore"), 1);
    assert_eq!(found("/// ```no_run\n/// what they ignore\n/// ```text"), 0);
}
