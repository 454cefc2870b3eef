//! What a message has whose handler runs beside others.

use super::super::terms::Terms;
use super::{Parameters, beside, call};
use crate::model::Message;
use crate::names;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

/// `handle_shared` or `handle_shared_now`, and what the trait asks for besides.
pub(super) fn body(private: &Terms, ty: &TokenStream, message: &Message) -> TokenStream {
    match message.is_async() {
        true => asynchronous(private, ty, message),
        false => synchronous(private, ty, message),
    }
}

// Input: #[message(reentrant)] async fn get(&self, k: K) -> Option<V>
//
// Output:
//     const REENTRANT: bool = true;
//     fn handle_shared(&self, message: CacheGet<K>, _: &Context<Self>)
//         -> impl Future<Output = Self::Reply> + Send { runs_beside::<Self>(); Self::get(..) }
//     fn handle(..) -> impl Future<..> { <Self as Handler<M>>::handle_shared(self, ..) }
fn asynchronous(private: &Terms, ty: &TokenStream, message: &Message) -> TokenStream {
    let (context_type, future) = (private.context(), private.future());
    let handler = private.handler();
    let parameters = Parameters::of(message);
    let (value, context) = (&parameters.message, &parameters.context);
    let place = message
        .reentrant
        .as_ref()
        .map_or(message.span(), |word| word.span());
    // On one thread they borrow it in turn.
    let needs_sync = (!private.is_local())
        .then(|| quote_spanned!(names::at(place)=> #private::runs_beside::<Self>();));
    let call = match &message.stream {
        None => call(message, &parameters),
        Some(_) => {
            let beside = beside(private, message, &parameters);
            quote!(async move { #beside })
        }
    };
    quote_spanned! {message.span()=>
        const REENTRANT: ::core::primitive::bool = true;
        fn handle_shared(
            &self,
            #value: #ty,
            #context: &#context_type,
        ) -> #future {
            #needs_sync
            #call
        }
        fn handle(
            &mut self,
            message: #ty,
            ctx: &mut #context_type,
        ) -> #future {
            <Self as #handler<#ty>>::handle_shared(self, message, ctx)
        }
    }
}

// Input: #[message(reentrant)] fn len(&self) -> usize
//
// Output:
//     const REENTRANT: bool = true;
//     const SYNC: bool = true;
//     fn handle_shared_now(&self, ..) -> Self::Reply { Self::len(self) }
//     fn handle_now(..) -> Self::Reply { <Self as Handler<M>>::handle_shared_now(self, ..) }
//     fn handle(..) -> impl Future<..> { ready(<Self as Handler<M>>::handle_now(..)) }
fn synchronous(private: &Terms, ty: &TokenStream, message: &Message) -> TokenStream {
    let (context_type, handler) = (private.context(), private.handler());
    let parameters = Parameters::of(message);
    let (value, context) = (&parameters.message, &parameters.context);
    let call = match &message.stream {
        None => call(message, &parameters),
        Some(_) => beside(private, message, &parameters),
    };
    let handle = super::ready_handle(private, ty);
    quote_spanned! {message.span()=>
        const REENTRANT: ::core::primitive::bool = true;
        const SYNC: ::core::primitive::bool = true;
        fn handle_shared_now(
            &self,
            #value: #ty,
            #context: &#context_type,
        ) -> Self::Reply {
            #call
        }
        fn handle_now(
            &mut self,
            message: #ty,
            ctx: &mut #context_type,
        ) -> Self::Reply {
            <Self as #handler<#ty>>::handle_shared_now(self, message, ctx)
        }
        #handle
    }
}
