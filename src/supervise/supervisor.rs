//! The supervisor: an actor whose state is its [`Desk`].

use std::marker::PhantomData;
use std::sync::Arc;

use tokio::time::Instant;

use super::builder::SupervisorBuilder;
use super::desk::{Desk, Order};
use super::error::{ChildError, ChildKey};
use super::handle::SupervisorHandle;
use super::inbox::Look;
use super::plan::Plan;
use super::roster::Why;
use super::spec::Parts;
use super::tree::Listing;
use crate::actor::{
    Actor, Context, Declared, Deferred, Delegated, ExitReason, Fallible, Handle, Handler, Inline,
    Options, Plain, Room, Route, Slot, Source, Timer,
};
use crate::error::BoxError;
use crate::mailbox::Lane;

/// An actor that starts others, restarts them when they fail, and ends them in reverse.
///
/// See the module [`supervise`](crate::supervise) for what it does when.
pub struct Supervisor {
    desk: Desk,
    plan: Arc<Plan>,
    alarm: Option<(Instant, Timer)>,
}

impl Supervisor {
    pub(super) fn new(plan: Arc<Plan>) -> Self {
        Self {
            desk: Desk::new(Arc::clone(&plan)),
            plan,
            alarm: None,
        }
    }

    /// Begins to describe one.
    pub fn builder() -> SupervisorBuilder {
        SupervisorBuilder::default()
    }

    /// After whatever the desk did: sees to the supervisor's own end, and that it looks in time.
    fn settle(&mut self, ctx: &Context<Self>) {
        if self.desk.decision().is_some() {
            ctx.stop();
        } else if let Some(alarm) = self.desk.alarm()
            && self
                .alarm
                .as_ref()
                .is_none_or(|(at, timer)| *at > alarm || !timer.is_set())
        {
            // Where one is set that is due earlier, it looks then, and sets the next.
            let timer = ctx.at(alarm, Look).keyed("alarm");
            self.alarm = Some((alarm, timer));
        }
    }
}

impl std::fmt::Debug for Supervisor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Supervisor").finish_non_exhaustive()
    }
}

impl Declared for Supervisor {
    type Handle<R: Route> = SupervisorHandle<R>;

    const OPTIONS: Options = Options::new("Supervisor");

    fn wrap<R: Route>(raw: R::Handle<Self>) -> SupervisorHandle<R> {
        SupervisorHandle::wrap(raw)
    }
}

impl Actor for Supervisor {
    const ROOM: Room = Room::NONE;
    const SLOT: Slot = Slot::NONE.fit::<Command>();

    async fn on_start(&mut self, ctx: &mut Context<Self>) -> Result<(), BoxError> {
        self.plan.inbox.ring(Source::of(ctx));
        self.desk.begin();
        self.settle(ctx);
        Ok(())
    }

    async fn on_stop(&mut self, ctx: &mut Context<Self>, reason: ExitReason) {
        let decision = self.desk.decision();
        self.desk.close(match reason {
            ExitReason::Restarted => Why::Halted,
            _ => Why::Told,
        });
        loop {
            self.desk.turn();
            if self.desk.is_home() {
                break;
            }
            self.desk.wait().await;
        }
        if let Some(reason) = decision {
            ctx.end_as(reason);
        }
    }
}

impl Handler<Look> for Supervisor {
    type Reply = ();
    type Shape = Plain;

    const SYNC: bool = true;

    async fn handle(&mut self, look: Look, ctx: &mut Context<Self>) {
        self.handle_now(look, ctx);
    }

    fn handle_now(&mut self, _: Look, ctx: &mut Context<Self>) {
        self.desk.turn();
        self.settle(ctx);
    }
}

/// Something to do with a child.
pub struct Command {
    pub(super) order: Order,
    pub(super) key: ChildKey,
}

impl Handler<Command> for Supervisor {
    type Reply = Delegated<Result<(), ChildError>>;
    type Shape = Deferred<Fallible>;

    const SYNC: bool = true;

    async fn handle(&mut self, command: Command, ctx: &mut Context<Self>) -> Self::Reply {
        self.handle_now(command, ctx)
    }

    fn handle_now(&mut self, command: Command, ctx: &mut Context<Self>) -> Self::Reply {
        let (ack, later) = Delegated::new();
        self.desk.order(command.order, &command.key, ack);
        self.settle(ctx);
        later
    }
}

/// A child to be added. The reply is its handle.
pub struct Add<A> {
    parts: Parts,
    _actor: PhantomData<fn() -> A>,
}

impl<A> Add<A> {
    pub(super) fn new(parts: Parts) -> Self {
        Self {
            parts,
            _actor: PhantomData,
        }
    }
}

impl<A: 'static> Handler<Add<A>> for Supervisor {
    type Reply = Result<Handle<A>, ChildError>;
    type Shape = Fallible;

    const SYNC: bool = true;
    // It makes a cell, and calls no factory.
    const INLINE: Inline = Inline::Always;

    async fn handle(&mut self, add: Add<A>, ctx: &mut Context<Self>) -> Self::Reply {
        self.handle_now(add, ctx)
    }

    fn handle_now(&mut self, add: Add<A>, ctx: &mut Context<Self>) -> Self::Reply {
        let added = self.desk.add(add.parts);
        self.settle(ctx);
        added
    }
}

/// Whose handle is wanted.
pub struct Find<A> {
    key: ChildKey,
    _actor: PhantomData<fn() -> A>,
}

impl<A> Find<A> {
    pub(super) fn new(key: ChildKey) -> Self {
        Self {
            key,
            _actor: PhantomData,
        }
    }
}

impl<A: 'static> Handler<Find<A>> for Supervisor {
    type Reply = Result<Handle<A>, ChildError>;
    type Shape = Fallible;

    const SYNC: bool = true;

    async fn handle(&mut self, find: Find<A>, ctx: &mut Context<Self>) -> Self::Reply {
        self.handle_now(find, ctx)
    }

    fn handle_now(&mut self, find: Find<A>, _: &mut Context<Self>) -> Self::Reply {
        self.desk.handle(&find.key)
    }
}

/// What it has for children is wanted.
pub struct List;

impl Handler<List> for Supervisor {
    type Reply = Listing;
    type Shape = Plain;

    const SYNC: bool = true;
    const LANE: Lane = Lane::Urgent;

    async fn handle(&mut self, list: List, ctx: &mut Context<Self>) -> Self::Reply {
        self.handle_now(list, ctx)
    }

    fn handle_now(&mut self, _: List, ctx: &mut Context<Self>) -> Listing {
        // Who has started may not have been read.
        self.desk.turn();
        self.settle(ctx);
        self.desk.list()
    }
}

/// When all children have started is to be told.
pub struct AwaitLaunch;

impl Handler<AwaitLaunch> for Supervisor {
    type Reply = Delegated<()>;
    type Shape = Deferred<Plain>;

    const SYNC: bool = true;

    async fn handle(&mut self, wait: AwaitLaunch, ctx: &mut Context<Self>) -> Self::Reply {
        self.handle_now(wait, ctx)
    }

    fn handle_now(&mut self, _: AwaitLaunch, _: &mut Context<Self>) -> Self::Reply {
        let (ack, later) = Delegated::new();
        self.desk.tell_launch(ack);
        later
    }
}
