//! The options of each attribute, by position.

use crate::errors::Errors;
use crate::policy::{Overflow, Policy};
use crate::setting::{Crate, Place, Setting};
use proc_macro2::{Ident, TokenStream};
use syn::{Expr, LitStr, Path};

/// The options of `#[actor]` on a struct or enum.
#[derive(Default)]
pub(crate) struct TypeOptions {
    pub(crate) mailbox: Option<Expr>,
    pub(crate) name: Option<LitStr>,
    pub(crate) spawn: Option<Ident>,
    pub(crate) inline: Option<Ident>,
    pub(crate) overflow: Option<Overflow>,
    pub(crate) mailbox_bytes: Option<Expr>,
    pub(crate) blocking: bool,
    pub(crate) local: bool,
    pub(crate) root: Crate,
}

impl TypeOptions {
    pub(crate) fn read(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut options = Self::default();
        for setting in Place::Type.settings(tokens, errors) {
            let step = options.set(&setting);
            errors.keep(step);
        }
        options
    }

    fn set(&mut self, setting: &Setting) -> syn::Result<()> {
        match setting.key.to_string().as_str() {
            "mailbox" => {
                let slots = setting.count("mailbox = 64", "slots", "at least one slot")?;
                self.mailbox = Some(slots);
            }
            "name" => self.name = Some(setting.text("name = \"..\"")?),
            "spawn" => self.spawn = Some(setting.ident("spawn = other_name")?),
            "inline" => self.inline = Some(inline(setting, &["never"])?),
            "overflow" => self.overflow = Some(Overflow::read(setting, false)?),
            "mailbox_bytes" => {
                let (usage, needs) = ("mailbox_bytes = 1_000_000", "room for at least one byte");
                self.mailbox_bytes = Some(setting.count(usage, "bytes", needs)?);
            }
            "blocking" => self.blocking = setting.flag()?,
            "local" => self.local = setting.flag()?,
            _ => self.root = Crate::read(setting)?,
        }
        Ok(())
    }
}

/// The variant of `Inline` that an option names.
fn inline(setting: &Setting, choices: &[&str]) -> syn::Result<Ident> {
    let usages = choices.iter().map(|choice| format!("inline = {choice}"));
    let usage = usages.collect::<Vec<_>>().join("` or `");
    let choice = setting.ident(&usage)?;
    let variant = match choice.to_string() {
        chosen if !choices.contains(&chosen.as_str()) => {
            return Err(syn::Error::new_spanned(choice, format!("write `{usage}`")));
        }
        chosen if chosen == "always" => "Always",
        _ => "Never",
    };
    Ok(Ident::new(variant, choice.span()))
}

/// Whether a reply is taken apart into ok and error.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Shape {
    Plain,
    Fallible,
}

/// The options of `#[actor]` on an impl block.
#[derive(Default)]
pub(crate) struct BlockOptions {
    pub(crate) extend: bool,
    /// The word itself.
    pub(crate) remote: Option<Ident>,
    pub(crate) derives: Vec<Path>,
    pub(crate) prefix: Option<LitStr>,
    pub(crate) fork: Option<Fork>,
    /// The word itself.
    pub(crate) local: Option<Ident>,
    pub(crate) root: Crate,
}

/// `fork`, and what a fork has of the actor.
#[derive(Clone)]
pub(crate) struct Fork {
    /// The word itself.
    pub(crate) word: Ident,
    /// The variant of `Grade`, if one is named.
    pub(crate) grade: Option<Ident>,
}

impl Fork {
    fn read(setting: &Setting) -> syn::Result<Self> {
        let grade = match setting.flag() {
            Ok(_) => None,
            Err(_) => {
                let usage = "fork`, `fork = shared` or `fork = refuse";
                let choice = setting.ident(usage)?;
                let variant = match choice.to_string().as_str() {
                    "shared" => "Shared",
                    "refuse" => "Refuse",
                    _ => return Err(syn::Error::new_spanned(choice, format!("write `{usage}`"))),
                };
                Some(Ident::new(variant, choice.span()))
            }
        };
        let word = setting.key.clone();
        Ok(Self { word, grade })
    }
}

impl BlockOptions {
    pub(crate) fn read(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut options = Self::default();
        for setting in Place::Block.settings(tokens, errors) {
            let step = options.set(&setting);
            errors.keep(step);
        }
        options
    }

