//! `#[actor] impl Handler<Tick> for Counter`: what the user left out is filled in.

use super::handler::{detached, inline, ready_handle, shape_type};
use super::policy;
use super::terms::Terms;
use crate::args::{HandlerOptions, Shape};
use crate::errors::Errors;
use crate::model::{reply, shape, span_of};
use crate::names;
use crate::walk;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    FnArg, GenericArgument, ImplItem, ImplItemFn, ItemImpl, PathArguments, Type, parse_quote,
};

// Input: impl Handler<Tick> for Counter { fn handle(&mut self, tick: Tick) -> u64 { .. } }
//
// Output:
//     impl Handler<Tick> for Counter {
//         type Reply = u64;
//         type Shape = Plain;
//         const SYNC: bool = true;
//         fn handle_now(&mut self, tick: Tick, _: &mut Context<Self>) -> u64 { .. }
//         fn handle(..) -> impl Future<..> { ready(<Self as Handler<Tick>>::handle_now(..)) }
//     }
// An `async fn handle` keeps its name, and there is no `SYNC`.
pub(crate) fn handler_block(
    mut block: ItemImpl,
    options: &HandlerOptions,
    errors: &mut Errors,
) -> TokenStream {
    let Some(ty) = message(&block) else {
        // rustc says that the trait's parameter is missing.
        return block.into_token_stream();
    };
    let before = errors.count();
    let method = match block.items.iter().position(is_handle) {
        Some(at) => block.items.remove(at),
        None => {
            let message = "this handler needs a method `handle(&mut self, message: ..)`";
            errors.push(&block.self_ty, message);
            parse_quote!(
                fn handle() {}
            )
        }
    };
    let ImplItem::Fn(method) = method else {
        unreachable!("the item is a method");
    };
    if errors.count() == before {
        check(&method, &block, errors);
    }
    for item in filled_in(&block, &method, options) {
        block.items.push(ImplItem::Verbatim(item));
    }
    let span = names::at(method.sig.ident.span());
    let private = Terms::new(options.root.private(span), span, is_local(&block));
    if errors.count() == before {
        let (ty, bindings) = (ty.to_token_stream(), binding(&method, span));
        let policy = policy::implement(&private, &ty, &options.policy, &bindings, span);
        block.items.push(ImplItem::Verbatim(policy));
    }
    let handle = match errors.count() == before {
        true => handle(&private, &ty, method),
        false => fallback(&private, &ty),
    };
    block.items.push(ImplItem::Verbatim(handle));
    block.into_token_stream()
}

/// Binds the message by the name that the method gives it.
fn binding(method: &ImplItemFn, span: Span) -> TokenStream {
    let value = policy::value(span);
    let argument = method.sig.inputs.iter().find_map(|input| match input {
        FnArg::Typed(typed) if !walk::is_context(&typed.ty) => Some(&typed.pat),
        _ => None,
    });
    match argument {
        Some(pattern) => quote!(let #pattern = #value;),
        None => TokenStream::new(),
    }
}

/// What stands in for a method with an error.
fn fallback(private: &Terms, ty: &Type) -> TokenStream {
    let (context, future) = (private.context(), private.future());
    quote! {
        fn handle(
            &mut self,
            _: #ty,
            _: &mut #context,
        ) -> #future {
            ::core::future::pending()
        }
    }
}

fn is_handle(item: &ImplItem) -> bool {
    matches!(item, ImplItem::Fn(method) if method.sig.ident == "handle")
}

/// Whether it is an `impl LocalHandler<Tick>`.
fn is_local(block: &ItemImpl) -> bool {
    let last = |path: &syn::Path| path.segments.last().map(|last| last.ident.to_string());
    let of_trait = block.trait_.as_ref().and_then(|(_, path, _)| last(path));
    of_trait.is_some_and(|name| name == "LocalHandler")
}

