//! Messages for other processes: what they can't be.

use crate::args::BlockOptions;
use crate::errors::Errors;
use crate::expand::wire_name;
use crate::model::{Block, Message};
use std::collections::HashMap;

pub(super) fn check(block: &mut Block, errors: &mut Errors) {
    let remote = block.remote;
    for message in &mut block.messages {
        let before = errors.count();
        match remote {
            true => check_message(message, errors),
            false => check_unused(message, errors),
        }
        message.broken |= errors.count() > before;
    }
    if remote {
        repeated(&mut block.messages, errors);
    }
}

/// The word itself, where it can't stand.
pub(super) fn option(options: &BlockOptions, errors: &mut Errors) {
    let Some(word) = &options.remote else { return };
    if options.extend {
        let text = "the messages for other processes are those of the main block, which has their \
                    table: move the methods there, or leave `remote` out";
        errors.push(word, text);
    } else if !cfg!(feature = "remote") {
        errors.push(word, "`remote` needs greenroom's feature `remote`");
    }
}

const INSTEAD: &str = "put it in a block under `#[actor(extend)]`, whose messages are local";

fn check_message(message: &Message, errors: &mut Errors) {
    if let Some(param) = message.generics.params.first() {
        let text = format!("a message to another process has one type: name it here, or {INSTEAD}");
        errors.push(param, text);
    }
    if message.stream.is_some() {
        let text = format!("a stream does not go to another process: {INSTEAD}");
        errors.push(crate::model::reply(&message.sig), text);
    }
}

fn check_unused(message: &Message, errors: &mut Errors) {
    let text = "only a message of a block under `#[actor(remote)]` has this";
    if let Some(wire) = &message.wire {
        errors.push(wire, text);
    }
    for version in message.arguments.iter().filter_map(|a| a.version.as_ref()) {
        errors.push(version, text);
    }
}

fn repeated(messages: &mut [Message], errors: &mut Errors) {
    let mut first: HashMap<String, usize> = HashMap::new();
    for nth in 0..messages.len() {
        let name = wire_name(&messages[nth]);
        let Some(&earlier) = first.get(&name) else {
            first.insert(name, nth);
            continue;
        };
        let (one, other) = (&messages[earlier], &messages[nth]);
        if !one.copied.cfgs.is_empty() && !other.copied.cfgs.is_empty() {
            continue;
        }
        if one.sig.ident == other.sig.ident {
            continue; // rustc's to report
        }
        let text = format!("`{}` is `{name}` on the wire as well", one.sig.ident);
        match &other.wire {
            Some(wire) => errors.push(wire, text),
            None => errors.push(&other.sig.ident, text),
        }
        messages[nth].broken = true;
    }
}
