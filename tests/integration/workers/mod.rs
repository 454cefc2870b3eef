//! Pools of workers, and queues for them.

mod pools;
mod queues;
mod repairs;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use greenroom::{Context, Handle, Id, actor};

use crate::actor::support::Gate;

/// How many of something live, and how many ever did.
#[derive(Clone, Default)]
pub(crate) struct Census(Arc<(AtomicUsize, AtomicUsize)>);

impl Census {
    pub(crate) fn alive(&self) -> usize {
        self.0.0.load(Ordering::SeqCst)
    }

    pub(crate) fn born(&self) -> usize {
        self.0.1.load(Ordering::SeqCst)
    }
}

/// One that is counted.
pub(crate) struct Citizen(Census);

impl Citizen {
    fn new(census: &Census) -> Self {
        census.0.0.fetch_add(1, Ordering::SeqCst);
        census.0.1.fetch_add(1, Ordering::SeqCst);
        Self(census.clone())
    }
}

impl Drop for Citizen {
    fn drop(&mut self) {
        self.0.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[actor(mailbox = 2)]
pub(crate) struct Clerk {
    _citizen: Citizen,
    handled: usize,
}

#[actor]
impl Clerk {
    /// Who it is, and how many it has told so since it was made.
    pub(crate) fn sign(&mut self, ctx: &mut Context<Self>) -> (Id, usize) {
        self.handled += 1;
        (Handle::id(&ctx.handle()), self.handled)
    }

    /// Notes that it was told.
    #[message(derive(Clone))]
    pub(crate) fn note(&mut self) {
        self.handled += 1;
    }

    pub(crate) fn noted(&self) -> usize {
        self.handled
    }

    pub(crate) async fn hold(&mut self, gate: Gate) {
        gate.pass().await;
    }

    pub(crate) fn crash(&mut self) {
        panic!("at work");
    }
}

pub(crate) fn clerks(census: &Census) -> impl Fn() -> Clerk + Send + Sync + 'static {
    let census = census.clone();
    move || Clerk {
        _citizen: Citizen::new(&census),
        handled: 0,
    }
}
