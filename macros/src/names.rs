//! The names that an expansion adds, and types as a reader writes them.

use proc_macro2::{Delimiter, Ident, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident};
use std::collections::HashSet;
use syn::ext::IdentExt;

/// `add_all` becomes `AddAll`.
pub(crate) fn camel(method: &Ident) -> String {
    let method = method.unraw().to_string();
    let words = method.split('_').filter(|word| !word.is_empty());
    words.map(capitalized).collect()
}

fn capitalized(word: &str) -> String {
    let mut chars = word.chars();
    let first = chars.next().into_iter().flat_map(char::to_uppercase);
    first.chain(chars).collect()
}

/// The handle's name, at the place of the actor's.
pub(crate) fn handle(actor: &Ident) -> Ident {
    format_ident!("{}Handle", actor.unraw(), span = actor.span())
}

/// A span that points where `place` does and belongs to the expansion: rustc reports there, while
/// lints know that no user wrote it.
pub(crate) fn at(place: Span) -> Span {
    Span::call_site().located_at(place)
}

/// Tokens as if written at `place`, so that errors don't spread over all from there to where they
/// came from.
pub(crate) fn placed(tokens: TokenStream, place: Span) -> TokenStream {
    let tokens = tokens.into_iter().map(|mut token| {
        token.set_span(token.span().located_at(place));
        token
    });
    tokens.collect()
}

/// The identifiers among some tokens, at any depth.
#[derive(Default)]
pub(crate) struct Taken(HashSet<String>);

impl Taken {
    pub(crate) fn by(tokens: impl ToTokens) -> Self {
        let mut taken = Self::default();
        taken.collect(tokens.to_token_stream());
        taken
    }

    fn collect(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.collect(group.stream()),
                TokenTree::Ident(ident) => {
                    self.0.insert(ident.unraw().to_string());
                }
                TokenTree::Punct(_) | TokenTree::Literal(_) => {}
            }
        }
    }

    pub(crate) fn add(&mut self, tokens: impl ToTokens) {
        self.collect(tokens.to_token_stream());
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// `wish`, with a number behind it if that is taken.
    pub(crate) fn free(&self, wish: &str) -> Ident {
        let numbered = (1..).map(|n| format!("{wish}{n}"));
        let mut names = std::iter::once(wish.to_owned()).chain(numbered);
        let name = names.find(|name| !self.has(name)).expect("names never end");
        Ident::new(&name, Span::call_site())
    }
}

/// A type as it is written by hand: `Result<Vec<u8>, Error>`.
pub(crate) fn written(code: impl ToTokens) -> String {
    let mut lexemes = Vec::new();
    flatten(code.to_token_stream(), &mut lexemes);
    let mut text = String::new();
    let mut before = "";
    for lexeme in &lexemes {
        if !text.is_empty() && is_gap(before, lexeme) {
            text.push(' ');
        }
        text.push_str(lexeme);
        before = lexeme;
    }
    text
}

/// Takes groups apart and joins `'a`, `::` and `->`.
fn flatten(tokens: TokenStream, lexemes: &mut Vec<String>) {
    let mut joint = false;
    for token in tokens {
        let text = match &token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::None => ("", ""),
                };
                lexemes.push(open.to_owned());
                flatten(group.stream(), lexemes);
                close.to_owned()
            }
            other => other.to_string(),
        };
        match lexemes
            .last_mut()
            .filter(|last| joint && joins(last, &text))
        {
            Some(last) => last.push_str(&text),
            None => lexemes.push(text),
        }
        joint = matches!(&token, TokenTree::Punct(p) if p.spacing() == Spacing::Joint);
    }
}

fn joins(before: &str, after: &str) -> bool {
    matches!((before, after), ("'", _) | (":", ":") | ("-", ">"))
}

/// Whether there is a space between two lexemes of a type.
fn is_gap(before: &str, after: &str) -> bool {
    let word = |text: &str| text.starts_with(|c: char| c.is_alphanumeric() || "_'".contains(c));
    let closes = [",", ";", ")", "]", ">", ":"].contains(&after);
    let infix = |text: &str| ["=", "+", "->"].contains(&text);
    let keyword = ["as", "const", "dyn", "impl", "mut"].contains(&before);
    match before {
        "," | ";" | ":" => true,
        _ if infix(before) || infix(after) => true,
        _ if keyword || before.starts_with('\'') => !closes,
        ">" | ")" => word(after),
        _ => word(before) && word(after),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    fn ident(name: &str) -> Ident {
        syn::parse_str::<Ident>(name)
            .or_else(|_| syn::parse_str(&format!("r#{name}")))
            .expect("an identifier")
    }

    #[test]
    fn methods_give_camel_case_messages() {
        let cases = [
            ("add", "Add"),
            ("add_all", "AddAll"),
            ("get_1", "Get1"),
            ("get1", "Get1"),
            ("_tick", "Tick"),
            ("read__twice", "ReadTwice"),
            ("type", "Type"),
            ("größe_ändern", "GrößeÄndern"),
        ];
        for (method, message) in cases {
            assert_eq!(camel(&ident(method)), message);
        }
    }

    #[test]
    fn a_taken_name_gets_a_number() {
        let taken = Taken::by(quote!(fn put<R: Read>(r: Vec<(R1, u8)>)));
        assert_eq!(taken.free("R"), "R2");
        assert_eq!(taken.free("Q"), "Q");
    }

    #[test]
    fn types_are_written_as_by_hand() {
        let cases = [
            "u64",
            "io::Result<Vec<u8>>",
            "Result<(), Box<dyn Error + Send + Sync>>",
            "[u8; 4]",
            "&'static str",
            "Box<dyn Fn(&str) -> usize + Send>",
            "HashMap<String, (u8, i8)>",
            "<T as Iterator>::Item",
            "Box<dyn for<'a> Call<'a, Output = u8>>",
            "fn(u8) -> u8",
            "&'static mut [u8]",
            "&'static [&'static str]",
            "*const u8",
        ];
        for case in cases {
            let ty: syn::Type = syn::parse_str(case).expect("a type");
            assert_eq!(written(ty), case);
        }
    }
}
