//! What the function does instead: it builds a runtime, and blocks on what it did.

use super::Face;
use super::flavor::Flavor;
use super::options::Options;
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::visit::{self, Visit};
use syn::{ItemFn, ReturnType, Type};

pub(super) fn of(options: &Options, function: &ItemFn) -> TokenStream {
    let runtime = runtime(options);
    let (future, name) = future(function);
    quote! {
        #future
        #runtime.expect("failed to build the runtime").block_on(#name)
    }
}

// Output: `Builder::new_multi_thread().enable_all().build()`, or what greenroom has for it.
fn runtime(options: &Options) -> TokenStream {
    let root = options.root();
    let start = match (options.face, options.flavor) {
        (Face::Greenroom, Flavor::MultiThread) => quote!(Runtime::builder().multi_thread()),
        (Face::Greenroom, _) => quote!(Runtime::builder().current_thread()),
        (Face::Tokio, Flavor::MultiThread) => quote!(Builder::new_multi_thread().enable_all()),
        (Face::Tokio, _) => quote!(Builder::new_current_thread().enable_all()),
    };
    let workers = options.worker_threads.iter().map(|(_, value)| value);
    let paused = options.start_paused.iter().map(|(_, value)| value);
    let seed = options.seed.iter().map(|(_, value)| value);
    let name = &options.name.iter().collect::<Vec<_>>();
    let build = match options.flavor {
        Flavor::Local => quote!(build_local(::core::default::Default::default())),
        _ => quote!(build()),
    };
    quote! {
        #root::__private::#start
            #(.worker_threads(#workers))*
            #(.start_paused(#paused))*
            #(.seed(#seed))*
            #(.name(#name))*
            .#build
    }
}

/// The future, as a statement and an expression.
///
/// An inner function has a return type of its own, so that what rustc says of the body is what it
/// says of any function's. It does not see arguments, type parameters and `Self`: with these it is
/// an async block.
fn future(function: &ItemFn) -> (TokenStream, TokenStream) {
    let (sig, block, name) = (&function.sig, &function.block, &function.sig.ident);
    if sig.inputs.is_empty() && sig.generics.params.is_empty() && !names_self(function) {
        let inner = quote!(#[allow(clippy::unused_async)] #sig #block);
        return (inner, quote!(#name()));
    }
    let hint = hint(&sig.output);
    (quote!(let body = async { #hint #block };), quote!(body))
}

/// Tells an async block what it returns, so that rustc says of it what it says of a function.
fn hint(output: &ReturnType) -> Option<TokenStream> {
    let output = match output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, output) if can_be_named(output) => output.to_token_stream(),
        ReturnType::Type(..) => return None,
    };
    Some(quote! {
        #[allow(unreachable_code, clippy::diverging_sub_expression, clippy::let_unit_value)]
        if false {
            let output: #output = loop {};
            return output;
        }
    })
}

fn names_self(function: &ItemFn) -> bool {
    fn any(tokens: TokenStream) -> bool {
        tokens.into_iter().any(|token| match token {
            TokenTree::Group(group) => any(group.stream()),
            TokenTree::Ident(ident) => ident == "Self",
            _ => false,
        })
    }
    any(function.to_token_stream())
}

/// Whether the type may be written elsewhere than after the arrow.
fn can_be_named(output: &Type) -> bool {
    struct Search(bool);

    impl Visit<'_> for Search {
        fn visit_type(&mut self, node: &Type) {
            self.0 |= matches!(node, Type::ImplTrait(_) | Type::Never(_));
            visit::visit_type(self, node);
        }
    }

    let mut search = Search(false);
    search.visit_type(output);
    !search.0
}
