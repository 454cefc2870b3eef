//! What the impls of an actor name: the traits and types of any actor, or those of a local one.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote_spanned};

/// As tokens it is the module that they are in.
pub(crate) struct Terms {
    private: TokenStream,
    span: Span,
    is_local: bool,
}

impl Terms {
    pub(crate) fn new(private: TokenStream, span: Span, is_local: bool) -> Self {
        Self {
            private,
            span,
            is_local,
        }
    }

    fn choose(&self, any: &str, local: &str) -> TokenStream {
        let name = syn::Ident::new(if self.is_local { local } else { any }, self.span);
        let private = &self.private;
        quote_spanned!(self.span=> #private::#name)
    }

    pub(super) fn declared(&self) -> TokenStream {
        self.choose("Declared", "LocalDeclared")
    }

    pub(super) fn actor(&self) -> TokenStream {
        self.choose("Actor", "LocalActor")
    }

    pub(super) fn handler(&self) -> TokenStream {
        self.choose("Handler", "LocalHandler")
    }

    /// `Context<Self>`
    pub(super) fn context(&self) -> TokenStream {
        let name = self.choose("Context", "LocalContext");
        quote_spanned!(self.span=> #name<Self>)
    }

    /// The type that handles are of: `Counter`, `OneThread<Counter>`.
    pub(super) fn subject(&self, actor: impl ToTokens) -> TokenStream {
        let private = &self.private;
        match self.is_local {
            true => quote_spanned!(self.span=> #private::OneThread<#actor>),
            false => actor.into_token_stream(),
        }
    }

    /// What a handler returns: `impl Future<Output = Self::Reply> + Send`.
    pub(super) fn future(&self) -> TokenStream {
        let reply = quote_spanned!(self.span=> Self::Reply);
        self.future_of(&reply)
    }

    pub(super) fn future_of(&self, output: &TokenStream) -> TokenStream {
        let future = quote_spanned!(self.span=> impl ::core::future::Future<Output = #output>);
        match self.is_local {
            true => future,
            false => quote_spanned!(self.span=> #future + ::core::marker::Send),
        }
    }

    pub(super) fn span(&self) -> Span {
        self.span
    }

    pub(super) fn is_local(&self) -> bool {
        self.is_local
    }
}

impl ToTokens for Terms {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.private.to_tokens(tokens);
    }
}
