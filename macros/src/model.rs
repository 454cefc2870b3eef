//! An impl block as the later steps see it. The user's tokens are kept, so that errors of these
//! steps and of rustc fall on them.

use crate::args::{BlockOptions, Fork, Shape};
use crate::attrs::Copied;
use crate::expand::Terms;
use crate::names::{self, Taken};
use crate::parse::{Marks, When};
use crate::policy::Policy;
use crate::setting::Crate;
use crate::walk::{self, MakeStatic, ReplaceSelf, Streaming};
use proc_macro2::{Ident, Span};
use quote::{ToTokens, format_ident};
use syn::spanned::Spanned;
use syn::visit_mut::VisitMut;
use syn::{
    Attribute, FnArg, GenericParam, Generics, ImplItem, ImplItemFn, ItemImpl, LitStr, Pat, Path,
    ReturnType, Signature, Type, Visibility, parse_quote,
};

pub(crate) struct Block {
    pub(crate) root: Crate,
    /// What stands on the block and holds for everything made from it.
    pub(crate) copied: Copied,
    pub(crate) generics: Generics,
    pub(crate) actor: Type,
    /// The handle with the route as its last argument.
    pub(crate) handle: Path,
    pub(crate) route: Ident,
    pub(crate) extend: bool,
    /// Its messages go to other processes, too.
    pub(crate) remote: bool,
    pub(crate) fork: Option<Fork>,
    /// The word that says that it need not be `Send`.
    pub(crate) local: Option<Ident>,
    pub(crate) messages: Vec<Message>,
    pub(crate) hooks: Vec<Hook>,
}

/// A method with a receiver.
pub(crate) struct Message {
    pub(crate) copied: Copied,
    pub(crate) vis: Visibility,
    /// As written.
    pub(crate) sig: Signature,
    pub(crate) generics: Generics,
    /// The type made for it, unless it is foreign.
    pub(crate) name: Ident,
    /// The mark that says that the argument is itself the message.
    pub(crate) foreign: Option<Attribute>,
    /// The method on the handle.
    pub(crate) call: Ident,
    pub(crate) derives: Vec<Path>,
    pub(crate) arguments: Vec<Argument>,
    pub(crate) reply: Type,
    /// The reply is one of the streams that `ReplyStream<T>` stands for.
    pub(crate) stream: Option<Streaming>,
    pub(crate) shape: Shape,
    /// What was chosen for its asks, if anything.
    pub(crate) inline: Option<Ident>,
    /// It runs although its asker has gone.
    pub(crate) detached: bool,
    /// The word that says that it runs beside others.
    pub(crate) reentrant: Option<Ident>,
    pub(crate) policy: Policy,
    /// Its name on the wire, if it was given.
    pub(crate) wire: Option<LitStr>,
    /// An error was found in it: only its outside is generated.
    pub(crate) broken: bool,
    /// Its name on the handle is refused, so it has no method there.
    pub(crate) hidden: bool,
}

pub(crate) struct Hook {
    pub(crate) when: When,
    pub(crate) mark: Attribute,
    pub(crate) copied: Copied,
    pub(crate) sig: Signature,
    pub(crate) arguments: Vec<Argument>,
}

pub(crate) struct Argument {
    pub(crate) cfgs: Vec<Attribute>,
    /// The field of the message that it is; `None` for the context.
    pub(crate) field: Option<(Ident, Type)>,
    /// Stands for its type in a fingerprint.
    pub(crate) version: Option<LitStr>,
}

impl Argument {
    pub(crate) fn is_context(&self) -> bool {
        self.field.is_none()
    }
}

impl Message {
    pub(crate) fn fields(&self) -> impl Iterator<Item = (&[Attribute], &Ident, &Type)> {
        self.arguments.iter().filter_map(|argument| {
            let (name, ty) = argument.field.as_ref()?;
            Some((argument.cfgs.as_slice(), name, ty))
        })
    }

    pub(crate) fn is_async(&self) -> bool {
        self.sig.asyncness.is_some()
    }

    /// Whether it leaves the state as it is, as far as its receiver says.
    pub(crate) fn reads(&self) -> bool {
        let receiver = self.sig.receiver().map(|receiver| &*receiver.ty);
        matches!(receiver, Some(Type::Reference(borrow)) if borrow.mutability.is_none())
    }

    /// Where rustc's own errors about the message fall: the method's name.
    pub(crate) fn span(&self) -> Span {
        names::at(self.sig.ident.span())
    }
}

