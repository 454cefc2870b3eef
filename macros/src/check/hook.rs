//! `#[on(start)]`, `#[on(stop)]`, `#[on(panic)]` and `#[on(undelivered)]`.

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
            let name = hook.when.name();
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
    match (hook.sig.receiver(), hook.when) {
        (None, When::Undelivered) => check_letter(hook, errors),
        (Some(receiver), When::Undelivered) => errors.push(
            receiver,
            "an undelivered hook takes no `self`: its actor may have ended, or be busy; write \
             `fn name(letter: Undelivered)`",
        ),
        (Some(receiver), _) => check_receiver(receiver, errors),
        (None, _) => errors.push(&hook.sig.ident, "a hook takes `&mut self` or `&self`"),
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
    if let (When::Panic, Some(word)) = (hook.when, &hook.sig.asyncness) {
        let text = "a panic hook is not `async`: the actor can't wait to learn what becomes of it";
        errors.push(word, text);
    }
    let output = reply(&hook.sig);
    let text = match hook.when {
        When::Panic if walk::is_unit(&output) => {
            "a panic hook says what comes next: write `-> OnPanic<Self>`"
        }
        _ if walk::is_unit(&output) => return,
        When::Start | When::Panic => return,
        When::Stop => "a stop hook returns nothing: nobody is left to hear of it",
        When::Undelivered => "an undelivered hook returns nothing: nobody waits for it",
    };
    match walk::is_unit(&output) {
        true => errors.push(&hook.sig.ident, text),
        false => errors.push(&output, text),
    }
}

/// An undelivered hook is a function of the letter.
fn check_letter(hook: &Hook, errors: &mut Errors) {
    if let Some(word) = &hook.sig.asyncness {
        let text = "an undelivered hook is not `async`: it runs wherever the message is found; \
                    send the letter on to who may wait";
        errors.push(word, text);
    }
    let mut inputs = typed(hook);
    let (first, second) = (inputs.next(), inputs.next());
    match (first, second) {
        (Some(_), None) => {}
        (_, Some(input)) => errors.push(input, "an undelivered hook takes the letter alone"),
        (None, None) => errors.push(
            &hook.sig.ident,
            "an undelivered hook takes the letter: write `letter: Undelivered`",
        ),
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
        When::Stop if is_of(ty, "ExitReason") => {}
        When::Panic if is_of(ty, "Crash") && matches!(walk::bare(ty), Type::Reference(_)) => {}
        When::Undelivered if walk::last_name(ty).is_some_and(|name| name == "Undelivered") => {}
        // More than one is refused by `check_letter`.
        When::Undelivered if typed(hook).nth(1).is_some() => {}
        When::Undelivered => errors.push(
            input,
            "an undelivered hook takes the letter: write `letter: Undelivered`",
        ),
        When::Start => errors.push(input, "a start hook takes the context at most"),
        When::Panic => {
            let text = "a panic hook takes the context and the `&Crash` at most";
            errors.push(input, text);
        }
        When::Stop => {
            let text = "a stop hook takes the context and the `ExitReason` at most";
            errors.push(input, text);
        }
    }
}

/// A type of this name, or a reference to it.
fn is_of(ty: &Type, name: &str) -> bool {
    let ty = match walk::bare(ty) {
        Type::Reference(reference) if reference.mutability.is_none() => &reference.elem,
        ty => ty,
    };
    walk::last_name(ty).is_some_and(|last| last == name)
}
