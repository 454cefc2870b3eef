//! `main` and `test`, as `greenroom` and as the facade under tokio's name has them.

mod body;
mod flavor;
mod options;

use crate::errors::Errors;
use options::Options;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{ItemFn, parse_quote};

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Kind {
    Main,
    Test,
}

/// Whose attribute it is.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Face {
    Greenroom,
    Tokio,
}

// Input: #[greenroom::main(worker_threads = 2)] async fn main() -> Reply { body }
//
// Output:
//     fn main() -> Reply {
//         async fn main() -> Reply { body }
//         greenroom::__private::Runtime::builder().multi_thread().worker_threads(2)
//             .build().expect("failed to build the runtime").block_on(main())
//     }
// A test has `#[test]` above it.
pub(crate) fn expand(
    face: Face,
    kind: Kind,
    arguments: TokenStream,
    item: TokenStream,
) -> TokenStream {
    let mut function: ItemFn = match syn::parse2(item.clone()) {
        Ok(function) => function,
        Err(_) => {
            let name = (face.name(), kind.name());
            let message = format!("`#[{}::{}]` goes on an async function", name.0, name.1);
            let error = syn::Error::new_spanned(&item, message).into_compile_error();
            return quote!(#error #item);
        }
    };
    let mut errors = Errors::default();
    let options = Options::read(face, kind, arguments, &mut errors);
    check(kind, &function, &mut errors);
    if errors.count() > 0 {
        return fallback(function, errors);
    }
    let block = body::of(&options, &function);
    function.sig.asyncness = None;
    function.block = Box::new(parse_quote!({ #block }));
    let test = kind.attribute();
    quote!(#test #function)
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Main => "main",
            Self::Test => "test",
        }
    }

    fn attribute(self) -> Option<TokenStream> {
        (self == Self::Test).then(|| quote!(#[::core::prelude::v1::test]))
    }
}

impl Face {
    fn name(self) -> &'static str {
        match self {
            Self::Greenroom => "greenroom",
            Self::Tokio => "tokio",
        }
    }
}

fn check(kind: Kind, function: &ItemFn, errors: &mut Errors) {
    let sig = &function.sig;
    if sig.asyncness.is_none() {
        errors.push(sig.fn_token, "this function needs the keyword `async`");
    }
    // Another function than `main` is called by somebody, who may pass arguments.
    let is_called = kind == Kind::Main && sig.ident != "main";
    if !sig.inputs.is_empty() && !is_called {
        let message = format!("nobody could pass arguments to a {} function", kind.name());
        errors.push(&sig.inputs, message);
    }
    if kind == Kind::Main {
        return;
    }
    for attribute in &function.attrs {
        let last = attribute.path().segments.last();
        if last.is_some_and(|segment| segment.ident == "test") {
            errors.push(
                attribute,
                "this is a second test attribute: the test would run twice",
            );
        }
    }
}

/// The function without its body, so that callers find it.
fn fallback(mut function: ItemFn, errors: Errors) -> TokenStream {
    let errors = errors.report();
    function.sig.asyncness = None;
    if function.sig.ident == "main" {
        function.sig.inputs.clear();
    }
    function.block = parse_quote!({ ::core::unreachable!() });
    function.attrs.clear();
    quote!(#errors #[allow(dead_code, unused_variables)] #function)
}