impl Block {
    /// `None` if the block's type can't be an actor; the check says why.
    pub(crate) fn new(block: &ItemImpl, marks: Vec<Marks>, options: &BlockOptions) -> Option<Self> {
        let mut generics = block.generics.clone();
        let mut actor = walk::bare(&block.self_ty).clone();
        let lifetimes = take_lifetimes(&mut generics);
        let mut make_static = MakeStatic::These(lifetimes);
        make_static.visit_generics_mut(&mut generics);
        make_static.visit_type_mut(&mut actor);
        ReplaceSelf(&actor).visit_generics_mut(&mut generics);
        let mut taken = taken(block);
        let route = taken.free("R");
        let handle = handle(&actor, &route)?;
        let mut this = Self {
            root: options.root.clone(),
            copied: Copied::of(&block.attrs),
            generics,
            actor,
            handle,
            route,
            extend: options.extend,
            remote: options.remote.is_some() && !options.extend && cfg!(feature = "remote"),
            fork: options.fork.clone(),
            local: options.local.clone(),
            messages: Vec::new(),
            hooks: Vec::new(),
        };
        for (method, marks) in methods(block).zip(marks) {
            this.add(method, marks, options, &mut make_static);
        }
        // A message may have taken the name, in a block without a prefix or by an option.
        for message in &this.messages {
            taken.add(&message.name);
        }
        this.route = taken.free("R");
        this.handle = self::handle(&this.actor, &this.route)?;
        Some(this)
    }

    fn add(
        &mut self,
        method: &ImplItemFn,
        marks: Marks,
        options: &BlockOptions,
        make_static: &mut MakeStatic,
    ) {
        let mut sig = method.sig.clone();
        make_static.visit_signature_mut(&mut sig);
        let mut copied = Copied::of(&method.attrs);
        copied.relink(&owner(&self.actor));
        let arguments = self.arguments(&sig, marks.versions);
        if let Some((when, mark)) = marks.hook {
            let hook = Hook {
                when,
                mark,
                copied,
                sig: method.sig.clone(),
                arguments,
            };
            self.hooks.push(hook);
            return;
        }
        if method.sig.receiver().is_none() || marks.message.skip {
            return;
        }
        let mut generics = sig.generics.clone();
        let mut reply = reply(&sig);
        ReplaceSelf(&self.actor).visit_generics_mut(&mut generics);
        ReplaceSelf(&self.actor).visit_type_mut(&mut reply);
        let stream = self.stream(&mut reply);
        let marks = marks.message;
        let derives = options.derives.iter().chain(&marks.derives).cloned();
        self.messages.push(Message {
            copied,
            vis: method.vis.clone(),
            generics,
            name: marks
                .name
                .unwrap_or_else(|| self.message_name(&sig.ident, options)),
            foreign: marks.foreign,
            call: marks.method.unwrap_or_else(|| sig.ident.clone()),
            derives: derives.collect(),
            arguments,
            shape: marks.shape.unwrap_or_else(|| shape(&reply)),
            inline: marks.inline,
            detached: marks.detached,
            reentrant: marks.reentrant,
            policy: marks.policy,
            wire: marks.wire,
            reply,
            stream,
            sig: method.sig.clone(),
            broken: false,
            hidden: false,
        });
    }

    /// What its expansion names, as if written at `place`.
    pub(crate) fn terms(&self, place: Span) -> Terms {
        Terms::new(self.root.private(place), place, self.local.is_some())
    }

