//! The attribute macros of greenroom. Use them as `greenroom::actor`, `greenroom::main` and
//! `greenroom::test`.

#![forbid(unsafe_code)]

mod args;
mod attrs;
mod check;
mod entry;
mod errors;
mod expand;
mod fallback;
mod generics;
mod model;
mod names;
mod parse;
mod setting;
mod walk;

use proc_macro::TokenStream;

/// Makes a type an actor.
#[proc_macro_attribute]
pub fn actor(arguments: TokenStream, item: TokenStream) -> TokenStream {
    expand::actor(arguments.into(), item.into()).into()
}

/// Runs an async `main` on a runtime.
#[proc_macro_attribute]
pub fn main(arguments: TokenStream, item: TokenStream) -> TokenStream {
    entry::expand(entry::Kind::Main, arguments.into(), item.into()).into()
}

/// Runs an async test on a runtime of its own.
#[proc_macro_attribute]
pub fn test(arguments: TokenStream, item: TokenStream) -> TokenStream {
    entry::expand(entry::Kind::Test, arguments.into(), item.into()).into()
}
