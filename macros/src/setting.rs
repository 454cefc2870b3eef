//! One option in an attribute's parentheses, and the positions that options have.

use crate::errors::Errors;
use crate::names;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, Lit, LitStr, Path, Token, parenthesized, token};

/// Where the library is: `::greenroom`, or what `crate = ".."` says.
#[derive(Clone)]
pub(crate) struct Crate(Path);

impl Default for Crate {
    fn default() -> Self {
        Self(syn::parse_quote!(::greenroom))
    }
}

impl Crate {
    /// The root, whose face the entry points use.
    pub(crate) fn root(&self) -> &Path {
        &self.0
    }

    /// The module with everything else that expansions may name, as if written at `place`.
    pub(crate) fn private(&self, place: Span) -> TokenStream {
        let root = &self.0;
        names::placed(quote!(#root::__private), place)
    }

    pub(crate) fn read(setting: &Setting) -> syn::Result<Self> {
        let path = setting.text("crate = \"path\"")?;
        path.parse().map(Self)
    }
}

/// One option: `key`, `key = value` or `key(paths)`.
pub(crate) struct Setting {
    pub(crate) key: Ident,
    value: Value,
}

enum Value {
    Absent,
    Equal(Box<Expr>),
    List(Punctuated<Path, Token![,]>),
}

impl Parse for Setting {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key = input.call(Ident::parse_any)?;
        let value = if input.parse::<Option<Token![=]>>()?.is_some() {
            Value::Equal(Box::new(input.parse()?))
        } else if input.peek(token::Paren) {
            let list;
            parenthesized!(list in input);
            Value::List(list.parse_terminated(Path::parse_mod_style, Token![,])?)
        } else {
            Value::Absent
        };
        Ok(Self { key, value })
    }
}

impl Setting {
    fn wrong<T>(&self, usage: &str) -> syn::Result<T> {
        let place = match &self.value {
            Value::Equal(value) => value.to_token_stream(),
            Value::List(_) | Value::Absent => self.key.to_token_stream(),
        };
        let message = format!("write `{usage}`");
        Err(syn::Error::new_spanned(place, message))
    }

    /// A bare word.
    pub(crate) fn flag(&self) -> syn::Result<bool> {
        match self.value {
            Value::Absent => Ok(true),
            _ => self.wrong(&self.key.to_string()),
        }
    }

    pub(crate) fn expr(&self, usage: &str) -> syn::Result<Expr> {
        match self.value() {
            Some(value) => Ok(value.clone()),
            None => self.wrong(usage),
        }
    }

    /// A number of what a mailbox `takes`, and `needs` so much of. A literal is checked here, a
    /// constant by the compiler.
    pub(crate) fn count(&self, usage: &str, takes: &str, needs: &str) -> syn::Result<Expr> {
        let value = self.expr(usage)?;
        let refuse = |message| Err(syn::Error::new_spanned(&value, message));
        let number = match &value {
            Expr::Lit(ExprLit {
                lit: Lit::Int(number),
                ..
            }) => number.base10_parse::<usize>().ok(),
            Expr::Lit(_) | Expr::Unary(_) => None,
            _ => return Ok(value),
        };
        match number {
            Some(0) => refuse(format!("a mailbox needs {needs}")),
            Some(_) => Ok(value),
            None => refuse(format!("a mailbox takes a number of {takes}")),
        }
    }

    fn value(&self) -> Option<&Expr> {
        match &self.value {
            Value::Equal(value) => Some(value),
            _ => None,
        }
    }

    pub(crate) fn text(&self, usage: &str) -> syn::Result<LitStr> {
        match self.value() {
            Some(Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            })) => Ok(text.clone()),
            _ => self.wrong(usage),
        }
    }

    pub(crate) fn ident(&self, usage: &str) -> syn::Result<Ident> {
        let path = match self.value() {
            Some(Expr::Path(path)) if path.qself.is_none() => Some(&path.path),
            _ => None,
        };
        match path.and_then(Path::get_ident) {
            Some(ident) => Ok(ident.clone()),
            None => self.wrong(usage),
        }
    }

    pub(crate) fn paths(&self, usage: &str) -> syn::Result<Vec<Path>> {
        match &self.value {
            Value::List(paths) => Ok(paths.iter().cloned().collect()),
            _ => self.wrong(usage),
        }
    }
}

/// A position that takes options.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Place {
    Type,
    Block,
    Handler,
    Method,
    /// `#[wire]` on a type and on a field of it.
    WireType,
    WireField,
}

