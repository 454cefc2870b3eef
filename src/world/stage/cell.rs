//! An actor as it runs in a world, and what lies of it in the world's state.

use std::any::Any;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::carried::Collect;
use super::fork_actor::{ForkActor, Grade};
use crate::actor::{AskError, ExitReason, Handle, Refusal, WeakHandle};
use crate::id::Id;
use crate::limits::COLLECT_TRIES;
use crate::world::entry::Entry;
use crate::world::world::World;

/// Where the state of an actor lies.
pub(super) fn state_of<A>(part: Id) -> Entry<A> {
    const STATES: &str = "actor";
    Entry::named(STATES).at(part.as_u64())
}

/// Where it lies what else there is to say of an actor.
pub(super) fn role_of(part: Id) -> Entry<Role> {
    const ROLES: Entry<Role> = Entry::named("role");
    ROLES.at(part.as_u64())
}

/// Why an actor of the world has no state there.
#[derive(Clone)]
pub(super) enum Role {
    /// It is the same one everywhere: a weak handle of its type.
    Shared(Arc<dyn Any + Send + Sync>),
    /// It stays where it was spawned.
    Refuses,
    /// It has ended.
    Ended(ExitReason),
}

/// What is written to the world when it is quiet.
pub(super) type Save = Box<dyn FnOnce(&mut World) + Send>;

/// A running actor, whatever its type.
pub(super) trait AnyCell: Any + Send + Sync {
    /// What is to be saved of it. None: what was saved before stays.
    fn collect(&self, part: Id) -> Pin<Box<dyn Future<Output = Option<Save>> + Send + '_>>;

    /// Whether its state is part of the world.
    fn is_forked(&self) -> bool;

    /// Ends it, without a hook.
    fn kill(&self);
}

/// One of type `A`.
pub(super) struct CellOf<A>(pub(super) Handle<A>);

impl<A: ForkActor> AnyCell for CellOf<A> {
    fn collect(&self, part: Id) -> Pin<Box<dyn Future<Output = Option<Save>> + Send + '_>> {
        Box::pin(async move {
            let role = match A::GRADE {
                Grade::Forked => return self.state(part).await,
                Grade::Shared => Role::Shared(Arc::new(self.0.downgrade())),
                Grade::Refuse => Role::Refuses,
            };
            Some(save(move |world| world.insert(role_of(part), role)))
        })
    }

    fn is_forked(&self) -> bool {
        A::GRADE == Grade::Forked
    }

    fn kill(&self) {
        self.0.kill();
    }
}

impl<A: ForkActor> CellOf<A> {
    async fn state(&self, part: Id) -> Option<Save> {
        // A clone may panic; then the actor ends, or is resumed from what was saved before.
        for _ in 0..COLLECT_TRIES {
            match self.0.ask(Collect).unchecked().await {
                Ok(state) => return Some(save(move |world| world.insert(state_of(part), state))),
                Err(AskError::NotHandled(error)) => {
                    let Refusal::Ended(reason) = error.refusal() else {
                        continue;
                    };
                    let role = Role::Ended(reason.clone());
                    return Some(save(move |world| {
                        world.remove(state_of::<A>(part));
                        world.insert(role_of(part), role);
                    }));
                }
                Err(_) => {}
            }
        }
        None
    }
}

fn save(save: impl FnOnce(&mut World) + Send + 'static) -> Save {
    Box::new(save)
}

/// The actor that is the same one everywhere, as long as it runs.
pub(super) fn shared<A: ForkActor>(handle: &Arc<dyn Any + Send + Sync>) -> Option<Handle<A>> {
    let handle: &WeakHandle<A> = handle.downcast_ref()?;
    Some((*handle.upgrade()?).clone())
}
