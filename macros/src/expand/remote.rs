//! What `#[actor(remote)]` adds.

use crate::generics::{Own, message_type, with};
use crate::model::{Block, Message, span_of};
use crate::names;
use crate::walk;
use crate::wire;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{LitStr, Visibility, parse_quote};

/// Whether a message is one for other processes, too.
fn is_remote(block: &Block, message: &Message) -> bool {
    block.remote && !message.broken
}

// Output: #[derive(serde::Serialize, serde::Deserialize)] #[serde(crate = "..")]
pub(super) fn derives(block: &Block, message: &Message) -> Option<TokenStream> {
    let private = block.root.private(message.span());
    let serde = quote!(#private::serde);
    let path = LitStr::new(
        &names::written(serde.clone()).replace(' ', ""),
        message.span(),
    );
    is_remote(block, message).then(|| {
        quote_spanned! {message.span()=>
            #[derive(#serde::Serialize, #serde::Deserialize)]
            #[serde(crate = #path)]
        }
    })
}

/// The parts of a message: how it is described, unless it is foreign, and how it is carried.
pub(super) fn implement(block: &Block, message: &Message) -> Option<TokenStream> {
    if !is_remote(block, message) {
        return None;
    }
    let wire = message.foreign.is_none().then(|| wire_of(block, message));
    let handler = handler(block, message);
    Some(quote!(#wire #handler))
}

// Input: fn put(&mut self, k: K, #[cfg(x)] n: u64)
//
// Output: impl<K: Wire> Wire for CachePut<K> { .. schema.field::<K>("k"); .. }
fn wire_of(block: &Block, message: &Message) -> TokenStream {
    let private = block.root.private(message.span());
    let own = Own::of(block, message).generics;
    let schema = wire::schema();
    let fields = message.arguments.iter().filter_map(|argument| {
        let (name, ty) = argument.field.as_ref()?;
        let cfgs = &argument.cfgs;
        let field = wire::field(name, ty, argument.version.as_ref());
        Some(quote!(#(#cfgs)* #field))
    });
    let body = quote!(#schema.kind("message"); #(#fields)*);
    let implement = wire::implement(&private, &own, &message_type(block, message), &body);
    let cfgs = &message.copied.cfgs;
    quote!(#(#cfgs)* #implement)
}

// Output: impl RemoteHandler<CounterAdd> for Counter { const KIND: .. = Kind::new("add"); }
fn handler(block: &Block, message: &Message) -> TokenStream {
    let span = span_of(&message.reply);
    let private = block.root.private(span);
    let (params, _, bounds) = block.generics.split_for_impl();
    let (actor, ty) = (&block.actor, message_type(block, message));
    let name = name(message);
    let cfgs = &message.copied.cfgs;
    let kind = quote_spanned!(span=> #private::Kind::new(#name));
    quote_spanned! {message.span()=>
        #(#cfgs)*
        #[automatically_derived]
        #[allow(deprecated, private_interfaces)]
        impl #params #private::RemoteHandler<#ty> for #actor #bounds {
            const KIND: #private::Kind<Self, #ty> = #kind;
        }
    }
}

/// What the message is called on the wire.
pub(crate) fn name(message: &Message) -> String {
    match &message.wire {
        Some(name) => name.value(),
        None => message.sig.ident.unraw().to_string(),
    }
}

// Output:
//     impl RemoteActor for Counter { const MESSAGES: .. = &[Entry::of::<CounterAdd>(), ..]; }
pub(super) fn table(block: &Block) -> Option<TokenStream> {
    if !block.remote {
        return None;
    }
    let span = span_of(&block.actor);
    let private = block.root.private(span);
    let (params, _, bounds) = block.generics.split_for_impl();
    let actor = &block.actor;
    let remote = block.messages.iter().filter(|m| is_remote(block, m));
    let entries = remote.map(|message| {
        let (cfgs, ty) = (&message.copied.cfgs, message_type(block, message));
        quote_spanned!(message.span()=> #(#cfgs)* #private::Entry::of::<#ty>())
    });
    Some(quote_spanned! {span=>
        #[automatically_derived]
        #[allow(deprecated)]
        impl #params #private::RemoteActor for #actor #bounds {
            const MESSAGES: &'static [#private::Entry<Self>] = &[#(#entries),*];
        }
    })
}

// Output:
//     pub trait CounterRoute: Route + Carries<Counter, CounterAdd> + .. {}
//     impl<R: Route + Carries<Counter, CounterAdd> + ..> CounterRoute for R {}
//
// A supertrait can't have a `cfg`: who needs such a message says so.
pub(super) fn route(block: &Block) -> Option<TokenStream> {
    let name = walk::last_name(&block.actor).filter(|_| block.remote)?;
    let name = format_ident!("{}Route", name.unraw(), span = name.span());
    let span = span_of(&block.actor);
    let private = block.root.private(span);
    let (actor, route) = (&block.actor, &block.route);
    let remote = block.messages.iter().filter(|m| is_remote(block, m));
    let always = remote.filter(|message| message.copied.cfgs.is_empty());
    let carries: Vec<_> = always
        .map(|message| {
            let ty = message_type(block, message);
            quote!(#private::Carries<#actor, #ty>)
        })
        .collect();
    let bound = quote!(#private::Route #(+ #carries)*);
    let (params, arguments, bounds) = block.generics.split_for_impl();
    let routed = with(&block.generics, parse_quote!(#route: #bound));
    let (routed, _, _) = routed.split_for_impl();
    let (vis, outer) = (visibility(block), super::outer(block));
    let docs = docs(block, &name);
    Some(quote_spanned! {span=>
        #outer
        #[doc = #docs]
        #[allow(dead_code, deprecated, private_bounds, private_interfaces, unreachable_pub)]
        #vis trait #name #params: #bound #bounds {}
        #outer
        #[automatically_derived]
        #[allow(deprecated, private_bounds)]
        impl #routed #name #arguments for #route #bounds {}
    })
}

fn docs(block: &Block, name: &Ident) -> String {
    let actor = walk::last_name(&block.actor).map(ToString::to_string);
    let actor = actor.unwrap_or_default();
    format!(
        "A way that takes every message to a `{actor}`: `fn f<R: {name}>(to: &{actor}Handle<R>)`."
    )
}

/// That of the most visible message.
fn visibility(block: &Block) -> Visibility {
    let all = || block.messages.iter().map(|message| &message.vis);
    let public = all().find(|vis| matches!(vis, Visibility::Public(_)));
    let some = || all().find(|vis| !matches!(vis, Visibility::Inherited));
    public
        .or_else(some)
        .cloned()
        .unwrap_or(Visibility::Inherited)
}
