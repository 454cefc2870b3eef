//! What a message asks of its actor's mailbox, as options say it.

use crate::setting::Setting;
use proc_macro2::Ident;
use syn::punctuated::Punctuated;
use syn::{Expr, ExprCall, Token};

/// `overflow`, `lane` and `bytes` of a message.
#[derive(Default)]
pub(crate) struct Policy {
    /// A variant of `Lane`.
    pub(crate) lane: Option<Ident>,
    pub(crate) overflow: Option<Overflow>,
    pub(crate) bytes: Option<Expr>,
}

/// What becomes of a message that does not fit.
pub(crate) struct Overflow {
    /// A variant of `Overflow`.
    pub(crate) variant: Ident,
    /// What a later message has in common with the one that it replaces.
    pub(crate) key: Punctuated<Expr, Token![,]>,
}

/// Each overflow with its variant.
const OVERFLOWS: &[(&str, &str)] = &[
    ("wait", "Wait"),
    ("reject", "Reject"),
    ("drop_newest", "DropNewest"),
    ("drop_oldest", "DropOldest"),
    ("latest", "Latest"),
];

const LANES: &[(&str, &str)] = &[
    ("urgent", "Urgent"),
    ("normal", "Normal"),
    ("background", "Background"),
];

impl Policy {
    /// Takes a setting, if it is one of these.
    pub(crate) fn set(&mut self, setting: &Setting) -> syn::Result<bool> {
        match setting.key.to_string().as_str() {
            "overflow" => self.overflow = Some(Overflow::read(setting, true)?),
            "lane" => self.lane = Some(lane(setting)?),
            "bytes" => self.bytes = Some(setting.expr("bytes = data.len()")?),
            _ => return Ok(false),
        }
        Ok(true)
    }
}

impl Overflow {
    /// One of the words; `latest(user)` where a message is at hand.
    pub(crate) fn read(setting: &Setting, keyed: bool) -> syn::Result<Self> {
        let words: Vec<_> = OVERFLOWS.iter().map(|(word, _)| *word).collect();
        let latest = if keyed { "(argument)`" } else { "`" };
        let usage = format!("overflow = {}{latest}", words.join("` or `"));
        let usage = usage.trim_end_matches('`');
        let value = setting.expr(usage)?;
        let (name, key) = match &value {
            Expr::Call(ExprCall { func, args, .. }) if keyed => (&**func, args.clone()),
            value => (value, Punctuated::new()),
        };
        let name = match name {
            Expr::Path(path) => path.path.get_ident(),
            _ => None,
        };
        let found = name.and_then(|name| variant(name, OVERFLOWS));
        match found {
            Some(variant) if key.is_empty() || variant == "Latest" => Ok(Self { variant, key }),
            _ => Err(syn::Error::new_spanned(value, format!("write `{usage}`"))),
        }
    }
}

fn lane(setting: &Setting) -> syn::Result<Ident> {
    let words: Vec<_> = LANES.iter().map(|(word, _)| *word).collect();
    let usage = format!("lane = {}", words.join("` or `"));
    let name = setting.ident(&usage)?;
    variant(&name, LANES).ok_or_else(|| syn::Error::new_spanned(name, format!("write `{usage}`")))
}

fn variant(name: &Ident, table: &[(&str, &str)]) -> Option<Ident> {
    let (_, variant) = table.iter().find(|(word, _)| name == word)?;
    Some(Ident::new(variant, name.span()))
}