    /// Of an `impl Stream<Item = T>` the asker gets a `ReplyStream<T>`.
    fn stream(&self, reply: &mut Type) -> Option<Streaming> {
        let stream = walk::streaming(reply)?;
        let item = stream.item.as_ref()?;
        let private = self.root.private(span_of(reply));
        *reply = syn::parse_quote_spanned!(span_of(item)=> #private::ReplyStream<#item>);
        Some(stream)
    }

    fn message_name(&self, method: &Ident, options: &BlockOptions) -> Ident {
        let prefix = match (&options.prefix, walk::last_name(&self.actor)) {
            (Some(prefix), _) => prefix.value(),
            (None, Some(actor)) => actor.to_string(),
            (None, None) => String::new(),
        };
        let name = format!(
            "{}{}",
            prefix.trim_start_matches("r#"),
            names::camel(method)
        );
        format_ident!("{name}", span = method.span())
    }

    fn arguments(&self, sig: &Signature, versions: Vec<Option<LitStr>>) -> Vec<Argument> {
        let typed = sig.inputs.iter().filter_map(|input| match input {
            FnArg::Receiver(_) => None,
            FnArg::Typed(typed) => Some(typed),
        });
        typed
            .zip(versions)
            .enumerate()
            .map(|(nth, (typed, version))| {
                let field = (!walk::is_context(&typed.ty)).then(|| {
                    let mut ty = (*typed.ty).clone();
                    ReplaceSelf(&self.actor).visit_type_mut(&mut ty);
                    (argument_name(&typed.pat, nth), ty)
                });
                let cfgs = Copied::of(&typed.attrs).cfgs;
                Argument {
                    cfgs,
                    field,
                    version,
                }
            })
            .collect()
    }
}

/// The actor's path without its arguments, as docs link to it.
fn owner(actor: &Type) -> String {
    let Type::Path(path) = actor else {
        return String::new();
    };
    let names = path
        .path
        .segments
        .iter()
        .map(|segment| segment.ident.to_string());
    names.collect::<Vec<_>>().join("::")
}

/// The methods of a block, in order.
pub(crate) fn methods(block: &ItemImpl) -> impl Iterator<Item = &ImplItemFn> {
    block.items.iter().filter_map(|item| match item {
        ImplItem::Fn(method) => Some(method),
        _ => None,
    })
}

/// The names in a block's head and its methods' signatures: an added name must be none of them.
fn taken(block: &ItemImpl) -> Taken {
    let (generics, ty) = (&block.generics, &block.self_ty);
    let bounds = &block.generics.where_clause;
    let sigs = methods(block).map(|method| &method.sig);
    Taken::by(quote::quote!(#generics #ty #bounds #(#sigs)*))
}

/// Takes the lifetime parameters out: an actor is `'static`, so the expansion takes them for that.
pub(crate) fn take_lifetimes(generics: &mut Generics) -> Vec<syn::Lifetime> {
    let lifetimes = generics.lifetimes().map(|param| param.lifetime.clone());
    let lifetimes: Vec<_> = lifetimes.collect();
    let params = std::mem::take(&mut generics.params).into_iter();
    generics.params = params
        .filter(|param| !matches!(param, GenericParam::Lifetime(_)))
        .collect();
    lifetimes
}

/// `model::Job<K>` gives `model::JobHandle<K, R>`.
fn handle(actor: &Type, route: &Ident) -> Option<Path> {
    let Type::Path(path) = actor else {
        return None;
    };
    if path.qself.is_some() {
        return None;
    }
    let mut path = path.path.clone();
    let last = path.segments.last_mut()?;
    last.ident = names::handle(&last.ident);
    match &mut last.arguments {
        syn::PathArguments::None => {
            last.arguments = syn::PathArguments::AngleBracketed(parse_quote!(<#route>));
        }
        syn::PathArguments::AngleBracketed(list) => {
            let lifetime = |arg: &_| matches!(arg, syn::GenericArgument::Lifetime(_));
            let others = list.args.iter().filter(|arg| !lifetime(arg)).cloned();
            list.args = others.collect();
            list.args.push(parse_quote!(#route));
        }
        syn::PathArguments::Parenthesized(_) => return None,
    }
    Some(path)
}

/// The argument's name; a stand-in for a pattern, which only a foreign message may have.
fn argument_name(pattern: &Pat, nth: usize) -> Ident {
    match pattern {
        Pat::Ident(pattern) => pattern.ident.clone(),
        _ if nth == 0 => format_ident!("message"),
        _ => format_ident!("message{nth}"),
    }
}

/// The written reply, or `()` with the span of the name.
pub(crate) fn reply(sig: &Signature) -> Type {
    match &sig.output {
        ReturnType::Type(_, ty) => walk::bare(ty).clone(),
        ReturnType::Default => syn::parse_quote_spanned!(sig.ident.span()=> ()),
    }
}

/// What the reply's name says, or that of one that comes later: the trait behind it knows the
/// types.
pub(crate) fn shape(reply: &Type) -> Shape {
    match walk::last_name(walk::delegated(reply).unwrap_or(reply)) {
        Some(name) if name == "Result" => Shape::Fallible,
        _ => Shape::Plain,
    }
}

/// The span of a type's first token, in the expansion's name.
pub(crate) fn span_of(code: &impl ToTokens) -> Span {
    names::at(code.to_token_stream().span())
}
