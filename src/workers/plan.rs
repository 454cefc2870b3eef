//! How workers are made.

use std::future::ready;
use std::sync::Arc;

use crate::actor::{Actor, Builder, Factory};

pub(super) struct Plan<A> {
    factory: Arc<dyn Fn() -> A + Send + Sync>,
    pub(super) name: Option<Arc<str>>,
    pub(super) mailbox: Option<usize>,
}

impl<A: Actor> Plan<A> {
    pub(super) fn new(factory: impl Fn() -> A + Send + Sync + 'static) -> Self {
        Self {
            factory: Arc::new(factory),
            name: None,
            mailbox: None,
        }
    }

    /// A worker to be launched. It is built on its way.
    pub(super) fn worker(&self) -> Builder<A> {
        let make = Arc::clone(&self.factory);
        let mut builder = Builder::from_factory(Factory::new(move || ready(Ok(make()))));
        if let Some(name) = &self.name {
            builder = builder.name(Arc::clone(name));
        }
        if let Some(slots) = self.mailbox {
            builder = builder.mailbox(slots);
        }
        builder
    }
}