/// Each option with how it is written, per position.
const ON_TYPE: &[(&str, &str)] = &[
    ("mailbox", "mailbox = 64"),
    ("name", "name = \"..\""),
    ("spawn", "spawn = other_name"),
    ("inline", "inline = never"),
    ("overflow", "overflow = reject"),
    ("mailbox_bytes", "mailbox_bytes = 1_000_000"),
    ("blocking", "blocking"),
    ("local", "local"),
    ("crate", "crate = \"path\""),
];
const ON_BLOCK: &[(&str, &str)] = &[
    ("extend", "extend"),
    ("remote", "remote"),
    ("derive", "derive(..)"),
    ("prefix", "prefix = \"..\""),
    ("fork", "fork"),
    ("local", "local"),
    ("crate", "crate = \"path\""),
];
const ON_HANDLER: &[(&str, &str)] = &[
    ("plain", "plain"),
    ("result", "result"),
    ("inline", "inline = always"),
    ("detached", "detached"),
    ("lane", "lane = urgent"),
    ("overflow", "overflow = reject"),
    ("bytes", "bytes = data.len()"),
    ("crate", "crate = \"path\""),
];
const ON_METHOD: &[(&str, &str)] = &[
    ("skip", "skip"),
    ("name", "name = OtherName"),
    ("method", "method = other_name"),
    ("derive", "derive(..)"),
    ("plain", "plain"),
    ("result", "result"),
    ("inline", "inline = always"),
    ("detached", "detached"),
    ("reentrant", "reentrant"),
    ("lane", "lane = urgent"),
    ("overflow", "overflow = reject"),
    ("bytes", "bytes = data.len()"),
    ("wire", "wire = \"..\""),
];
const ON_WIRE_TYPE: &[(&str, &str)] = &[("crate", "crate = \"path\"")];
const ON_WIRE_FIELD: &[(&str, &str)] = &[("version", "version = \"..\"")];

impl Place {
    const ALL: [Self; 6] = [
        Self::Type,
        Self::Block,
        Self::Method,
        Self::Handler,
        Self::WireField,
        Self::WireType,
    ];

    fn options(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Type => ON_TYPE,
            Self::Block => ON_BLOCK,
            Self::Handler => ON_HANDLER,
            Self::Method => ON_METHOD,
            Self::WireType => ON_WIRE_TYPE,
            Self::WireField => ON_WIRE_FIELD,
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Type => "an actor's type",
            Self::Block => "an actor's impl block",
            Self::Handler => "an `impl Handler` block",
            Self::Method => "a method",
            Self::WireType => "a type",
            Self::WireField => "a field or an argument",
        }
    }

    fn attribute(self) -> &'static str {
        match self {
            Self::Method => "message",
            Self::WireType | Self::WireField => "wire",
            _ => "actor",
        }
    }

    /// How `key` is written here, if it exists here.
    fn usage(self, key: &str) -> Option<&'static str> {
        let found = self.options().iter().find(|(name, _)| *name == key);
        found.map(|(_, usage)| *usage)
    }

    /// What to say about an option that does not exist here.
    fn refusal(self, key: &str) -> String {
        let right = Self::ALL.iter().filter_map(|place| {
            let (usage, noun, attribute) = (place.usage(key)?, place.noun(), place.attribute());
            Some(format!("on {noun}: `#[{attribute}({usage})]`"))
        });
        let right: Vec<_> = right.take(2).collect();
        if !right.is_empty() {
            return format!("`{key}` belongs {}", right.join(", or "));
        }
        let usages = self.options().iter().map(|(_, usage)| format!("`{usage}`"));
        let usages = usages.collect::<Vec<_>>().join(", ");
        format!("unknown option `{key}`; {} takes {usages}", self.noun())
    }

    /// The settings among `tokens` that exist here, each at most once.
    pub(crate) fn settings(self, tokens: TokenStream, errors: &mut Errors) -> Vec<Setting> {
        let parser = Punctuated::<Setting, Token![,]>::parse_terminated;
        let all = errors.keep(parser.parse2(tokens)).unwrap_or_default();
        let mut known: Vec<Setting> = Vec::new();
        for setting in all {
            let key = setting.key.to_string();
            if self.usage(&key).is_none() {
                errors.push(&setting.key, self.refusal(&key));
            } else if known.iter().any(|other| other.key == setting.key) {
                errors.push(&setting.key, format!("`{key}` is given twice"));
            } else {
                known.push(setting);
            }
        }
        known
    }
}
