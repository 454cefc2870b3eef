//! `Actor`: the hooks, and how large messages and handlers are.

use super::terms::Terms;
use crate::generics::message_type;
use crate::model::{Argument, Block, Hook, Message, reply, span_of};
use crate::names;
use crate::parse::When;
use crate::walk;
use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::Generics;

// Input: #[actor] impl<K, V> Cache<K, V> where .. { .. }
//
// Output: impl<K, V> Actor for Cache<K, V> where .. { const ROOM.. const SLOT.. hooks }
pub(super) fn implement(block: &Block) -> TokenStream {
    let span = span_of(&block.actor);
    let of_actor = block.terms(span).actor();
    let (params, _, bounds) = block.generics.split_for_impl();
    let actor = &block.actor;
    let room = sizes(block, "ROOM", "Room", |message, ty| {
        let span = message.span();
        let private = block.root.private(span);
        let handle = quote_spanned!(span=> <Self as #private::Handler<#ty>>::handle);
        // What runs beside others, or is local, is suspended elsewhere.
        let is_kept = message.is_async() && message.reentrant.is_none() && block.local.is_none();
        is_kept.then(|| quote_spanned!(span=> .fit(&#handle)))
    });
    let slot = sizes(block, "SLOT", "Slot", |message, ty| {
        Some(quote_spanned!(message.span()=> .fit::<#ty>()))
    });
    let hooks = block.hooks.iter().map(|hook| self::hook(block, hook));
    let has = |when| block.hooks.iter().any(|hook| hook.when == when);
    let hooks_by_name = [
        ("STARTS", When::Start),
        ("STOPS", When::Stop),
        ("PANICS", When::Panic),
    ];
    let without = hooks_by_name
        .into_iter()
        .filter(|(_, when)| !has(*when))
        .map(|(name, _)| Ident::new(name, span));
    quote_spanned! {span=>
        #[automatically_derived]
        #[allow(deprecated)]
        impl #params #of_actor for #actor #bounds {
            #room
            #slot
            #(const #without: ::core::primitive::bool = false;)*
            #(#hooks)*
        }
    }
}

// Output:
//     const ROOM: Room = {
//         let size = Room::NONE;
//         #[cfg(x)] let size = size.fit(&<Self as Handler<CacheGet<K>>>::handle);
//         size
//     };
fn sizes(
    block: &Block,
    name: &str,
    ty: &str,
    fit: impl Fn(&Message, TokenStream) -> Option<TokenStream>,
) -> TokenStream {
    let span = span_of(&block.actor);
    let private = block.root.private(span);
    let (name, ty) = (Ident::new(name, span), Ident::new(ty, span));
    // What has parameters of its own has no one size; what has bounds of its own may not be there.
    let sized = |message: &&Message| {
        let Generics {
            params,
            where_clause,
            ..
        } = &message.generics;
        params.is_empty() && where_clause.is_none() && !message.broken
    };
    let lines = block.messages.iter().filter(sized).filter_map(|message| {
        let cfgs = &message.copied.cfgs;
        let fit = fit(message, message_type(block, message))?;
        Some(quote_spanned!(message.span()=> #(#cfgs)* let size = size #fit;))
    });
    let lines: Vec<_> = lines.collect();
    if lines.is_empty() {
        return TokenStream::new();
    }
    quote_spanned! {span=>
        const #name: #private::#ty = {
            let size = #private::#ty::NONE;
            #(#lines)*
            size
        };
    }
}

fn hook(block: &Block, hook: &Hook) -> TokenStream {
    let private = block.terms(names::at(hook.sig.ident.span()));
    match hook.when {
        When::Start => start(block, &private, hook),
        When::Stop => stop(&private, hook),
        When::Panic => panic(&private, hook),
        When::Undelivered => undelivered(&private, hook),
    }
}

// Input: #[on(panic)] fn crashed(&mut self, crash: &Crash) -> OnPanic<Self>
//
// Output:
//     fn on_panic(&mut self, ctx: &mut Context<Self>, crash: &Crash) -> OnPanic<Self> {
//         Self::crashed(self, crash)
//     }
fn panic(private: &Terms, hook: &Hook) -> TokenStream {
    let context = private.context();
    let call = call(hook);
    let cfgs = &hook.copied.cfgs;
    let takes_crash = hook
        .arguments
        .iter()
        .any(|argument| argument.field.is_some());
    let ctx = name_if(takes_context(hook), "ctx", hook);
    let reason = name_if(takes_crash, "reason", hook);
    quote_spanned! {names::at(hook.sig.ident.span())=>
        #(#cfgs)*
        fn on_panic(
            &mut self,
            #ctx: &mut #context,
            #reason: &#private::Crash,
        ) -> #private::OnPanic<Self> {
            #call
        }
    }
}

// Input: #[on(undelivered)] fn lost(letter: Undelivered)
//
// Output: const UNDELIVERED: Option<fn(Undelivered)> = Some(Self::lost);
fn undelivered(private: &Terms, hook: &Hook) -> TokenStream {
    let cfgs = &hook.copied.cfgs;
    let method = &hook.sig.ident;
    quote_spanned! {names::at(hook.sig.ident.span())=>
        #(#cfgs)*
        const UNDELIVERED: ::core::option::Option<fn(#private::Undelivered)> =
            ::core::option::Option::Some(Self::#method);
    }
}

// Input: #[on(start)] async fn begin(&mut self, ctx: &mut Context<Self>) -> io::Result<()>
//
// Output:
//     async fn on_start(&mut self, ctx: &mut Context<Self>) -> Result<(), BoxError> {
//         StartOutcome::into_start(Self::begin(self, ctx).await)
//     }
fn start(block: &Block, private: &Terms, hook: &Hook) -> TokenStream {
    let context = private.context();
    let call = call(hook);
    let outcome = outcome(block, hook);
    let cfgs = &hook.copied.cfgs;
    let ctx = name_if(takes_context(hook), "ctx", hook);
    quote_spanned! {names::at(hook.sig.ident.span())=>
        #(#cfgs)*
        async fn on_start(
            &mut self,
            #ctx: &mut #context,
        ) -> ::core::result::Result<(), #private::BoxError> {
            let outcome = #call;
            #outcome
        }
    }
}

/// The conversion of what the hook returned; errors about it fall on the return type.
fn outcome(block: &Block, hook: &Hook) -> TokenStream {
    let span = span_of(&reply(&hook.sig));
    let private = block.root.private(span);
    quote_spanned!(span=> #private::StartOutcome::into_start(outcome))
}

// Input: #[on(stop)] fn end(&mut self, reason: &ExitReason)
//
// Output:
//     async fn on_stop(&mut self, ctx: &mut Context<Self>, reason: ExitReason) {
//         Self::end(self, &reason)
//     }
fn stop(private: &Terms, hook: &Hook) -> TokenStream {
    let context = private.context();
    let call = call(hook);
    let cfgs = &hook.copied.cfgs;
    let takes_reason = hook
        .arguments
        .iter()
        .any(|argument| argument.field.is_some());
    let ctx = name_if(takes_context(hook), "ctx", hook);
    let reason = name_if(takes_reason, "reason", hook);
    quote_spanned! {names::at(hook.sig.ident.span())=>
        #(#cfgs)*
        async fn on_stop(
            &mut self,
            #ctx: &mut #context,
            #reason: #private::ExitReason,
        ) {
            #call
        }
    }
}

fn takes_context(hook: &Hook) -> bool {
    hook.arguments.iter().any(Argument::is_context)
}

/// A parameter's name, or `_` if the hook does not take it.
fn name_if(takes: bool, name: &str, hook: &Hook) -> TokenStream {
    let ident = Ident::new(name, names::at(hook.sig.ident.span()));
    match takes {
        true => quote!(#ident),
        false => quote!(_),
    }
}

/// `Self::begin(self, ctx).await`
fn call(hook: &Hook) -> TokenStream {
    let span = names::at(hook.sig.ident.span());
    let arguments = hook.arguments.iter().map(|argument| {
        let cfgs = &argument.cfgs;
        let value = match &argument.field {
            None => quote_spanned!(span=> ctx),
            Some(_) if hook.when == When::Panic => quote_spanned!(span=> reason),
            Some((_, ty)) if matches!(walk::bare(ty), syn::Type::Reference(_)) => {
                quote_spanned!(span=> &reason)
            }
            Some(_) => quote_spanned!(span=> reason),
        };
        quote!(#(#cfgs)* #value)
    });
    let method = &hook.sig.ident;
    let call = quote_spanned!(span=> Self::#method(self, #(#arguments),*));
    match hook.sig.asyncness {
        Some(_) => quote_spanned!(span=> #call.await),
        None => call,
    }
}