/// `Tick` of `Handler<Tick>`.
fn message(block: &ItemImpl) -> Option<Type> {
    let (_, of_trait, _) = block.trait_.as_ref()?;
    let PathArguments::AngleBracketed(list) = &of_trait.segments.last()?.arguments else {
        return None;
    };
    list.args.iter().find_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    })
}

fn check(method: &ImplItemFn, block: &ItemImpl, errors: &mut Errors) {
    let by_mut = |receiver: &syn::Receiver| match &*receiver.ty {
        Type::Reference(reference) => reference.mutability.is_some(),
        _ => false,
    };
    match method.sig.receiver() {
        Some(receiver) if by_mut(receiver) => {}
        Some(receiver) => errors.push(receiver, "`handle` takes `&mut self`"),
        None => errors.push(
            &method.sig.ident,
            "`handle` takes `&mut self` and the message",
        ),
    }
    let inputs = method.sig.inputs.iter();
    let messages = inputs.filter(|input| !is_context(input)).count();
    if method.sig.receiver().is_some() && messages != 2 {
        let message = "`handle` takes the message, and at most the context besides";
        errors.push(&method.sig.ident, message);
    }
    if let (Type::ImplTrait(opaque), false) = (&reply(&method.sig), has_type(block, "Reply")) {
        errors.push(opaque, "write `async fn handle`, or give `type Reply`");
    }
}

fn is_context(input: &&FnArg) -> bool {
    matches!(input, FnArg::Typed(typed) if walk::is_context(&typed.ty))
}

fn has_type(block: &ItemImpl, name: &str) -> bool {
    let named = |item: &ImplItem| matches!(item, ImplItem::Type(item) if item.ident == name);
    block.items.iter().any(named)
}

/// `Reply` and `Shape`, where the user left them out.
fn filled_in(block: &ItemImpl, method: &ImplItemFn, options: &HandlerOptions) -> Vec<TokenStream> {
    let reply = reply(&method.sig);
    let span = span_of(&reply);
    let private = options.root.private(span);
    let mut items = Vec::new();
    if !has_type(block, "Reply") {
        let ty = match &reply {
            // Refused by the check.
            Type::ImplTrait(_) => quote!(()),
            ty => ty.to_token_stream(),
        };
        items.push(quote_spanned!(span=> type Reply = #ty;));
    }
    if !has_type(block, "Shape") {
        let shape: Shape = options.shape.unwrap_or_else(|| shape(&reply));
        let shape = shape_type(&private, &reply, shape, span);
        items.push(quote_spanned!(span=> type Shape = #shape;));
    }
    items.extend(inline(&private, options.inline.as_ref()));
    items.extend(detached(options.detached));
    items
}

fn handle(private: &Terms, ty: &Type, mut method: ImplItemFn) -> TokenStream {
    arrange(private, &mut method);
    let opaque = matches!(reply(&method.sig), Type::ImplTrait(_));
    if method.sig.asyncness.is_some() || opaque {
        return method.into_token_stream();
    }
    let span = names::at(method.sig.ident.span());
    method.sig.ident = Ident::new("handle_now", method.sig.ident.span());
    let ready = ready_handle(private, &ty.to_token_stream());
    quote_spanned! {span=>
        const SYNC: ::core::primitive::bool = true;
        #method
        #ready
    }
}

/// The order of the trait: receiver, message, context; an unused context is added.
fn arrange(private: &Terms, method: &mut ImplItemFn) {
    let span = names::at(method.sig.inputs.span());
    let inputs = std::mem::take(&mut method.sig.inputs).into_iter();
    let (contexts, others): (Vec<_>, Vec<_>) = inputs.partition(|input| is_context(&input));
    method.sig.inputs.extend(others);
    match contexts.is_empty() {
        true => {
            let context = private.context();
            let unused = syn::parse_quote_spanned!(span=> _: &mut #context);
            method.sig.inputs.push(unused);
        }
        false => method.sig.inputs.extend(contexts),
    }
}
