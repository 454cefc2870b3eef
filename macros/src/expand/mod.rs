//! From the model to code. Each function takes one thing and shows what becomes of it.

mod actor;
mod declared;
mod foreign;
mod fork;
mod handle;
mod handler;
mod message;
mod methods;
mod policy;
mod remote;
mod terms;

pub(crate) use declared::declare;
pub(crate) use foreign::handler_block;
pub(crate) use remote::name as wire_name;
pub(crate) use terms::Terms;

use crate::args::{BlockOptions, HandlerOptions, TypeOptions};
use crate::check;
use crate::errors::Errors;
use crate::fallback;
use crate::model::Block;
use crate::parse::{self, Input};
use proc_macro2::TokenStream;
use quote::quote;

/// The whole of `#[actor]`.
pub(crate) fn actor(arguments: TokenStream, item: TokenStream) -> TokenStream {
    match Input::read(item.clone()) {
        Ok(Input::Type(input)) => on_type(arguments, &input),
        Ok(Input::Block(block)) => on_block(arguments, block),
        Ok(Input::Handler(block)) => on_handler(arguments, block),
        Err(error) => {
            let error = error.into_compile_error();
            quote!(#error #item)
        }
    }
}

fn on_type(arguments: TokenStream, input: &syn::DeriveInput) -> TokenStream {
    let mut errors = Errors::default();
    let options = TypeOptions::read(arguments, &mut errors);
    check::actor_type(input, &mut errors);
    let declared = declare(input, &options);
    let errors = errors.report();
    quote!(#errors #input #declared)
}

fn on_block(arguments: TokenStream, mut block: syn::ItemImpl) -> TokenStream {
    let mut errors = Errors::default();
    let options = BlockOptions::read(arguments, &mut errors);
    check::options(&options, &mut errors);
    let marks = parse::take_marks(&mut block, &mut errors);
    check::marks(&block, &marks, &mut errors);
    let Some(mut model) = Block::new(&block, marks, &options) else {
        errors.push(
            &block.self_ty,
            "an actor is a struct or an enum, given by its name",
        );
        let errors = errors.report();
        return quote!(#errors #block);
    };
    check::block(&block, &mut model, &mut errors);
    fallback::mend(&mut model);
    let expansion = expand(&model);
    let errors = errors.report();
    quote!(#errors #block #expansion)
}

fn on_handler(arguments: TokenStream, block: syn::ItemImpl) -> TokenStream {
    let mut errors = Errors::default();
    let options = HandlerOptions::read(arguments, &mut errors);
    let block = handler_block(block, &options, &mut errors);
    let errors = errors.report();
    quote!(#errors #block)
}

/// Everything that a block generates beside itself.
fn expand(block: &Block) -> TokenStream {
    let messages = block.messages.iter().map(|m| message::declare(block, m));
    let handlers = block.messages.iter().map(|m| handler::implement(block, m));
    let methods = methods::on_handle(block);
    let actor = (!block.extend).then(|| actor::implement(block));
    let remote = block.messages.iter();
    let remote = remote.filter_map(|message| remote::implement(block, message));
    let fork = (!block.extend).then(|| fork::implement(block)).flatten();
    let parts = handlers
        .chain(actor)
        .chain(remote)
        .chain(remote::table(block))
        .chain(fork);
    let route = remote::route(block);
    let outer = outer(block);
    let parts = parts.map(|part| quote!(#outer const _: () = { #part };));
    quote!(#(#messages)* #methods #route #(#parts)*)
}

/// The block's own attributes, in front of each item made from it.
fn outer(block: &Block) -> TokenStream {
    let (cfgs, lints) = (&block.copied.cfgs, &block.copied.lints);
    quote!(#(#cfgs)* #(#lints)*)
}
