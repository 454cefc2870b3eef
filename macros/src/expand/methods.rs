//! The methods on the handle.

use super::message;
use crate::args::Shape;
use crate::fallback;
use crate::generics::{Own, message_type, with};
use crate::model::{Block, Message, span_of};
use crate::names;
use crate::walk;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::parse_quote;

// Input: impl<K, V> Cache<K, V> { pub async fn get(&mut self, k: K) -> Option<V> { .. } .. }
//
// Output: impl<K, V, R: Route> CacheHandle<K, V, R> { pub fn get(&self, k: K) -> Request<..> .. }
//
// A method that nobody calls is not dead code: its message may be sent by value, as timers do.
pub(super) fn on_handle(block: &Block) -> TokenStream {
    let shown = block.messages.iter().filter(|message| !message.hidden);
    let methods: Vec<_> = shown.map(|message| method(block, message)).collect();
    if methods.is_empty() {
        return TokenStream::new();
    }
    let span = span_of(&block.actor);
    let private = block.root.private(span);
    let (route, handle) = (&block.route, &block.handle);
    let generics = with(&block.generics, parse_quote!(#route: #private::Route));
    let (params, _, bounds) = generics.split_for_impl();
    let outer = super::outer(block);
    quote_spanned! {span=>
        #outer
        #[allow(
            clippy::type_complexity,
            clippy::used_underscore_binding,
            dead_code,
            deprecated,
            private_bounds,
            private_interfaces,
            unreachable_pub,
        )]
        impl #params #handle #bounds {
            #(#methods)*
        }
    }
}

// Input: pub async fn get(&mut self, k: K, ctx: &mut Context<Self>) -> Option<V>
//
// Output:
//     pub fn get(&self, k: K) -> Request<'_, Cache<K, V>, CacheGet<K>, R> {
//         Request::new(&**self, CacheGet { k })
//     }
fn method(block: &Block, message: &Message) -> TokenStream {
    let span = names::at(message.call.span());
    let private = block.root.private(span);
    let (vis, call, route) = (&message.vis, &message.call, &block.route);
    let actor = block.terms(span).subject(&block.actor);
    let ty = message_type(block, message);
    let (generics, bounds) = (&message.generics, &message.generics.where_clause);
    let inputs = message.fields().map(|(cfgs, name, ty)| {
        let ty = fallback::parameter(message, ty);
        quote!(#(#cfgs)* #name: #ty)
    });
    let unused = message.broken.then(|| quote!(#[allow(unused_variables)]));
    let copied = &message.copied;
    let (cfgs, lints, deprecated) = (&copied.cfgs, &copied.lints, &copied.deprecated);
    let docs = docs(message);
    let body = body(block, message);
    quote_spanned! {span=>
        #(#cfgs)*
        #(#lints)*
        #(#deprecated)*
        #docs
        #unused
        #vis fn #call #generics(
            &self,
            #(#inputs),*
        ) -> #private::Request<'_, #actor, #ty, #route> #bounds {
            #body
        }
    }
}

fn body(block: &Block, message: &Message) -> TokenStream {
    let span = names::at(message.call.span());
    let private = block.root.private(span);
    if message.broken {
        return quote!(::core::unreachable!());
    }
    let value = match message.foreign.as_ref().and(message.fields().next()) {
        Some((_, name, _)) => quote!(#name),
        None => message::value(message, &Own::of(block, message)),
    };
    quote_spanned!(span=> #private::Request::new(&**self, #value))
}

/// The user's docs, and the reply, which the signature does not show.
fn docs(message: &Message) -> TokenStream {
    let docs = &message.copied.docs;
    let missing = docs.is_empty().then(|| {
        let text = format!("Makes the request `{}`.", message.call);
        quote!(#[doc = #text])
    });
    let reply = (!walk::is_unit(&message.reply)).then(|| {
        let text = reply_line(message);
        quote!(#[doc = ""] #[doc = #text])
    });
    let flags = &message.copied.doc_flags;
    quote!(#(#docs)* #missing #reply #(#flags)*)
}

fn reply_line(message: &Message) -> String {
    if let Some(item) = message
        .stream
        .as_ref()
        .and_then(|stream| stream.item.as_ref())
    {
        return format!("Replies with a stream of `{}`.", names::written(item));
    }
    let reply = &message.reply;
    let written = names::written(walk::delegated(reply).unwrap_or(reply));
    match message.shape {
        Shape::Plain => format!("Replies with `{written}`."),
        Shape::Fallible => format!("Replies with `{written}`; its error is an `AskError`'s."),
    }
}
