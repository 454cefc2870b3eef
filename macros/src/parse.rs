//! What `#[actor]` stands on, and the marks inside that are its own.

use crate::args::MessageOptions;
use crate::errors::Errors;
use crate::wire;
use proc_macro2::TokenStream;
use syn::punctuated::Punctuated;
use syn::{
    Attribute, DeriveInput, FnArg, ImplItem, Item, ItemImpl, LitStr, Meta, Signature, Token,
};

pub(crate) enum Input {
    /// A struct or enum.
    Type(DeriveInput),
    /// `impl Counter`.
    Block(ItemImpl),
    /// `impl Handler<Tick> for Counter`, or a `LocalHandler`.
    Handler(ItemImpl),
}

impl Input {
    pub(crate) fn read(item: TokenStream) -> syn::Result<Self> {
        let block = match syn::parse2(item)? {
            Item::Struct(item) => return Ok(Self::Type(item.into())),
            Item::Enum(item) => return Ok(Self::Type(item.into())),
            Item::Impl(block) => block,
            Item::Union(item) => {
                let message = "a union can't be an actor: write a struct or an enum";
                return Err(syn::Error::new_spanned(item.union_token, message));
            }
            other => {
                let message = "`#[actor]` goes on a struct, an enum or an impl block";
                return Err(syn::Error::new_spanned(other, message));
            }
        };
        let Some((_, of_trait, _)) = &block.trait_ else {
            return Ok(Self::Block(block));
        };
        let last = of_trait.segments.last();
        if last.is_some_and(|segment| segment.ident == "Handler" || segment.ident == "LocalHandler")
        {
            return Ok(Self::Handler(block));
        }
        let message = "of trait impls, `#[actor]` goes on `impl Handler<M> for ..` only";
        Err(syn::Error::new_spanned(of_trait, message))
    }
}

/// When a hook runs.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum When {
    Start,
    Stop,
    Panic,
    Undelivered,
}

impl When {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Stop => "stop",
            Self::Panic => "panic",
            Self::Undelivered => "undelivered",
        }
    }
}

/// The `#[message(..)]` and `#[on(..)]` of one method.
#[derive(Default)]
pub(crate) struct Marks {
    pub(crate) message: MessageOptions,
    /// The first `#[message]`, if there is one.
    pub(crate) attribute: Option<Attribute>,
    pub(crate) hook: Option<(When, Attribute)>,
    /// What each typed argument says by `#[wire(version = "..")]`.
    pub(crate) versions: Vec<Option<LitStr>>,
}

/// Takes the marks off a block: one entry per method, in order.
pub(crate) fn take_marks(block: &mut ItemImpl, errors: &mut Errors) -> Vec<Marks> {
    let mut all = Vec::new();
    for item in &mut block.items {
        if let ImplItem::Fn(method) = item {
            let mut marks = take(&mut method.attrs, errors);
            marks.versions = take_versions(&mut method.sig, errors);
            all.push(marks);
        }
    }
    all
}

fn take_versions(sig: &mut Signature, errors: &mut Errors) -> Vec<Option<LitStr>> {
    let typed = sig.inputs.iter_mut().filter_map(|input| match input {
        FnArg::Receiver(_) => None,
        FnArg::Typed(typed) => Some(typed),
    });
    typed
        .map(|typed| {
            let is_ours = |attribute: &mut Attribute| attribute.path().is_ident("wire");
            let ours: Vec<_> = typed.attrs.extract_if(.., is_ours).collect();
            wire::version(&ours, errors)
        })
        .collect()
}

fn take(attributes: &mut Vec<Attribute>, errors: &mut Errors) -> Marks {
    let mut marks = Marks::default();
    attributes.retain(|attribute| !is_conditional_mark(attribute, errors));
    let is_mark = |a: &mut Attribute| a.path().is_ident("message") || a.path().is_ident("on");
    for attribute in attributes.extract_if(.., is_mark) {
        if attribute.path().is_ident("on") {
            let step = when(&attribute);
            let when = errors.keep(step);
            // Whatever it was meant to be, it was not meant to be a message.
            marks.message.skip |= when.is_none();
            if marks.hook.is_some() {
                errors.push(&attribute, "one method can't be two hooks");
            }
            marks.hook = marks.hook.or(when.map(|when| (when, attribute)));
        } else {
            marks.attribute.get_or_insert(attribute.clone());
            marks.message.read(attribute, errors);
        }
    }
    marks
}

/// Refuses `#[cfg_attr(.., message(..))]`: which way it goes is not known yet.
fn is_conditional_mark(attribute: &Attribute, errors: &mut Errors) -> bool {
    let parser = Punctuated::<Meta, Token![,]>::parse_terminated;
    let conditional = attribute.path().is_ident("cfg_attr");
    let Some(parts) = conditional.then(|| attribute.parse_args_with(parser)) else {
        return false;
    };
    let is_mark = |meta: &&Meta| meta.path().is_ident("message") || meta.path().is_ident("on");
    let parts = parts.unwrap_or_default();
    let Some(mark) = parts.iter().skip(1).find(is_mark) else {
        return false;
    };
    let message = "this can't be under `cfg_attr`: write the method twice, under opposite `cfg`s";
    errors.push(mark, message);
    true
}

fn when(attribute: &Attribute) -> syn::Result<When> {
    let name: syn::Ident = match &attribute.meta {
        syn::Meta::List(list) => list.parse_args()?,
        other => {
            let message =
                "write `#[on(start)]`, `#[on(stop)]`, `#[on(panic)]` or `#[on(undelivered)]`";
            return Err(syn::Error::new_spanned(other, message));
        }
    };
    match name.to_string().as_str() {
        "start" => Ok(When::Start),
        "stop" => Ok(When::Stop),
        "panic" => Ok(When::Panic),
        "undelivered" => Ok(When::Undelivered),
        _ => {
            let message =
                format!("unknown hook `{name}`; there are `start`, `stop`, `panic`, `undelivered`");
            Err(syn::Error::new_spanned(name, message))
        }
    }
}
