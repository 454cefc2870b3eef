//! An actor's span, and what it keeps open.

use std::sync::{Arc, Mutex, MutexGuard};

use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_core::span::Current;

use crate::actor::clerk::clerk;
use crate::actor::support::{Flavor, observe, on_thread, within};

fn index(id: &Id) -> usize {
    id.into_u64() as usize - 1
}

/// Counts references to spans as a registry of them does: a span keeps its parent open.
#[derive(Clone, Default)]
struct Registry(Arc<Mutex<Entries>>);

#[derive(Default)]
struct Entries {
    spans: Vec<Entry>,
    stack: Vec<usize>,
    follows: Vec<(usize, usize)>,
}

struct Entry {
    metadata: &'static Metadata<'static>,
    references: usize,
    parent: Option<usize>,
}

impl Registry {
    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.0.lock().unwrap()
    }

    fn named(&self, name: &str) -> usize {
        let entries = self.entries();
        let mut spans = entries.spans.iter();
        spans.position(|span| span.metadata.name() == name).unwrap()
    }

    fn is_open(&self, name: &str) -> bool {
        let at = self.named(name);
        self.entries().spans[at].references > 0
    }
}

impl Entries {
    fn release(&mut self, at: usize) -> bool {
        self.spans[at].references -= 1;
        let closed = self.spans[at].references == 0;
        if let (true, Some(parent)) = (closed, self.spans[at].parent) {
            self.release(parent);
        }
        closed
    }
}

impl Subscriber for Registry {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::INFO
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut entries = self.entries();
        let parent = match attributes.is_contextual() {
            true => entries.stack.last().copied(),
            false => attributes.parent().map(index),
        };
        if let Some(parent) = parent {
            entries.spans[parent].references += 1;
        }
        entries.spans.push(Entry {
            metadata: attributes.metadata(),
            references: 1,
            parent,
        });
        Id::from_u64(entries.spans.len() as u64)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, span: &Id, follows: &Id) {
        let pair = (index(span), index(follows));
        self.entries().follows.push(pair);
    }

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, id: &Id) {
        self.entries().stack.push(index(id));
    }

    fn exit(&self, _: &Id) {
        self.entries().stack.pop();
    }

    fn clone_span(&self, id: &Id) -> Id {
        self.entries().spans[index(id)].references += 1;
        id.clone()
    }

    fn try_close(&self, id: Id) -> bool {
        self.entries().release(index(&id))
    }

    fn current_span(&self) -> Current {
        let entries = self.entries();
        match entries.stack.last() {
            Some(&at) => Current::new(Id::from_u64(at as u64 + 1), entries.spans[at].metadata),
            None => Current::none(),
        }
    }
}

#[test]
fn an_actors_span_follows_its_spawners_and_does_not_keep_it_open() {
    on_thread(|| {
        let registry = Registry::default();
        let _guard = observe(registry.clone());
        Flavor::OneThread.build().block_on(async {
            let outside = tracing::info_span!("outside");
            let clerk = outside.in_scope(|| clerk(1));
            assert!(registry.is_open("outside"));
            drop(outside);
            assert!(!registry.is_open("outside"), "the actor keeps it open");
            assert!(registry.is_open("actor"));
            let pair = (registry.named("actor"), registry.named("outside"));
            assert_eq!(registry.entries().follows, [pair]);
            within(clerk.ping()).await.unwrap();
            clerk.stop();
            within(clerk.join()).await;
            assert!(!registry.is_open("actor"));
        });
    });
}