    fn set(&mut self, setting: &Setting) -> syn::Result<()> {
        match setting.key.to_string().as_str() {
            "extend" => self.extend = setting.flag()?,
            "remote" => self.remote = setting.flag()?.then(|| setting.key.clone()),
            "derive" => self.derives = setting.paths("derive(..)")?,
            "prefix" => self.prefix = Some(prefix(setting.text("prefix = \"..\"")?)?),
            "fork" => self.fork = Some(Fork::read(setting)?),
            "local" => self.local = setting.flag()?.then(|| setting.key.clone()),
            _ => self.root = Crate::read(setting)?,
        }
        Ok(())
    }
}

fn prefix(text: LitStr) -> syn::Result<LitStr> {
    let value = text.value();
    if value.is_empty() || syn::parse_str::<Ident>(&value).is_ok() {
        return Ok(text);
    }
    let message = "a prefix is the start of a type's name, or empty";
    Err(syn::Error::new_spanned(text, message))
}

/// The options of `#[actor]` on `impl Handler<M> for ..`.
#[derive(Default)]
pub(crate) struct HandlerOptions {
    pub(crate) shape: Option<Shape>,
    pub(crate) inline: Option<Ident>,
    pub(crate) detached: bool,
    pub(crate) policy: Policy,
    pub(crate) root: Crate,
}

impl HandlerOptions {
    pub(crate) fn read(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut options = Self::default();
        for setting in Place::Handler.settings(tokens, errors) {
            let step = options.set(&setting);
            errors.keep(step);
        }
        options
    }

    fn set(&mut self, setting: &Setting) -> syn::Result<()> {
        match setting.key.to_string().as_str() {
            "crate" => self.root = Crate::read(setting)?,
            "detached" => self.detached = setting.flag()?,
            "inline" => self.inline = Some(inline(setting, &["always", "never"])?),
            _ if self.policy.set(setting)? => {}
            _ => set_shape(&mut self.shape, setting)?,
        }
        Ok(())
    }
}

fn set_shape(shape: &mut Option<Shape>, setting: &Setting) -> syn::Result<()> {
    setting.flag()?;
    if shape.is_some() {
        let message = "a reply is either `plain` or `result`";
        return Err(syn::Error::new_spanned(&setting.key, message));
    }
    *shape = Some(match setting.key == "plain" {
        true => Shape::Plain,
        false => Shape::Fallible,
    });
    Ok(())
}

/// The options of `#[message]` on a method.
#[derive(Default)]
pub(crate) struct MessageOptions {
    /// `#[message]` without options: the argument is itself the message.
    pub(crate) foreign: Option<syn::Attribute>,
    pub(crate) skip: bool,
    pub(crate) name: Option<Ident>,
    pub(crate) method: Option<Ident>,
    pub(crate) derives: Vec<Path>,
    pub(crate) shape: Option<Shape>,
    pub(crate) inline: Option<Ident>,
    pub(crate) detached: bool,
    /// The word itself.
    pub(crate) reentrant: Option<Ident>,
    pub(crate) policy: Policy,
    /// Its name on the wire.
    pub(crate) wire: Option<LitStr>,
}

impl MessageOptions {
    pub(crate) fn read(&mut self, attribute: syn::Attribute, errors: &mut Errors) {
        let tokens = match &attribute.meta {
            syn::Meta::Path(_) => {
                self.foreign = Some(attribute);
                return;
            }
            syn::Meta::List(list) => list.tokens.clone(),
            syn::Meta::NameValue(_) => {
                errors.push(&attribute, "write `#[message(..)]`");
                return;
            }
        };
        for setting in Place::Method.settings(tokens, errors) {
            let step = self.set(&setting);
            errors.keep(step);
        }
    }

    fn set(&mut self, setting: &Setting) -> syn::Result<()> {
        match setting.key.to_string().as_str() {
            "skip" => self.skip = setting.flag()?,
            "name" => self.name = Some(setting.ident("name = OtherName")?),
            "method" => self.method = Some(setting.ident("method = other_name")?),
            "derive" => self.derives = setting.paths("derive(..)")?,
            "detached" => self.detached = setting.flag()?,
            "reentrant" => self.reentrant = setting.flag()?.then(|| setting.key.clone()),
            "inline" => self.inline = Some(inline(setting, &["always", "never"])?),
            "wire" => self.wire = Some(setting.text("wire = \"..\"")?),
            _ if self.policy.set(setting)? => {}
            _ => set_shape(&mut self.shape, setting)?,
        }
        Ok(())
    }
}
