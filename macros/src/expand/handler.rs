//! `Handler<M>`: how the actor answers a message.

mod shared;

use super::policy;
use super::terms::Terms;
use crate::args::Shape;
use crate::generics::{joined, message_type, name};
use crate::model::{Argument, Block, Message, span_of};
use crate::walk;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::Type;

// Input: pub async fn get(&mut self, k: K, ctx: &mut Context<Self>) -> Option<V>
//
// Output:
//     impl<K, V> Handler<CacheGet<K>> for Cache<K, V> where .. {
//         type Reply = Option<V>;
//         type Shape = Plain;
//         fn handle(&mut self, message: CacheGet<K>, ctx: &mut Context<Self>)
//             -> impl Future<Output = Self::Reply> + Send { Self::get(self, message.k, ctx) }
//     }
pub(super) fn implement(block: &Block, message: &Message) -> TokenStream {
    let private = block.terms(message.span());
    let handler = private.handler();
    let generics = joined(&block.generics, &message.generics);
    let (params, _, bounds) = generics.split_for_impl();
    let ty = message_type(block, message);
    let actor = &block.actor;
    let (reply, shape) = (reply(message), shape(block, message));
    let inline = inline(&private, message.inline.as_ref());
    let detached = detached(message.detached);
    let policy = policy(&private, &ty, message);
    let reads = reads(message);
    let body = match &message.stream {
        Some(stream) if !stream.detached => streaming(&private, &ty, message),
        _ if message.reentrant.is_some() && !message.broken => shared::body(&private, &ty, message),
        _ if message.is_async() || message.broken => asynchronous(&private, &ty, message),
        _ => synchronous(&private, &ty, message),
    };
    let (cfgs, lints) = (&message.copied.cfgs, &message.copied.lints);
    quote_spanned! {message.span()=>
        #(#cfgs)*
        #(#lints)*
        #[automatically_derived]
        #[allow(deprecated, private_interfaces)]
        impl #params #handler<#ty> for #actor #bounds {
            #reply
            #shape
            #inline
            #detached
            #reads
            #policy
            #body
        }
    }
}

