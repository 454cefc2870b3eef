//! The handle: one field, the route's own handle, and everything that passes on to it.

use super::declared::Declaration;
use crate::names;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::parse_quote;

// Input: #[actor] pub struct Cache<K, V: Debug> where K: Hash { .. }
//
// Output:
//     pub struct CacheHandle<K, V: Debug, R: Route = Local>(R::Handle<Cache<K, V>>) where K: Hash;
//     impl Deref, Clone, PartialEq, Eq, Hash, Debug for CacheHandle
pub(super) fn define(this: &Declaration<'_>) -> TokenStream {
    let Declaration {
        private,
        vis,
        actor,
        handle,
        arguments,
        route,
        ..
    } = this;
    let route_param = parse_quote!(#route: #private::Route = #private::Local);
    let generics = crate::generics::with(&this.generics, route_param);
    let bounds = &generics.where_clause;
    let subject = private.subject(quote!(#actor #arguments));
    let (deprecated, flags) = (&this.copied.deprecated, &this.copied.doc_flags);
    let docs = format!("Handle to a running [`{actor}`]. Its methods make requests to the actor.");
    let outer = this.outer();
    let traits = [
        deref(this),
        clone(this),
        equality(this),
        hash(this),
        debug(this),
    ];
    quote_spanned! {names::at(actor.span())=>
        #outer
        #[doc = #docs]
        #(#flags)*
        #(#deprecated)*
        #[allow(deprecated, private_interfaces, private_bounds, unreachable_pub)]
        #vis struct #handle #generics(
            <#route as #private::Route>::Handle<#subject>,
        ) #bounds;
        #outer
        const _: () = {
            #(#traits)*
        };
    }
}

/// `impl<K, V, R: Route> TRAIT for CacheHandle<K, V, R> where .. { BODY }`
fn implement(this: &Declaration<'_>, of_trait: TokenStream, body: TokenStream) -> TokenStream {
    let handle = &this.handle;
    let generics = this.routed();
    let (params, arguments, bounds) = generics.split_for_impl();
    quote! {
        #[automatically_derived]
        #[allow(deprecated, private_interfaces, private_bounds)]
        impl #params #of_trait for #handle #arguments #bounds { #body }
    }
}

// Output: type Target = R::Handle<Cache<K, V>>; fn deref(&self) -> &Self::Target { &self.0 }
fn deref(this: &Declaration<'_>) -> TokenStream {
    let Declaration {
        private,
        actor,
        arguments,
        route,
        ..
    } = this;
    let subject = private.subject(quote!(#actor #arguments));
    let body = quote! {
        type Target = <#route as #private::Route>::Handle<#subject>;
        fn deref(&self) -> &Self::Target {
            &self.0
        }
    };
    implement(this, quote!(::core::ops::Deref), body)
}

// Output: fn clone(&self) -> Self { CacheHandle(Clone::clone(&self.0)) }
fn clone(this: &Declaration<'_>) -> TokenStream {
    let handle = &this.handle;
    let body = quote! {
        fn clone(&self) -> Self {
            #handle(::core::clone::Clone::clone(&self.0))
        }
    };
    implement(this, quote!(::core::clone::Clone), body)
}

// Output: fn eq(&self, other: &Self) -> bool { PartialEq::eq(&self.0, &other.0) }
fn equality(this: &Declaration<'_>) -> TokenStream {
    let body = quote! {
        fn eq(&self, other: &Self) -> ::core::primitive::bool {
            ::core::cmp::PartialEq::eq(&self.0, &other.0)
        }
    };
    let partial = implement(this, quote!(::core::cmp::PartialEq), body);
    let total = implement(this, quote!(::core::cmp::Eq), TokenStream::new());
    quote!(#partial #total)
}

// Output: fn hash<H: Hasher>(&self, state: &mut H) { Hash::hash(&self.0, state) }
fn hash(this: &Declaration<'_>) -> TokenStream {
    let hasher = this.taken.free("H");
    let body = quote! {
        fn hash<#hasher: ::core::hash::Hasher>(&self, state: &mut #hasher) {
            ::core::hash::Hash::hash(&self.0, state)
        }
    };
    implement(this, quote!(::core::hash::Hash), body)
}

// Output: fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result { Debug::fmt(&self.0, f) }
fn debug(this: &Declaration<'_>) -> TokenStream {
    let body = quote! {
        fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
            ::core::fmt::Debug::fmt(&self.0, f)
        }
    };
    implement(this, quote!(::core::fmt::Debug), body)
}
