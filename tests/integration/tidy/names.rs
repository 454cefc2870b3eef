//! Tests are named as claims: what holds, in words.

use super::excuses;
use super::scan::{Spot, each_token, idents};
use super::tree::{self, Source};
use super::verdict::{Finding, settle};

const WORDS_MIN: usize = 3;

fn nameless_tests(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    each_token(source, |spot| {
        let Some(name) = test_name(spot) else {
            return;
        };
        let words: Vec<_> = name.split('_').filter(|word| !word.is_empty()).collect();
        if words.len() < WORDS_MIN || words[0] == "test" {
            let text = format!("{}:{}: `{name}` claims nothing", source.path, spot.line());
            findings.push(Finding::new(format!("{}: fn {name}", source.path), text));
        }
    });
    findings
}

/// The name of the function that a test attribute which starts here belongs to.
fn test_name(spot: &Spot<'_>) -> Option<String> {
    let path = idents(spot.attribute()?.stream());
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let is_test = matches!(path[..], ["test"] | ["tokio" | "greenroom", "test", ..]);
    let mut offsets = 2..ATTRIBUTES_SPAN_MAX;
    let at = offsets.find(|&offset| is_test && spot.is_ident(offset, "fn"))?;
    spot.ident(at + 1)
}

/// How far the word `fn` may stand from a test attribute, in tokens.
const ATTRIBUTES_SPAN_MAX: isize = 16;

#[test]
fn tests_are_named_as_claims() {
    let findings: Vec<_> = tree::rust().iter().flat_map(nameless_tests).collect();
    settle(&findings, excuses::TEST_NAMES);
}

#[test]
fn a_test_without_a_claim_is_found() {
    let found = |text: &str| nameless_tests(&Source::new("src/a.rs", text)).len();
    assert_eq!(found("#[test] fn works() {}"), 1);
    assert_eq!(found("#[test] fn test_that_it_works() {}"), 1);
    assert_eq!(
        found("#[tokio::test(start_paused = true)]\n#[cfg(a)]\nasync fn basic_ask() {}"),
        1
    );
    assert_eq!(found("#[test] fn a_stopped_actor_refuses() {}"), 0);
    assert_eq!(found("fn helper() {} #[cfg(test)] fn made_up() {}"), 0);
}
