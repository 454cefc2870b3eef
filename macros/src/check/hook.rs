//! `#[on(start)]` and `#[on(stop)]`.

use super::message::check_receiver;
use crate::errors::Errors;
use crate::model::{Argument, Block, Hook, reply};
use crate::parse::When;
use crate::walk;
use syn::{FnArg, Type};

/// Checks the hooks, and leaves only sound ones.
pub(super) fn check(block: &mut Block, errors: &mut Errors) {
    if block.extend {
        for hook in &block.hooks {
            let text = "a hook belongs on the main impl block, the one without `extend`";
            errors.push(&hook.mark, text);
        }
    }
    let mut sound: Vec<Hook> = Vec::new();
    for hook in block.hooks.drain(..) {
        let before = errors.count();
        check_one(&hook, errors);
        let meets = |other: &&Hook| {
            let cfgs = [&other.copied.cfgs, &hook.copied.cfgs];
            other.when == hook.when && cfgs.iter().any(|list| list.is_empty())
        };
        if let Some(other) = sound.iter().find(meets) {
            let name = match hook.when {
                When::Start => "start",
                When::Stop => "stop",
            };
            let text = format!("`{}` is the {name} hook already", other.sig.ident);
            errors.push(&hook.mark, text);
        }
        if errors.count() == before {
            sound.push(hook);
        }
    }
    block.hooks = sound;
}

fn check_one(hook: &Hook, errors: &mut Errors) {
    match hook.sig.receiver() {
        Some(receiver) => check_receiver(receiver, errors),
        None => errors.push(&hook.sig.ident, "a hook takes `&mut self` or `&self`"),
    }
    if let Some(param) = hook.sig.generics.params.first() {
        errors.push(
            param,
            "nobody could choose a hook's parameters: it has none",
        );
    }
    for (argument, input) in hook.arguments.iter().zip(typed(hook)) {
        check_argument(hook, argument, input, errors);
    }
    let output = reply(&hook.sig);
    if hook.when == When::Stop && !walk::is_unit(&output) {
        errors.push(
            &output,
            "a stop hook returns nothing: nobody is left to hear of it",
        );
    }
}

fn typed(hook: &Hook) -> impl Iterator<Item = &FnArg> {
    let inputs = hook.sig.inputs.iter();
    inputs.filter(|input| matches!(input, FnArg::Typed(_)))
}

fn check_argument(hook: &Hook, argument: &Argument, input: &FnArg, errors: &mut Errors) {
    let Some((_, ty)) = &argument.field else {
        return;
    };
    match hook.when {
        When::Stop if is_reason(ty) => {}
        When::Start => errors.push(input, "a start hook takes the context at most"),
        When::Stop => {
            let text = "a stop hook takes the context and the `ExitReason` at most";
            errors.push(input, text);
        }
    }
}

/// `ExitReason` or a reference to it.
fn is_reason(ty: &Type) -> bool {
    let ty = match walk::bare(ty) {
        Type::Reference(reference) if reference.mutability.is_none() => &reference.elem,
        ty => ty,
    };
    walk::last_name(ty).is_some_and(|name| name == "ExitReason")
}
