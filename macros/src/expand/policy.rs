//! What a handler says of its message's way through the mailbox.

use crate::policy::Policy;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

/// The name of the message as the expressions' bindings see it, but not the expressions.
pub(super) fn value(span: Span) -> Ident {
    Ident::new("message", Span::mixed_site().located_at(span))
}

// Input: #[message(lane = urgent, overflow = latest(user), bytes = text.len())]
//
// Output:
//     const LANE: Lane = Lane::Urgent;
//     const OVERFLOW: Option<Overflow> = Some(Overflow::Latest);
//     const WEIGHS: bool = true;
//     fn weigh(message: &Say) -> usize { let text = &message.text; .. text.len() }
//     fn key(message: &Say, state: &mut impl Hasher) { .. Hash::hash(&user, state); }
// The bindings are the caller's: one for each argument.
pub(super) fn implement(
    private: &impl ToTokens,
    ty: &TokenStream,
    policy: &Policy,
    bindings: &TokenStream,
    span: Span,
) -> TokenStream {
    let lane = policy.lane.iter();
    let overflow = policy.overflow.iter().map(|overflow| &overflow.variant);
    let message = value(span);
    let weigh = policy.bytes.iter().map(|bytes| {
        quote_spanned! {span=>
            const WEIGHS: ::core::primitive::bool = true;
            #[allow(unused_variables, unused_mut, clippy::all, clippy::pedantic)]
            fn weigh(#message: &#ty) -> ::core::primitive::usize {
                #bindings
                #bytes
            }
        }
    });
    let state = Ident::new("state", Span::mixed_site().located_at(span));
    let keyed = policy
        .overflow
        .iter()
        .filter(|overflow| !overflow.key.is_empty());
    let key = keyed.map(|overflow| {
        let parts = overflow.key.iter();
        quote_spanned! {span=>
            #[allow(unused_variables, unused_mut, clippy::all, clippy::pedantic)]
            fn key(#message: &#ty, #state: &mut impl ::core::hash::Hasher) {
                #bindings
                #(::core::hash::Hash::hash(&#parts, #state);)*
            }
        }
    });
    quote! {
        #(const LANE: #private::Lane = #private::Lane::#lane;)*
        #(
            const OVERFLOW: ::core::option::Option<#private::Overflow> =
                ::core::option::Option::Some(#private::Overflow::#overflow);
        )*
        #(#weigh)*
        #(#key)*
    }
}
