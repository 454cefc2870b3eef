//! After an error: what can't be generated as written is bent until it compiles, so that the rest
//! of the user's program finds all names and types where it looks for them.

use crate::model::{Block, Message, take_lifetimes};
use crate::walk::{self, Flaw, MakeStatic};
use syn::visit_mut::VisitMut;
use syn::{Type, parse_quote};

// Input: #[message(broken)] fn put(&mut self, key: &str, value: impl Debug) -> &str { .. }
//
// Output: fn put(&mut self, key: &'static str) -> &'static str, with a body that never returns
pub(crate) fn mend(block: &mut Block) {
    for message in &mut block.messages {
        if message.broken {
            mend_message(message);
        }
    }
}

/// The type of a parameter on the handle: of a broken message it may borrow, as its caller does.
pub(crate) fn parameter(message: &Message, ty: &Type) -> Type {
    let mut ty = ty.clone();
    if message.broken {
        Elide.visit_type_mut(&mut ty);
    }
    ty
}

/// Takes the names off all lifetimes.
struct Elide;

impl VisitMut for Elide {
    fn visit_lifetime_mut(&mut self, lifetime: &mut syn::Lifetime) {
        *lifetime = syn::Lifetime::new("'_", lifetime.span());
    }
}

fn mend_message(message: &mut Message) {
    if message.fields().count() != 1 {
        message.foreign = None;
    }
    take_lifetimes(&mut message.generics);
    MakeStatic::All.visit_generics_mut(&mut message.generics);
    MakeStatic::All.visit_type_mut(&mut message.reply);
    message.stream = None;
    let opaque = |ty: &Type| matches!(walk::flaw(ty), Some(Flaw::Opaque(..)));
    if opaque(&message.reply) || matches!(message.reply, Type::Never(_)) {
        message.reply = parse_quote!(());
    }
    for argument in &mut message.arguments {
        if let Some((_, ty)) = &mut argument.field {
            MakeStatic::All.visit_type_mut(ty);
        }
    }
    // The count must stay, for callers: what has no nameable type is taken as a parameter.
    for (nth, argument) in message.arguments.iter_mut().enumerate() {
        let Some((_, ty)) = &mut argument.field else {
            continue;
        };
        if opaque(ty) {
            let name = quote::format_ident!("Opaque{nth}");
            *ty = parse_quote!(#name);
            let param = parse_quote!(#name: ::core::marker::Send + 'static);
            message.generics.params.push(param);
        }
    }
}