// Output: type Reply = Option<V>;
fn reply(message: &Message) -> TokenStream {
    let ty = &message.reply;
    quote_spanned!(span_of(ty)=> type Reply = #ty;)
}

// Output: type Shape = Plain;
fn shape(block: &Block, message: &Message) -> TokenStream {
    let span = span_of(&message.reply);
    let private = block.root.private(span);
    let shape = match &message.stream {
        Some(stream) if !stream.detached => quote_spanned!(span=> #private::Streamed),
        _ => shape_type(&private, &message.reply, message.shape, span),
    };
    quote_spanned!(span=> type Shape = #shape;)
}

// Output: const INLINE: Inline = Inline::Never;
pub(super) fn inline(private: &impl ToTokens, choice: Option<&Ident>) -> Option<TokenStream> {
    choice.map(|choice| quote!(const INLINE: #private::Inline = #private::Inline::#choice;))
}

// Output: const DETACHED: bool = true;
pub(super) fn detached(is: bool) -> Option<TokenStream> {
    is.then(|| {
        quote!(
            const DETACHED: ::core::primitive::bool = true;
        )
    })
}

// Output: const READS: bool = true;
fn reads(message: &Message) -> Option<TokenStream> {
    (message.reads() && !message.broken).then(|| {
        quote!(
            const READS: ::core::primitive::bool = true;
        )
    })
}

/// Its way through the mailbox. Expressions see each argument, by reference.
fn policy(private: &Terms, ty: &TokenStream, message: &Message) -> Option<TokenStream> {
    if message.broken {
        return None;
    }
    let value = policy::value(message.span());
    let bindings = message
        .fields()
        .map(|(cfgs, name, _)| match message.foreign {
            Some(_) => quote!(#(#cfgs)* let #name = #value;),
            None => quote!(#(#cfgs)* let #name = &#value.#name;),
        });
    let bindings = quote!(#(#bindings)*);
    let span = message.span();
    Some(policy::implement(
        private,
        ty,
        &message.policy,
        &bindings,
        span,
    ))
}

/// `Plain`, or `Deferred<Plain>` for a reply that comes later.
pub(super) fn shape_type(
    private: &impl ToTokens,
    reply: &Type,
    shape: Shape,
    span: Span,
) -> TokenStream {
    let name = match shape {
        Shape::Plain => Ident::new("Plain", span),
        Shape::Fallible => Ident::new("Fallible", span),
    };
    match walk::delegated(reply) {
        None => quote_spanned!(span=> #private::#name),
        Some(_) => quote_spanned!(span=> #private::Deferred<#private::#name>),
    }
}

// Output: fn handle(..) -> impl Future<Output = Self::Reply> + Send { Self::get(self, message.k) }
fn asynchronous(private: &Terms, ty: &TokenStream, message: &Message) -> TokenStream {
    let (context_type, future) = (private.context(), private.future());
    let parameters = Parameters::of(message);
    let (value, context) = (&parameters.message, &parameters.context);
    let call = match message.broken {
        true => quote!(::core::future::pending()),
        false => match &message.stream {
            None => call(message, &parameters),
            Some(_) => {
                let beside = beside(private, message, &parameters);
                quote!(async move { #beside })
            }
        },
    };
    quote_spanned! {message.span()=>
        fn handle(
            &mut self,
            #value: #ty,
            #context: &mut #context_type,
        ) -> #future {
            #call
        }
    }
}

// Output:
//     const SYNC: bool = true;
//     fn handle_now(..) -> Self::Reply { Self::get(self, message.k) }
//     fn handle(..) -> impl Future<..> { ready(<Self as Handler<M>>::handle_now(..)) }
fn synchronous(private: &Terms, ty: &TokenStream, message: &Message) -> TokenStream {
    let context_type = private.context();
    let parameters = Parameters::of(message);
    let (value, context) = (&parameters.message, &parameters.context);
    let call = match &message.stream {
        None => call(message, &parameters),
        Some(_) => beside(private, message, &parameters),
    };
    let handle = ready_handle(private, ty);
    quote_spanned! {message.span()=>
        const SYNC: ::core::primitive::bool = true;
        fn handle_now(
            &mut self,
            #value: #ty,
            #context: &mut #context_type,
        ) -> Self::Reply {
            #call
        }
        #handle
    }
}

// Input: fn all(&mut self) -> impl Stream<Item = u64> + use<>
//
// Output: { let stream = Self::all(self); ReplyStream::detached(ctx, stream) }
fn beside(private: &Terms, message: &Message, parameters: &Parameters) -> TokenStream {
    let call = call(message, parameters);
    let wait = message.is_async().then(|| quote!(.await));
    let context = &parameters.context;
    quote_spanned! {message.span()=>
        let stream = #call #wait;
        #private::ReplyStream::detached(#context, stream)
    }
}

// Input: fn all(&mut self) -> impl Stream<Item = u64>
//
// Output:
//     const STREAMS: bool = true;
//     fn handle_stream(.., feed: Feed<u64>) -> impl Future<..> {
//         async move { let stream = Self::all(self); Feed::by(feed, stream).await }
//     }
//     fn handle(..) -> impl Future<..> { pending() }
fn streaming(private: &Terms, ty: &TokenStream, message: &Message) -> TokenStream {
    let (context_type, future) = (private.context(), private.future());
    let feeding = private.future_of(&quote!(()));
    let parameters = Parameters::of(message);
    let (value, context) = (&parameters.message, &parameters.context);
    let call = call(message, &parameters);
    let wait = message.is_async().then(|| quote!(.await));
    quote_spanned! {message.span()=>
        const STREAMS: ::core::primitive::bool = true;
        fn handle_stream(
            &mut self,
            #value: #ty,
            #context: &mut #context_type,
            feed: <Self::Shape as #private::Shape<Self::Reply>>::Feed,
        ) -> #feeding {
            async move {
                let stream = #call #wait;
                #private::Feed::by(feed, stream).await
            }
        }
        fn handle(
            &mut self,
            _: #ty,
            _: &mut #context_type,
        ) -> #future {
            ::core::future::pending()
        }
    }
}

/// The `handle` of a handler that has `handle_now`.
pub(super) fn ready_handle(private: &Terms, ty: &TokenStream) -> TokenStream {
    let (context_type, future) = (private.context(), private.future());
    let handler = private.handler();
    quote_spanned! {private.span()=>
        fn handle(
            &mut self,
            message: #ty,
            ctx: &mut #context_type,
        ) -> #future {
            let reply = <Self as #handler<#ty>>::handle_now(self, message, ctx);
            ::core::future::ready(reply)
        }
    }
}

/// The names of `handle`'s parameters; `_` for what the method does not take.
struct Parameters {
    message: TokenStream,
    context: TokenStream,
}

impl Parameters {
    fn of(message: &Message) -> Self {
        let takes_message = message.fields().next().is_some() && !message.broken;
        let is_detached = message
            .stream
            .as_ref()
            .is_some_and(|stream| stream.detached);
        let takes_context = is_detached || message.arguments.iter().any(Argument::is_context);
        let name = |used: bool, name: &str| {
            let ident = Ident::new(name, message.span());
            match used && !message.broken {
                true => quote!(#ident),
                false => quote!(_),
            }
        };
        Self {
            message: name(takes_message, "message"),
            context: name(takes_context, "ctx"),
        }
    }
}

/// `Self::get(self, message.k, ctx)`: a path, so that no trait's method of that name is meant.
fn call(message: &Message, parameters: &Parameters) -> TokenStream {
    let method = &message.sig.ident;
    let (value, context) = (&parameters.message, &parameters.context);
    let arguments = message.arguments.iter().map(|argument| {
        let cfgs = &argument.cfgs;
        let expr = match &argument.field {
            None => context.clone(),
            Some(_) if message.foreign.is_some() => value.clone(),
            Some((name, _)) => quote!(#value.#name),
        };
        quote!(#(#cfgs)* #expr)
    });
    // Parameters that only the body uses can't be inferred.
    let names = message.generics.params.iter().filter_map(name);
    let names: Vec<_> = names.collect();
    let given = (!names.is_empty()).then(|| quote!(::<#(#names),*>));
    quote_spanned!(message.span()=> Self::#method #given(self, #(#arguments),*))
}
