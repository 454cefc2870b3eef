//! One method: can it be a message?

use crate::errors::Errors;
use crate::model::Message;
use crate::names;
use crate::walk::{self, Flaw, Streaming};
use proc_macro2::Span;
use syn::{FnArg, Pat, PatType, Receiver, Signature, Type};

const INSTEAD: &str = "or say `#[message(skip)]`";

pub(super) fn check(message: &Message, errors: &mut Errors) {
    let sig = &message.sig;
    if let Some(receiver) = sig.receiver() {
        check_receiver(receiver, errors);
    }
    check_qualifiers(sig, errors);
    check_contexts(sig, errors);
    let mut lifetimes = sig.generics.lifetimes().peekable();
    if lifetimes.peek().is_none() {
        for argument in arguments(sig) {
            check_argument(argument, message, errors);
        }
        check_reply(sig, errors);
    }
    // What has them in its type would be the same mistake once more.
    for lifetime in lifetimes {
        let text = format!("a message moves to its actor: it has no lifetimes, {INSTEAD}");
        errors.push(lifetime, text);
    }
    if let Some(mark) = &message.foreign {
        check_foreign(message, mark, errors);
    }
    if message.reentrant.is_some() {
        check_reentrant(sig, errors);
    }
}

/// `#[message(reentrant)]`: what it borrows, others borrow at the same time.
fn check_reentrant(sig: &Signature, errors: &mut Errors) {
    const ALONE: &str = "or leave `reentrant` out";
    if let Some(receiver) = sig.receiver()
        && walk::is_exclusive(&receiver.ty)
    {
        let text = format!("`reentrant` handlers run beside each other: take `&self`, {ALONE}");
        errors.push(receiver, text);
    }
    for argument in arguments(sig) {
        if walk::is_context(&argument.ty) && walk::is_exclusive(&argument.ty) {
            let text =
                format!("`reentrant` handlers share their context: take `&Context<Self>`, {ALONE}");
            errors.push(&argument.ty, text);
        }
    }
    let ty = crate::model::reply(sig);
    if let Some(Streaming {
        item: Some(_),
        detached: false,
    }) = walk::streaming(&ty)
    {
        let text = format!("a stream that borrows its actor runs alone: add `+ use<>`, {ALONE}");
        errors.push(&ty, text);
    }
}

pub(super) fn check_receiver(receiver: &Receiver, errors: &mut Errors) {
    let is_self = |ty: &Type| matches!(ty, Type::Path(path) if path.path.is_ident("Self"));
    let fine = match walk::bare(&receiver.ty) {
        Type::Reference(reference) => {
            is_self(walk::bare(&reference.elem)) && reference.lifetime.is_none()
        }
        _ => false,
    };
    if !fine {
        let text = format!("a message borrows its actor: take `&mut self` or `&self`, {INSTEAD}");
        errors.push(receiver, text);
    }
}

fn check_qualifiers(sig: &Signature, errors: &mut Errors) {
    if let Some(word) = &sig.unsafety {
        let text = format!(
            "no caller could keep the promises of an `unsafe` message: make it safe, {INSTEAD}"
        );
        errors.push(word, text);
    }
    if let Some(abi) = &sig.abi {
        errors.push(
            abi,
            format!("a message is a plain Rust method: leave the ABI out, {INSTEAD}"),
        );
    }
    if let Some(dots) = &sig.variadic {
        errors.push(
            dots,
            format!("a message has a fixed list of arguments: take a `Vec`, {INSTEAD}"),
        );
    }
}

fn check_contexts(sig: &Signature, errors: &mut Errors) {
    let contexts = arguments(sig).filter(|argument| walk::is_context(&argument.ty));
    for extra in contexts.skip(1) {
        errors.push(extra, "the context is taken once");
    }
}

fn arguments(sig: &Signature) -> impl Iterator<Item = &PatType> {
    sig.inputs.iter().filter_map(|input| match input {
        FnArg::Typed(argument) => Some(argument),
        FnArg::Receiver(_) => None,
    })
}

