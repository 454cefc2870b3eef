//! Which of a user's attributes go on to what is generated for the item.

use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Token, parse_quote};

#[derive(Clone, Default)]
pub(crate) struct Copied {
    pub(crate) cfgs: Vec<Attribute>,
    pub(crate) docs: Vec<Attribute>,
    /// `#[doc(hidden)]` and its like.
    pub(crate) doc_flags: Vec<Attribute>,
    /// `allow`, `warn`, `deny`, and `expect` as `allow`: what is expected of the method need not
    /// hold for the items made from it.
    pub(crate) lints: Vec<Attribute>,
    pub(crate) deprecated: Vec<Attribute>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Cfg,
    Doc,
    DocFlag,
    Lint,
    Deprecated,
}

impl Copied {
    pub(crate) fn of(attributes: &[Attribute]) -> Self {
        let mut copied = Self::default();
        for attribute in attributes {
            let Some((kind, meta)) = classify(&attribute.meta) else {
                continue;
            };
            copied.list(kind).push(parse_quote!(#[#meta]));
        }
        copied
    }

    fn list(&mut self, kind: Kind) -> &mut Vec<Attribute> {
        match kind {
            Kind::Cfg => &mut self.cfgs,
            Kind::Doc => &mut self.docs,
            Kind::DocFlag => &mut self.doc_flags,
            Kind::Lint => &mut self.lints,
            Kind::Deprecated => &mut self.deprecated,
        }
    }

    /// The docs up to the first empty line, if they are plain text.
    pub(crate) fn summary(&self) -> Vec<Attribute> {
        let text = |doc: &&Attribute| doc_text(doc).is_some_and(|text| !text.trim().is_empty());
        self.docs.iter().take_while(text).cloned().collect()
    }

    /// Links to items of `Self` become links to those of `owner`, since elsewhere there is another
    /// `Self`.
    pub(crate) fn relink(&mut self, owner: &str) {
        for doc in &mut self.docs {
            let Some(text) = doc_text(doc).filter(|text| text.contains("Self::")) else {
                continue;
            };
            let text = ["[`", "[", "("].iter().fold(text, |text, open| {
                text.replace(&format!("{open}Self::"), &format!("{open}{owner}::"))
            });
            *doc = parse_quote!(#[doc = #text]);
        }
    }
}

/// The text of a doc comment's line.
fn doc_text(attribute: &Attribute) -> Option<String> {
    let syn::Expr::Lit(literal) = &attribute.meta.require_name_value().ok()?.value else {
        return None;
    };
    match &literal.lit {
        syn::Lit::Str(text) => Some(text.value()),
        _ => None,
    }
}

/// The kind of an attribute that is copied, and the copy.
fn classify(meta: &Meta) -> Option<(Kind, Meta)> {
    let kind = match meta.path().get_ident()?.to_string().as_str() {
        "cfg" => Kind::Cfg,
        "doc" if meta.require_list().is_ok() => Kind::DocFlag,
        "doc" => Kind::Doc,
        "allow" | "warn" | "deny" => Kind::Lint,
        "deprecated" => Kind::Deprecated,
        "expect" => {
            let lints = &meta.require_list().ok()?.tokens;
            return Some((Kind::Lint, parse_quote!(allow(#lints))));
        }
        "cfg_attr" => return conditional(meta),
        _ => return None,
    };
    Some((kind, meta.clone()))
}

/// A `cfg_attr` is copied if all that it may turn into is copied, and is of one kind.
fn conditional(meta: &Meta) -> Option<(Kind, Meta)> {
    let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
    let list = meta.require_list().ok()?.parse_args_with(parser).ok()?;
    let mut parts = list.iter();
    let condition = parts.next()?;
    let inner: Vec<(Kind, Meta)> = parts.map(classify).collect::<Option<_>>()?;
    let kind = inner.first()?.0;
    if inner.iter().any(|(other, _)| *other != kind) {
        return None;
    }
    let metas = inner.iter().map(|(_, meta)| meta);
    Some((kind, parse_quote!(cfg_attr(#condition, #(#metas),*))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::ToTokens;

    fn copied(attributes: &[Attribute]) -> Vec<String> {
        let copied = Copied::of(attributes);
        let lists = [copied.cfgs, copied.docs, copied.lints, copied.deprecated];
        let text = |a: Attribute| a.to_token_stream().to_string().replace(' ', "");
        lists.into_iter().flatten().map(text).collect()
    }

    #[test]
    fn expect_becomes_allow() {
        let found = copied(&[parse_quote!(#[expect(dead_code)])]);
        assert_eq!(found, ["#[allow(dead_code)]"]);
    }

    #[test]
    fn what_is_about_the_body_stays_on_the_method() {
        let attributes = [
            parse_quote!(#[inline]),
            parse_quote!(#[tracing::instrument]),
            parse_quote!(#[cfg_attr(test, inline)]),
            parse_quote!(#[cfg_attr(test, allow(unused), inline)]),
        ];
        assert!(copied(&attributes).is_empty());
    }

    #[test]
    fn a_conditional_attribute_is_copied_as_what_it_holds() {
        let attribute = parse_quote!(#[cfg_attr(test, expect(unused), deny(warnings))]);
        let found = copied(&[attribute]);
        assert_eq!(found, ["#[cfg_attr(test,allow(unused),deny(warnings))]"]);
    }

    #[test]
    fn links_to_self_become_links_to_the_actor() {
        let attributes = [parse_quote!(#[doc = " See [`Self::get`], [it](Self::x), `Self::y`."])];
        let mut copied = Copied::of(&attributes);
        copied.relink("Counter");
        let text = doc_text(&copied.docs[0]);
        let expected = " See [`Counter::get`], [it](Counter::x), `Self::y`.";
        assert_eq!(text.as_deref(), Some(expected));
    }

    #[test]
    fn the_summary_ends_at_the_first_empty_line() {
        let attributes: [Attribute; 3] = [
            parse_quote!(#[doc = " Adds."]),
            parse_quote!(#[doc = ""]),
            parse_quote!(#[doc = " More."]),
        ];
        assert_eq!(Copied::of(&attributes).summary().len(), 1);
    }
}
