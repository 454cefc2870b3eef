//! What can't be is refused here, all of it in one run, each with what to write instead.

mod hook;
mod message;
mod names;
mod remote;

use crate::args::BlockOptions;
use crate::errors::Errors;
use crate::model::{self, Block};
use crate::parse::Marks;
use crate::walk;
use syn::{DeriveInput, ItemImpl};

/// A struct or enum: an actor owns its state.
pub(crate) fn actor_type(input: &DeriveInput, errors: &mut Errors) {
    for param in input.generics.lifetimes() {
        let message = "an actor outlives its maker: it owns its state and has no lifetimes";
        errors.push(param, message);
    }
}

/// Marks on methods that they don't fit.
pub(crate) fn marks(block: &ItemImpl, marks: &[Marks], errors: &mut Errors) {
    for (method, marks) in model::methods(block).zip(marks) {
        let Some(attribute) = &marks.attribute else {
            continue;
        };
        if marks.hook.is_some() {
            errors.push(
                attribute,
                "a hook is no message: keep one of the two attributes",
            );
        } else if method.sig.receiver().is_none() && !marks.message.skip {
            let name = &method.sig.ident;
            let message = format!("`{name}` takes no `self`, so it is no message anyway");
            errors.push(attribute, message);
        }
        if marks.message.shape.is_some() && walk::streaming(&model::reply(&method.sig)).is_some() {
            let message = "the items of a stream come as they are: leave `plain` or `result` out";
            errors.push(attribute, message);
        }
        let own = marks.message.name.is_some() || !marks.message.derives.is_empty();
        if let (Some(foreign), true) = (&marks.message.foreign, own) {
            let message = "`#[message]` alone says that the argument is the message, which has a \
                           name and derives already";
            errors.push(foreign, message);
        }
    }
}

/// Options of an impl block that don't go together.
pub(crate) fn options(options: &BlockOptions, errors: &mut Errors) {
    remote::option(options, errors);
    let Some(word) = &options.local else { return };
    if options.remote.is_some() {
        let text = "a local actor takes no messages from other processes: export one that asks it";
        errors.push(word, text);
    }
    if options.fork.is_some() {
        let text = "a local actor does not fork: what worlds hold goes to any thread";
        errors.push(word, text);
    }
}

/// Everything in an impl block; what is found broken is marked so.
pub(crate) fn block(item: &ItemImpl, block: &mut Block, errors: &mut Errors) {
    if let Some(word) = &item.unsafety {
        errors.push(word, "an actor's impl block is never `unsafe`");
    }
    for message in &mut block.messages {
        let before = errors.count();
        message::check(message, errors);
        message.broken = errors.count() > before;
    }
    remote::check(block, errors);
    if let (true, Some(fork)) = (block.extend, &block.fork) {
        let text = "`fork` belongs on the main impl block, the one without `extend`";
        errors.push(&fork.word, text);
    }
    names::check(&mut block.messages, errors);
    hook::check(block, errors);
}
