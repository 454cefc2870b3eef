//! The names that an expansion adds, and types as a reader writes them.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
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
    let mut text = String::new();
    let mut last = String::new();
    write_tokens(code.to_token_stream(), &mut text, &mut last);
    text
}

fn write_tokens(tokens: TokenStream, text: &mut String, last: &mut String) {
    use proc_macro2::Delimiter::{Brace, Bracket, None, Parenthesis};
    for token in tokens {
        if let TokenTree::Group(group) = token {
            let (open, close) = match group.delimiter() {
                Parenthesis => ("(", ")"),
                Bracket => ("[", "]"),
                Brace => ("{", "}"),
                None => ("", ""),
            };
            push(open, text, last);
            write_tokens(group.stream(), text, last);
            push(close, text, last);
        } else {
            push(&token.to_string(), text, last);
        }
    }
}

fn push(token: &str, text: &mut String, last: &mut String) {
    let word = |s: &str| s.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '\'');
    let after = matches!(last.as_str(), "," | ";" | "=" | "+" | "->");
    let before = matches!(token, "=" | "+" | "-");
    let opens = matches!(last.as_str(), ">" | ")") && word(token);
    let words =
        word(last) && (word(token) || (last.starts_with('\'') && token != "," && token != ">"));
    let joins_arrow = last == "-" && token == ">";
    if !joins_arrow && !text.is_empty() && (after || before || words || opens) {
        text.push(' ');
    }
    text.push_str(token);
    *last = if joins_arrow {
        "->".to_owned()
    } else {
        token.to_owned()
    };
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
        ];
        for case in cases {
            let ty: syn::Type = syn::parse_str(case).expect("a type");
            assert_eq!(written(ty), case);
        }
    }
}
