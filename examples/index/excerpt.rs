//! The line of a hit, read again from its file.

use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use super::limits::{LINE_BYTES_READ, LINE_CHARS_SHOWN};
use super::query::Pattern;
use super::words::{is_word_char, lower};

/// What stands in a line now; if it is not to be had any more, this says so.
pub fn excerpt(path: &Path, line: u32, pattern: &Pattern) -> String {
    match read_line(path, line) {
        Ok(Some(bytes)) => clip(String::from_utf8_lossy(&bytes).trim_end(), pattern),
        Ok(None) => "(the file has become shorter)".to_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => "(vanished since)".to_owned(),
        Err(error) => format!("(not readable any more: {error})"),
    }
}

/// The beginning of a line, or `None` if the file ends before it.
fn read_line(path: &Path, line: u32) -> io::Result<Option<Vec<u8>>> {
    let mut file = BufReader::new(fs::File::open(path)?);
    for _ in 1..line {
        if file.skip_until(b'\n')? == 0 {
            return Ok(None);
        }
    }
    let mut bytes = Vec::new();
    file.take(LINE_BYTES_READ as u64)
        .read_until(b'\n', &mut bytes)?;
    Ok(Some(bytes))
}

/// The part of a line round the first match, fit for a terminal.
fn clip(line: &str, pattern: &Pattern) -> String {
    let found = line[..offset(line, pattern).unwrap_or(0)].chars().count();
    let indent = line.chars().take_while(|c| c.is_whitespace()).count();
    let start = found
        .saturating_sub(LINE_CHARS_SHOWN / 3)
        .max(indent.min(found));
    let mut shown = String::from(if start > indent { "…" } else { "" });
    let mut rest = line.chars().skip(start);
    let printable = |c: char| if c.is_control() { ' ' } else { c };
    shown.extend(rest.by_ref().take(LINE_CHARS_SHOWN).map(printable));
    if rest.next().is_some() {
        shown.push('…');
    }
    shown
}

/// Where the first matching word begins.
fn offset(line: &str, pattern: &Pattern) -> Option<usize> {
    let mut start = 0;
    for piece in line.split_inclusive(|c| !is_word_char(c)) {
        let word = piece.trim_end_matches(|c| !is_word_char(c));
        if pattern.matches(&lower(word)) {
            return Some(start);
        }
        start += piece.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(word: &str) -> Pattern {
        Pattern::parse(word).unwrap()
    }

    #[test]
    fn a_line_is_found_again_and_trimmed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("text");
        fs::write(&path, "one\n\n\tthree Actors\t!\r\nfour").unwrap();
        assert_eq!(excerpt(&path, 1, &pattern("one")), "one");
        assert_eq!(excerpt(&path, 2, &pattern("one")), "");
        assert_eq!(excerpt(&path, 3, &pattern("actor*")), "three Actors !");
        assert_eq!(excerpt(&path, 4, &pattern("four")), "four");
    }

    #[test]
    fn what_is_not_there_any_more_is_said() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("text");
        assert_eq!(excerpt(&path, 1, &pattern("one")), "(vanished since)");
        fs::write(&path, "one\n").unwrap();
        assert_eq!(
            excerpt(&path, 7, &pattern("one")),
            "(the file has become shorter)"
        );
        assert!(excerpt(dir.path(), 1, &pattern("one")).starts_with("(not readable any more: "));
    }

    #[test]
    fn a_long_line_is_clipped_round_the_match() {
        let line = format!("{} Größe {}", "x ".repeat(500), "y ".repeat(500));
        let shown = clip(&line, &pattern("größe"));
        assert!(shown.starts_with('…') && shown.ends_with('…') && shown.contains("Größe"));
        assert_eq!(shown.chars().count(), LINE_CHARS_SHOWN + 2);
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(clip("a\x1b[31mred\x07", &pattern("a")), "a [31mred ");
    }
}