fn check_argument(argument: &PatType, message: &Message, errors: &mut Errors) {
    if walk::is_context(&argument.ty) {
        return;
    }
    if walk::is_owned_context(&argument.ty) {
        let text = "the context belongs to the actor: take `&mut Context<Self>`";
        return errors.push(&argument.ty, text);
    }
    let name = match &*argument.pat {
        Pat::Ident(pattern) => pattern.ident.to_string(),
        _ => "message".to_owned(),
    };
    if !names_a_field(&argument.pat) && message.foreign.is_none() {
        let text = "a message's fields take their names from the arguments: write a name here";
        return errors.push(&argument.pat, text);
    }
    match walk::flaw(&argument.ty) {
        None => {}
        Some(Flaw::Reference(span, ty)) => {
            let owned = owned(&ty);
            let text = format!("a message moves to its actor: take `{owned}`, {INSTEAD}");
            errors.add(syn::Error::new(span, text));
        }
        Some(Flaw::Lifetime(span)) => {
            let text = format!("a message moves to its actor: own the data, {INSTEAD}");
            errors.add(syn::Error::new(span, text));
        }
        Some(Flaw::Opaque(opaque)) => {
            let bounds = names::written(&opaque.bounds);
            let method = &message.sig.ident;
            let text = format!(
                "a message needs a nameable type: `fn {method}<S: {bounds} + Send + 'static>(.., \
                 {name}: S)`"
            );
            errors.push(opaque, text);
        }
    }
}

fn names_a_field(pattern: &Pat) -> bool {
    match pattern {
        Pat::Ident(pattern) => pattern.by_ref.is_none() && pattern.subpat.is_none(),
        _ => false,
    }
}

/// What to take instead of a reference.
fn owned(ty: &Type) -> String {
    let name = walk::last_name(ty).map(ToString::to_string);
    match (ty, name.as_deref()) {
        (Type::Slice(slice), _) => format!("Vec<{}>", names::written(&slice.elem)),
        (Type::TraitObject(object), _) => format!("Box<{} + Send>", names::written(object)),
        (_, Some("str")) => "String".to_owned(),
        (_, Some("Path")) => "PathBuf".to_owned(),
        (_, Some("OsStr")) => "OsString".to_owned(),
        (_, Some("CStr")) => "CString".to_owned(),
        _ => names::written(ty),
    }
}

fn check_reply(sig: &Signature, errors: &mut Errors) {
    let ty = crate::model::reply(sig);
    if let Type::Never(never) = &ty {
        errors.push(never, "a reply is a value: leave the return type out");
    }
    let text = "a reply leaves the actor: return an owned value";
    let streaming = walk::streaming(&ty);
    if let Some(Streaming { item: None, .. }) = &streaming {
        return errors.push(&ty, "a stream says what it gives: `impl Stream<Item = T>`");
    }
    // What the stream itself borrows stays with the actor.
    let ty = streaming.and_then(|stream| stream.item).unwrap_or(ty);
    let (span, text): (Span, String) = match walk::flaw(&ty) {
        None => return,
        Some(Flaw::Reference(span, ty)) => (span, format!("{text}, such as `{}`", owned(&ty))),
        Some(Flaw::Lifetime(span)) => (span, text.to_owned()),
        Some(Flaw::Opaque(opaque)) => return errors.push(&opaque, opaque_reply(&opaque)),
    };
    errors.add(syn::Error::new(span, text));
}

fn opaque_reply(opaque: &syn::TypeImplTrait) -> &'static str {
    let future = opaque.bounds.iter().any(|bound| match bound {
        syn::TypeParamBound::Trait(bound) => bound
            .path
            .segments
            .last()
            .is_some_and(|s| s.ident == "Future"),
        _ => false,
    });
    match future {
        true => "write `async fn`, and what the future gives as the return type",
        false => "a reply needs a nameable type: name it or box it",
    }
}

/// `#[message] fn on_tick(&mut self, tick: Tick)`: the argument is the message.
fn check_foreign(message: &Message, mark: &syn::Attribute, errors: &mut Errors) {
    let mut fields = message.fields();
    let (first, second) = (fields.next(), fields.next());
    let (Some((_, name, ty)), None) = (first, second) else {
        let text = "`#[message]` alone says that the one argument is itself the message; without \
                    it, a message is made from the arguments";
        return errors.push(mark, text);
    };
    if let Some(primitive) = walk::last_name(ty).filter(|name| is_primitive(name)) {
        let text = format!(
            "`#[message]` alone makes `{name}: {primitive}` the message; remove it, and a message \
             is made from the arguments"
        );
        errors.push(mark, text);
    }
}

fn is_primitive(name: &syn::Ident) -> bool {
    const PRIMITIVES: [&str; 19] = [
        "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16",
        "u32", "u64", "u128", "usize", "String", "Vec", "Option",
    ];
    PRIMITIVES.iter().any(|primitive| name == primitive)
}
