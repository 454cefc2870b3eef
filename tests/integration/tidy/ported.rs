//! The code in `docs/coming-from.md` is that of the services that were ported, which run as tests.

use super::tree::{self, Source};

/// The text of each block of Rust in a page, line by line without its indent.
fn blocks(page: &str) -> Vec<String> {
    let mut parts = page.split("```rust\n");
    parts.next();
    parts
        .filter_map(|part| part.split_once("\n```"))
        .map(|(block, _)| flat(block))
        .collect()
}

fn flat(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(str::trim).collect();
    lines.join("\n")
}

#[test]
fn the_code_on_the_page_for_newcomers_stands_in_the_ported_services() {
    let sources = tree::all();
    let is_page = |source: &&Source| source.path == "docs/coming-from.md";
    let page = sources.iter().find(is_page).expect("the page is there");
    let ports = sources
        .iter()
        .filter(|source| source.path.starts_with("benches/peers/tests/ports/"));
    let ports: Vec<_> = ports.map(|source| flat(&source.text)).collect();
    let blocks = blocks(&page.text);
    assert!(blocks.len() > 5, "the page was not understood");
    for block in blocks {
        let is_there = ports.iter().any(|port| port.contains(&block));
        assert!(is_there, "in no ported service:\n{block}");
    }
}

#[test]
fn a_block_is_what_stands_between_its_fences() {
    let page = "a\n```rust\n  b\nc\n```\nd\n```sh\ne\n```\n```rust\nf\n```\n";
    assert_eq!(blocks(page), ["b\nc", "f"]);
}
