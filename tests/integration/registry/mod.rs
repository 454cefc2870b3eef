//! Names of actors.

mod acceptance;
mod names;
mod races;
mod spawns;
mod waits;

use greenroom::{Context, Id, actor};

/// An actor that has a name.
#[actor(mailbox = 4)]
pub(crate) struct Store;

#[actor]
impl Store {
    fn id(&self, ctx: &Context<Self>) -> Id {
        ctx.id()
    }
}

/// One of another type.
#[actor]
pub(crate) struct Cache;

#[actor]
impl Cache {}
