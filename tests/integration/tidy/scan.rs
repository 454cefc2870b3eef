//! A walk over a file's tokens, those inside macro calls included; comments and strings are not
//! code and never mistaken for it.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use super::tree::Source;

/// One token among its neighbours.
pub(super) struct Spot<'a> {
    trees: &'a [TokenTree],
    at: usize,
    /// The inline modules around it, outermost first.
    pub(super) modules: &'a [String],
    /// Whether it is inside a `quote!` or one of its kin: code that is made for somebody else.
    pub(super) is_quoted: bool,
}

/// What the walk knows of where it is.
#[derive(Default)]
struct Place {
    modules: Vec<String>,
    quotes: usize,
}

impl Spot<'_> {
    pub(super) fn line(&self) -> usize {
        self.trees[self.at].span().start().line
    }

    fn tree(&self, offset: isize) -> Option<&TokenTree> {
        self.trees.get(self.at.checked_add_signed(offset)?)
    }

    /// The identifier that stands `offset` tokens further on.
    pub(super) fn ident(&self, offset: isize) -> Option<String> {
        match self.tree(offset)? {
            TokenTree::Ident(ident) => Some(ident.to_string()),
            _ => None,
        }
    }

    pub(super) fn is_ident(&self, offset: isize, name: &str) -> bool {
        matches!(self.tree(offset), Some(TokenTree::Ident(ident)) if *ident == name)
    }

    pub(super) fn is_punct(&self, offset: isize, sign: char) -> bool {
        matches!(self.tree(offset), Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
    }

    /// Whether a `::` starts `offset` tokens further on.
    pub(super) fn is_path_sep(&self, offset: isize) -> bool {
        self.is_punct(offset, ':') && self.is_punct(offset + 1, ':')
    }

    pub(super) fn group(&self, offset: isize, delimiter: Delimiter) -> Option<&Group> {
        match self.tree(offset)? {
            TokenTree::Group(group) if group.delimiter() == delimiter => Some(group),
            _ => None,
        }
    }

    /// The attribute whose `#` stands here, as `#[..]` or `#![..]`.
    pub(super) fn attribute(&self) -> Option<&Group> {
        if !self.is_punct(0, '#') {
            return None;
        }
        let inner = isize::from(self.is_punct(1, '!'));
        self.group(1 + inner, Delimiter::Bracket)
    }

    /// The first brace group from here on, unless a `;` comes before it.
    pub(super) fn body(&self) -> Option<&Group> {
        (1..)
            .take_while(|&offset| self.tree(offset).is_some() && !self.is_punct(offset, ';'))
            .find_map(|offset| self.group(offset, Delimiter::Brace))
    }

    /// Its number among its neighbours, from 0.
    pub(super) fn place(&self) -> usize {
        self.at
    }
}

/// Calls `visit` for each token of the file; a file that does not lex has none.
pub(super) fn each_token(source: &Source, mut visit: impl FnMut(&Spot<'_>)) {
    if let Ok(stream) = source.tokens() {
        walk(stream, &mut Place::default(), &mut visit);
    }
}

fn walk(stream: TokenStream, place: &mut Place, visit: &mut impl FnMut(&Spot<'_>)) {
    let trees: Vec<TokenTree> = stream.into_iter().collect();
    for at in 0..trees.len() {
        let spot = Spot {
            trees: &trees,
            at,
            modules: &place.modules,
            is_quoted: place.quotes > 0,
        };
        visit(&spot);
        let TokenTree::Group(group) = &trees[at] else {
            continue;
        };
        let name = spot.ident(-1).filter(|_| spot.is_ident(-2, "mod"));
        let quote = usize::from(is_quote(&spot));
        let depth = place.modules.len();
        place.modules.extend(name);
        place.quotes += quote;
        walk(group.stream(), place, visit);
        place.quotes -= quote;
        place.modules.truncate(depth);
    }
}

/// Whether the group at this spot belongs to a `quote!`, `quote_spanned!`, `parse_quote!`, ...
fn is_quote(spot: &Spot<'_>) -> bool {
    let name = spot.ident(-2).filter(|_| spot.is_punct(-1, '!'));
    name.is_some_and(|name| name.trim_start_matches("parse_").starts_with("quote"))
}

/// All identifiers in a stream, those in groups included.
pub(super) fn idents(stream: TokenStream) -> Vec<String> {
    let mut found = Vec::new();
    walk(stream, &mut Place::default(), &mut |spot| {
        found.extend(spot.ident(0));
    });
    found
}

#[test]
fn the_walk_enters_groups_and_knows_inline_modules() {
    let source = Source::new("src/a.rs", "mod outer {\n  mod inner { f!(here) }\n}\nhere");
    let mut seen = Vec::new();
    each_token(&source, |spot| {
        if spot.is_ident(0, "here") {
            seen.push((spot.line(), spot.modules.join("::")));
        }
    });
    let expected = vec![(2, "outer::inner".to_owned()), (4, String::new())];
    assert_eq!(seen, expected);
}

#[test]
fn the_walk_knows_what_is_quoted() {
    let text = "here; quote!(here { here }); parse_quote_spanned! { s => here } f!(here)";
    let mut quoted = Vec::new();
    each_token(&Source::new("src/a.rs", text), |spot| {
        if spot.is_ident(0, "here") {
            quoted.push(spot.is_quoted);
        }
    });
    assert_eq!(quoted, [false, true, true, true, false]);
}

#[test]
fn every_rust_file_lexes() {
    for source in super::tree::rust() {
        if let Err(error) = source.tokens() {
            panic!("{} is passed over by every rule: {error}", source.path);
        }
    }
}
