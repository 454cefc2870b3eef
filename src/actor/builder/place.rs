//! The making of the actor that a builder describes.

use std::panic::Location;
use std::sync::Arc;

use super::Builder;
use crate::actor::cell::{Plan, create, undo};
use crate::actor::extras::Extras;
use crate::actor::handle::Handle;
use crate::actor::identity::{Identity, Name};
use crate::actor::life::Life;
use crate::actor::route::Local;
use crate::actor::running::Stage;
use crate::actor::spawn_error::SpawnErrorKind;
use crate::actor::strong::Strong;
use crate::actor::traits::Actor;
use crate::admission::check_spawn;
use crate::exec::Executor;
use crate::id::Id;
use crate::limits::MAILBOX_MAX;

impl<A: Actor> Builder<A> {
    /// The slots and bytes of a mailbox, if there can be such.
    pub(crate) fn sizes(
        mailbox: Option<usize>,
        mailbox_bytes: Option<usize>,
    ) -> Result<(usize, Option<usize>), SpawnErrorKind> {
        let capacity = mailbox.unwrap_or(A::OPTIONS.mailbox);
        if capacity == 0 || capacity > MAILBOX_MAX {
            return Err(SpawnErrorKind::Mailbox(capacity));
        }
        let bytes = mailbox_bytes.or(A::OPTIONS.mailbox_bytes);
        if bytes == Some(0) {
            return Err(SpawnErrorKind::MailboxBytes);
        }
        Ok((capacity, bytes))
    }

    /// Without an actor, the cell begins in this stage.
    #[track_caller]
    pub(super) fn place(
        self,
        empty: Stage,
    ) -> Result<A::Handle<Local>, (SpawnErrorKind, Option<A>)> {
        let spawned_at = Location::caller();
        let mut builder = Some(self);
        let spawned = Executor::with_current(|executor| {
            let builder = builder.take().expect("it is spawned once");
            let builder = builder.admitted(executor)?;
            builder.spawn_on(executor, spawned_at, empty)
        });
        match (spawned, builder) {
            (Ok(spawned), _) => spawned,
            (Err(_), Some(builder)) => Err((SpawnErrorKind::NoRuntime, builder.actor)),
            (Err(_), None) => unreachable!("there was no runtime to spawn it on"),
        }
    }

    /// The runtime's policy is asked.
    fn admitted(self, executor: &Executor) -> Result<Self, (SpawnErrorKind, Option<A>)> {
        match check_spawn(executor, self.name.as_deref().unwrap_or(A::OPTIONS.name)) {
            Ok(()) => Ok(self),
            Err(overload) => Err((SpawnErrorKind::Overload(overload), self.actor)),
        }
    }

    fn spawn_on(
        self,
        executor: &Executor,
        spawned_at: &'static Location<'static>,
        empty: Stage,
    ) -> Result<A::Handle<Local>, (SpawnErrorKind, Option<A>)> {
        let (capacity, bytes) = match Self::sizes(self.mailbox, self.mailbox_bytes) {
            Ok(sizes) => sizes,
            Err(kind) => return Err((kind, self.actor)),
        };
        let stage = match self.actor {
            Some(_) if self.goes_on => Stage::Live,
            Some(_) => Stage::New,
            None => empty,
        };
        let name = self.name.map_or(Name::Type(A::OPTIONS.name), Name::Given);
        let is_blocking = self.is_blocking || A::OPTIONS.is_blocking;
        let scheduler = match is_blocking {
            false => executor.scheduler(),
            true => match executor.own_thread(name.as_str()) {
                Ok(scheduler) => scheduler,
                Err(error) => return Err((error.into(), self.actor)),
            },
        };
        let id = Id::next();
        let claimed = self.claim.map(|claim| {
            let identity = Identity::new(name.clone(), id);
            claim(executor, &identity)
        });
        let grant = match claimed.transpose() {
            Ok(grant) => grant,
            Err(kind) => return Err((kind, self.actor)),
        };
        let has_state = self.actor.is_some();
        let life = Life::of(self.overseer, self.rebuild, self.policy, has_state);
        let extras = Extras {
            undelivered: self.undelivered,
            life,
            #[cfg(feature = "world")]
            place: self.place,
            ..Extras::default()
        };
        let plan = Plan {
            name,
            id,
            scheduler,
            capacity,
            extras: extras.boxed(),
            bytes,
            spawned_at,
            stage,
        };
        let runs_at_once = plan.runs_at_once::<A>();
        let unit = create(self.actor, plan, executor);
        if executor.bind(&unit).is_err() {
            // SAFETY: `create::<A>` made it, and nothing else was done with it.
            let actor = unsafe { undo::<A>(unit) };
            return Err((SpawnErrorKind::RuntimeGone, actor));
        }
        let starting = runs_at_once.then(|| unit.clone());
        // SAFETY: `create` gave the unit.
        let handle = Handle::from_strong(unsafe { Strong::first(unit) });
        if let Some(grant) = grant {
            grant(&handle);
        }
        if let Some(unit) = starting {
            Arc::clone(unit.header().scheduler()).schedule(unit);
        }
        Ok(A::wrap::<Local>(handle))
    }
}
