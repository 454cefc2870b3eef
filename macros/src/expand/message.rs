//! The type of a message.

use crate::generics::Own;
use crate::model::{Block, Message};
use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};

// Input: pub async fn put<T>(&mut self, k: K, #[cfg(x)] n: u64) -> T;  in  impl<K, V> Cache<K, V>
//
// Output:
//     pub struct CachePut<K, T> {
//         pub k: K, #[cfg(x)] pub n: u64, #[doc(hidden)] pub __types: PhantomData<(fn() -> T,)>
//     }
//     impl<K, T> CachePut<K, T> { pub fn new(k: K, #[cfg(x)] n: u64) -> Self { .. } }
pub(super) fn declare(block: &Block, message: &Message) -> TokenStream {
    if message.foreign.is_some() {
        return TokenStream::new();
    }
    let own = Own::of(block, message);
    let Message {
        vis, name, derives, ..
    } = message;
    let derives = (!derives.is_empty()).then(|| quote!(#[derive(#(#derives),*)]));
    let remote = super::remote::derives(block, message);
    let attributes = attributes(block, message);
    let (generics, bounds) = (&own.generics, &own.generics.where_clause);
    let span = message.span();
    let docs = docs(message);
    let new = own.marker().map(|_| constructor(block, message, &own));
    let body = body(message, &own);
    let ends = match body {
        Some(body) => quote!(#generics #bounds { #body }),
        None => quote!(#generics;),
    };
    quote_spanned! {span=>
        #attributes
        #docs
        #derives
        #remote
        #[allow(
            clippy::pub_underscore_fields,
            clippy::type_complexity,
            dead_code,
            deprecated,
            missing_copy_implementations,
            missing_debug_implementations,
            private_bounds,
            private_interfaces,
            unreachable_pub,
        )]
        #vis struct #name #ends
        #new
    }
}

fn attributes(block: &Block, message: &Message) -> TokenStream {
    let (outer, copied) = (super::outer(block), &message.copied);
    let (cfgs, lints, deprecated) = (&copied.cfgs, &copied.lints, &copied.deprecated);
    quote!(#outer #(#cfgs)* #(#lints)* #(#deprecated)*)
}

fn docs(message: &Message) -> TokenStream {
    let summary = message.copied.summary();
    let origin = format!("The message that `{}` on the handle sends.", message.call);
    let gap = (!summary.is_empty()).then(|| quote!(#[doc = ""]));
    let flags = &message.copied.doc_flags;
    quote!(#(#summary)* #gap #[doc = #origin] #(#flags)*)
}

/// The fields; `None` for a unit struct.
fn body(message: &Message, own: &Own) -> Option<TokenStream> {
    let vis = &message.vis;
    let fields = message.fields().map(|(cfgs, name, ty)| {
        let docs = format!("The argument `{name}`.");
        quote!(#(#cfgs)* #[doc = #docs] #vis #name: #ty)
    });
    let marker = own.marker().map(|ty| {
        let name = marker_name();
        quote!(#[doc(hidden)] #vis #name: #ty)
    });
    let fields: Vec<_> = fields.chain(marker).collect();
    (!fields.is_empty()).then(|| quote!(#(#fields),*))
}

pub(super) fn marker_name() -> syn::Ident {
    format_ident!("__types")
}

/// Makes a message that can't be written as a literal, as it has a hidden field.
fn constructor(block: &Block, message: &Message, own: &Own) -> TokenStream {
    let (params, arguments, bounds) = own.generics.split_for_impl();
    let (vis, name) = (&message.vis, &message.name);
    let inputs = message
        .fields()
        .map(|(cfgs, name, ty)| quote!(#(#cfgs)* #name: #ty));
    let value = value(message, own);
    let attributes = attributes(block, message);
    let docs = format!("Makes the message of `{}`.", message.call);
    quote_spanned! {message.span()=>
        #attributes
        #[allow(
            clippy::type_complexity,
            clippy::used_underscore_binding,
            dead_code,
            deprecated,
            private_bounds,
            private_interfaces,
            unreachable_pub,
        )]
        impl #params #name #arguments #bounds {
            #[doc = #docs]
            #[must_use]
            #vis fn new(#(#inputs),*) -> Self {
                #value
            }
        }
    }
}

/// `CachePut { k, #[cfg(x)] n, __types: PhantomData }`, from variables of the fields' names.
pub(super) fn value(message: &Message, own: &Own) -> TokenStream {
    let name = &message.name;
    let fields = message
        .fields()
        .map(|(cfgs, name, _)| quote!(#(#cfgs)* #name));
    let marker = own.marker().map(|_| {
        let name = marker_name();
        quote!(#name: ::core::marker::PhantomData)
    });
    let fields: Vec<_> = fields.chain(marker).collect();
    match fields.is_empty() {
        true => quote!(#name),
        false => quote!(#name { #(#fields),* }),
    }
}
