//! Names that meet: on the handle, and among the messages.

use crate::errors::Errors;
use crate::model::Message;
use std::collections::HashMap;

pub(super) fn check(messages: &mut [Message], errors: &mut Errors) {
    for message in &mut *messages {
        reserved(message, errors);
    }
    repeated_messages(messages, errors);
    repeated_calls(messages, errors);
}

/// Names that would hide what every handle needs.
fn reserved(message: &mut Message, errors: &mut Errors) {
    let call = message.call.to_string();
    let text = match call.as_str() {
        "clone" => "a handle's `clone` is that of `Clone`",
        "ask" | "tell" => "a handle sends message values by this name",
        "spawn" if message.sig.ident == "spawn" => {
            let text = "an actor's `spawn` starts it: rename this method, or say \
                        `#[message(method = other)]` here and `#[actor(spawn = start)]` on \
                        the type";
            message.hidden = true;
            return errors.push(&message.call, text);
        }
        _ => return,
    };
    message.hidden = true;
    let text = format!("{text}: say `#[message(method = other)]`");
    errors.push(&message.call, text);
}

/// Two methods under opposite cfgs may share a name; which of them is there, rustc knows.
fn may_meet(one: &Message, other: &Message) -> bool {
    one.copied.cfgs.is_empty() || other.copied.cfgs.is_empty()
}

fn repeated_messages(messages: &mut [Message], errors: &mut Errors) {
    let mut first: HashMap<String, usize> = HashMap::new();
    for nth in 0..messages.len() {
        if messages[nth].foreign.is_some() {
            continue;
        }
        let name = messages[nth].name.to_string();
        let Some(&earlier) = first.get(&name) else {
            first.insert(name, nth);
            continue;
        };
        let (one, other) = (&messages[earlier], &messages[nth]);
        if !may_meet(one, other) {
            continue;
        }
        let text = format!(
            "`{}` and `{}` both give the message `{name}`: say `#[message(name = Other)]`",
            one.sig.ident, other.sig.ident
        );
        errors.push(&other.sig.ident, text);
        let name = quote::format_ident!("{}{nth}", messages[nth].name);
        messages[nth].name = name;
    }
}

/// Methods of one name are rustc's to report; `method = ..` makes new meetings.
fn repeated_calls(messages: &mut [Message], errors: &mut Errors) {
    for nth in 1..messages.len() {
        let (earlier, rest) = messages.split_at_mut(nth);
        let other = &mut rest[0];
        let meets = |one: &&Message| one.call == other.call && may_meet(one, other);
        let Some(one) = earlier.iter().find(meets) else {
            continue;
        };
        if one.sig.ident != other.sig.ident {
            let text = format!(
                "`{}` and `{}` are both `{}` on the handle",
                one.sig.ident, other.sig.ident, other.call
            );
            errors.push(&other.call, text);
        }
        other.hidden = true;
    }
}
