//! The words of a text that comes in chunks.

use std::borrow::Cow;

use super::limits::{LINE_BYTES_LONG, WORD_BYTES_MAX};

/// What a text turned out to hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextFacts {
    pub words: u64,
    pub long_words: u64,
    pub long_lines: u64,
    pub invalid_sequences: u64,
}

/// Finds words, in lower case, with their lines; remembers what a chunk left unfinished.
pub struct Words {
    word: String,
    word_is_long: bool,
    line: u32,
    line_bytes: usize,
    tail: Vec<u8>,
    facts: TextFacts,
}

/// Whether words are made of it: `snake_case` is one word.
pub fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A word as it is kept and looked up, letter by letter.
pub fn lower(word: &str) -> String {
    word.chars().flat_map(char::to_lowercase).collect()
}

impl Words {
    pub fn new() -> Self {
        Words {
            word: String::with_capacity(WORD_BYTES_MAX + 4),
            word_is_long: false,
            line: 1,
            line_bytes: 0,
            tail: Vec::new(),
            facts: TextFacts::default(),
        }
    }

    /// Gives `note` each word that ends in this chunk, and its line.
    pub fn feed(&mut self, chunk: &[u8], note: &mut impl FnMut(&str, u32)) {
        let joined = self.join(chunk);
        let (whole, tail) = joined.split_at(whole_chars(&joined));
        for part in whole.utf8_chunks() {
            part.valid().chars().for_each(|c| self.take(c, note));
            if !part.invalid().is_empty() {
                self.facts.invalid_sequences += 1;
                self.end_word(note);
            }
        }
        self.tail.extend_from_slice(tail);
    }

    /// Ends the text: its last word needs no space after it.
    pub fn finish(mut self, note: &mut impl FnMut(&str, u32)) -> TextFacts {
        if !self.tail.is_empty() {
            self.facts.invalid_sequences += 1;
        }
        self.end_word(note);
        self.end_line();
        self.facts
    }

    fn join<'c>(&mut self, chunk: &'c [u8]) -> Cow<'c, [u8]> {
        if self.tail.is_empty() {
            return Cow::Borrowed(chunk);
        }
        let mut joined = std::mem::take(&mut self.tail);
        joined.extend_from_slice(chunk);
        Cow::Owned(joined)
    }

    fn take(&mut self, c: char, note: &mut impl FnMut(&str, u32)) {
        self.line_bytes += c.len_utf8();
        if is_word_char(c) {
            self.lengthen_word(c);
            return;
        }
        self.end_word(note);
        if c == '\n' {
            self.end_line();
            self.line = self.line.saturating_add(1);
        }
    }

    fn lengthen_word(&mut self, c: char) {
        if self.word.len() + c.len_utf8() > WORD_BYTES_MAX {
            self.word_is_long = true;
        } else if c.is_ascii() {
            self.word.push(c.to_ascii_lowercase());
        } else {
            self.word.extend(c.to_lowercase());
        }
    }

    fn end_word(&mut self, note: &mut impl FnMut(&str, u32)) {
        if std::mem::take(&mut self.word_is_long) {
            self.facts.long_words += 1;
        } else if !self.word.is_empty() {
            self.facts.words += 1;
            note(&self.word, self.line);
        }
        self.word.clear();
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.line_bytes) > LINE_BYTES_LONG {
            self.facts.long_lines += 1;
        }
    }
}

/// How many bytes stand before a character that is cut off at the end.
fn whole_chars(bytes: &[u8]) -> usize {
    for back in 1..=bytes.len().min(3) {
        let needed = match bytes[bytes.len() - back] {
            0x80..=0xBF => continue,
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 => 4,
            _ => 1,
        };
        return if needed > back {
            bytes.len() - back
        } else {
            bytes.len()
        };
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words_of(chunks: &[&[u8]]) -> (Vec<(String, u32)>, TextFacts) {
        let mut found = Vec::new();
        let mut note = |word: &str, line| found.push((word.to_owned(), line));
        let mut words = Words::new();
        for chunk in chunks {
            words.feed(chunk, &mut note);
        }
        let facts = words.finish(&mut note);
        (found, facts)
    }

    fn pairs(expected: &[(&str, u32)]) -> Vec<(String, u32)> {
        expected
            .iter()
            .map(|&(word, line)| (word.to_owned(), line))
            .collect()
    }

    #[test]
    fn words_are_lowered_and_know_their_line() {
        let (found, facts) = words_of(&[b"Let x_1 = Foo(2);\r\n\n  ENDE"]);
        assert_eq!(
            found,
            pairs(&[("let", 1), ("x_1", 1), ("foo", 1), ("2", 1), ("ende", 3)])
        );
        assert_eq!(
            facts,
            TextFacts {
                words: 5,
                ..TextFacts::default()
            }
        );
    }

    #[test]
    fn chunks_may_be_cut_at_any_byte() {
        let text = "Größe naïve\nΣίσυφος 東京 🦀crab\u{1F980}".as_bytes();
        let whole = words_of(&[text]);
        assert_eq!(whole.1.invalid_sequences, 0);
        for cut in 0..=text.len() {
            assert_eq!(
                words_of(&[&text[..cut], &text[cut..]]),
                whole,
                "cut at {cut}"
            );
        }
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(words_of(&bytes), whole);
    }

    #[test]
    fn an_invalid_sequence_parts_two_words_and_is_counted() {
        let (found, facts) = words_of(&[b"one\xFFtwo \xE2\x82three \xF0\x9F"]);
        assert_eq!(found, pairs(&[("one", 1), ("two", 1), ("three", 1)]));
        assert_eq!(facts.invalid_sequences, 3);
    }

    #[test]
    fn a_word_beyond_the_limit_is_counted_and_left_out() {
        let (longest, too_long) = ("a".repeat(WORD_BYTES_MAX), "b".repeat(WORD_BYTES_MAX + 1));
        let text = format!("{longest} {too_long} end");
        let (found, facts) = words_of(&[text.as_bytes()]);
        assert_eq!(found, pairs(&[(&longest, 1), ("end", 1)]));
        assert_eq!((facts.words, facts.long_words), (2, 1));
    }

    #[test]
    fn a_very_long_line_is_counted_and_its_words_are_found() {
        let mut text = b"word ".repeat(LINE_BYTES_LONG / 5 + 1);
        text.extend_from_slice(b"\nnext");
        let (found, facts) = words_of(&[&text]);
        assert_eq!(found.last(), Some(&("next".to_owned(), 2)));
        assert_eq!(
            (facts.words as usize, facts.long_lines),
            (LINE_BYTES_LONG / 5 + 2, 1)
        );
    }
}
