//! What `#[actor]` on a type adds.

use super::handle;
use super::terms::Terms;
use crate::args::TypeOptions;
use crate::attrs::Copied;
use crate::generics::{name, with};
use crate::model::take_lifetimes;
use crate::names::{self, Taken};
use crate::walk::MakeStatic;
use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::visit_mut::VisitMut;
use syn::{DeriveInput, Expr, Generics, Visibility, parse_quote};

/// A struct or enum as its expansion needs it.
pub(crate) struct Declaration<'a> {
    pub(super) private: Terms,
    pub(super) copied: Copied,
    pub(super) vis: &'a Visibility,
    pub(super) actor: &'a Ident,
    pub(super) handle: Ident,
    /// Without lifetimes; with the user's defaults.
    pub(super) generics: Generics,
    /// The arguments of the type: `<'static, K, V>`.
    pub(super) arguments: TokenStream,
    /// The names of the parameters.
    pub(super) names: Vec<Ident>,
    pub(super) taken: Taken,
    pub(super) route: Ident,
}

impl<'a> Declaration<'a> {
    fn new(input: &'a DeriveInput, options: &TypeOptions) -> Self {
        let mut generics = input.generics.clone();
        let lifetimes = take_lifetimes(&mut generics);
        let statics = lifetimes.iter().map(|_| quote!('static));
        let names: Vec<Ident> = generics.params.iter().filter_map(name).collect();
        let arguments = quote!(<#(#statics,)* #(#names),*>);
        MakeStatic::These(lifetimes).visit_generics_mut(&mut generics);
        let bounds = &generics.where_clause;
        let (actor, place) = (&input.ident, names::at(input.ident.span()));
        let taken = Taken::by(quote!(#actor #generics #bounds));
        Self {
            private: Terms::new(options.root.private(place), place, options.local),
            copied: Copied::of(&input.attrs),
            vis: &input.vis,
            actor,
            handle: names::handle(&input.ident),
            arguments,
            names,
            route: taken.free("R"),
            generics,
            taken,
        }
    }

    /// The generics with the route: `<K, V, R: Route>`.
    pub(super) fn routed(&self) -> Generics {
        let (route, private) = (&self.route, &self.private);
        with(&self.generics, parse_quote!(#route: #private::Route))
    }

    /// `Options::new("Cache").mailbox(64)`
    fn options(&self, options: &TypeOptions) -> TokenStream {
        let private = &self.private;
        let name = match &options.name {
            Some(name) => name.value(),
            None => self.actor.unraw().to_string(),
        };
        let mailbox = options.mailbox.iter();
        let inline = options.inline.iter();
        let overflow = options.overflow.iter().map(|overflow| &overflow.variant);
        let bytes = options.mailbox_bytes.iter();
        let blocking = options.blocking.then(|| quote!(.blocking()));
        quote! {
            #private::Options::new(#name)
                #(.mailbox(#mailbox))*
                #(.inline(#private::Inline::#inline))*
                #(.overflow(#private::Overflow::#overflow))*
                #(.mailbox_bytes(#bytes))*
                #blocking
        }
    }

    /// Whether the mailbox's sizes can be checked where it stands, and not only when used.
    fn is_constant(&self, options: &TypeOptions) -> bool {
        let mentions = |size: &Expr| {
            let taken = Taken::by(size);
            self.names.iter().any(|name| taken.has(&name.to_string())) || taken.has("Self")
        };
        let mut sizes = options
            .mailbox
            .iter()
            .chain(&options.mailbox_bytes)
            .peekable();
        sizes.peek().is_some() && !sizes.any(mentions)
    }

    /// The type's cfgs and lints, in front of each item made from it.
    pub(super) fn outer(&self) -> TokenStream {
        let (cfgs, lints) = (&self.copied.cfgs, &self.copied.lints);
        quote!(#(#cfgs)* #(#lints)*)
    }
}

/// Input: `#[actor] pub struct Counter { .. }`
///
/// Output: `CounterHandle` and its impls, `impl Declared for Counter`, `Counter::spawn`
pub(crate) fn declare(input: &DeriveInput, options: &TypeOptions) -> TokenStream {
    let declaration = Declaration::new(input, options);
    let handle = handle::define(&declaration);
    let declared = implement(&declaration, options);
    let spawn = spawn(&declaration, options);
    quote!(#handle #declared #spawn)
}

// Input: #[actor(mailbox = 64)] pub struct Cache<K, V> where K: Hash { .. }
//
// Output:
//     impl<K, V> Declared for Cache<K, V> where K: Hash, Self: Send + 'static {
//         type Handle<R: Route> = CacheHandle<K, V, R>;
//         const OPTIONS: Options = Options::new("Cache").mailbox(64);
//         fn wrap<R: Route>(raw: R::Handle<Self>) -> CacheHandle<K, V, R> { CacheHandle(raw) }
//     }
fn implement(this: &Declaration<'_>, options: &TypeOptions) -> TokenStream {
    let Declaration {
        private,
        actor,
        handle,
        arguments,
        route,
        ..
    } = this;
    let mut generics = this.generics.clone();
    if generics.type_params().next().is_some() {
        let bound = match options.local {
            true => parse_quote!(Self: 'static),
            false => parse_quote!(Self: ::core::marker::Send + 'static),
        };
        generics.make_where_clause().predicates.push(bound);
    }
    let routed = this.routed();
    let (params, _, bounds) = generics.split_for_impl();
    let (_, with_route, _) = routed.split_for_impl();
    let value = this.options(options);
    let check = this
        .is_constant(options)
        .then(|| quote!(const _: #private::Options = #value;));
    let outer = this.outer();
    let (declared, subject) = (private.declared(), private.subject(quote!(Self)));
    quote_spanned! {names::at(actor.span())=>
        #outer
        const _: () = {
            #[automatically_derived]
            #[allow(deprecated, private_interfaces, private_bounds)]
            impl #params #declared for #actor #arguments #bounds {
                type Handle<#route: #private::Route> = #handle #with_route;
                const OPTIONS: #private::Options = #value;
                fn wrap<#route: #private::Route>(
                    raw: <#route as #private::Route>::Handle<#subject>,
                ) -> #handle #with_route {
                    #handle(raw)
                }
            }
            #check
        };
    }
}

// Input: #[actor] pub struct Counter { .. }
//
// Output:
//     impl Counter {
//         pub fn spawn(self) -> CounterHandle where Self: Actor { private::spawn(self) }
//     }
// or, if it is local,
//         pub fn spawn(factory: impl FnOnce() -> Self + Send + 'static) -> CounterHandle { .. }
// For `Cache<K, V>` also `where Self: Declared<Handle<Local> = CacheHandle<K, V>>`.
fn spawn(this: &Declaration<'_>, options: &TypeOptions) -> TokenStream {
    let Declaration {
        private,
        vis,
        actor,
        handle,
        arguments,
        names,
        ..
    } = this;
    let (params, _, bounds) = this.generics.split_for_impl();
    let (declared, of_actor) = (private.declared(), private.actor());
    // Where the type has parameters, `Self: Actor` hides the impl that says what the handle is.
    let known = (!names.is_empty())
        .then(|| quote!(Self: #declared<Handle<#private::Local> = #handle<#(#names),*>>,));
    let spawn = match &options.spawn {
        Some(name) => name.clone(),
        None => Ident::new("spawn", names::at(actor.span())),
    };
    let docs = format!("Starts the actor and gives its first handle: a [`{handle}`].");
    let (input, call) = match options.local {
        false => (quote!(self), quote!(#private::spawn(self))),
        true => (
            quote!(factory: impl ::core::ops::FnOnce() -> Self + ::core::marker::Send + 'static),
            quote!(#private::spawn_local(factory)),
        ),
    };
    let outer = this.outer();
    quote_spanned! {names::at(actor.span())=>
        #outer
        #[allow(deprecated, private_interfaces, private_bounds)]
        impl #params #actor #arguments #bounds {
            #[doc = #docs]
            #[must_use = "an actor ends when its last handle is dropped"]
            #[track_caller]
            #vis fn #spawn(#input) -> #handle<#(#names),*>
            where
                Self: #of_actor,
                #known
            {
                #call
            }
        }
    }
}
