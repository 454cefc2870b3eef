//! What a subscriber sees of tasks.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::support::{single, within};

/// Counts spans, of whatever target and level.
#[derive(Clone, Default)]
struct Spans(Arc<AtomicUsize>);

impl Subscriber for Spans {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(self.0.fetch_add(1, Ordering::SeqCst) as u64 + 1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {}

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[test]
fn our_tasks_have_no_spans_for_tokio_console() {
    let spans = Spans::default();
    tracing::subscriber::with_default(spans.clone(), || {
        single().block_on(async {
            within(tokio::spawn(async {})).await.unwrap();
            tracing::info_span!("of the test");
        });
    });
    assert_eq!(spans.0.load(Ordering::SeqCst), 1);
}
