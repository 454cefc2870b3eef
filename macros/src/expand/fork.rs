//! `ForkActor`: the actor lives in worlds.

use crate::model::Block;
use crate::names;
use proc_macro2::TokenStream;
use quote::quote_spanned;

// Input: #[actor(fork = shared)] impl<K> Cache<K> where .. { .. }
//
// Output: impl<K> ForkActor for Cache<K> where .. { const GRADE: Grade = Grade::Shared; }
pub(super) fn implement(block: &Block) -> Option<TokenStream> {
    let fork = block.fork.as_ref()?;
    // What is missing of an actor that forks is missing because of the word.
    let span = names::at(fork.word.span());
    let private = block.root.private(span);
    let (params, _, bounds) = block.generics.split_for_impl();
    let actor = &block.actor;
    let grade = fork.grade.as_ref().map(
        |grade| quote_spanned!(span=> const GRADE: #private::Grade = #private::Grade::#grade;),
    );
    Some(quote_spanned! {span=>
        #[automatically_derived]
        impl #params #private::ForkActor for #actor #bounds {
            #grade
        }
    })
}
