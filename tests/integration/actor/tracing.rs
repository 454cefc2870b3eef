//! Spans and events: an actor's life at INFO, each message at TRACE, faults as they deserve.

use std::collections::HashMap;
use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard};

use greenroom::{Builder, Handle, actor};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use super::support::{assert_at_rest, until, within};

/// A span that was made.
#[derive(Clone, Debug)]
struct Span {
    name: &'static str,
    target: &'static str,
    level: Level,
    fields: Fields,
    references: usize,
    entered: usize,
}

/// An event, with the spans around it, the outermost first.
#[derive(Clone, Debug)]
pub(crate) struct Note {
    pub(crate) level: Level,
    target: &'static str,
    pub(crate) fields: Fields,
    spans: Vec<String>,
}

#[derive(Default)]
struct Pages {
    spans: Vec<Span>,
    stack: Vec<usize>,
    notes: Vec<Note>,
}

/// Writes down all spans and events up to a level, on the thread where it is the default.
#[derive(Clone)]
pub(crate) struct Recorder {
    level: Level,
    pages: Arc<Mutex<Pages>>,
}

impl Recorder {
    pub(crate) fn new(level: Level) -> Self {
        Self {
            level,
            pages: Arc::default(),
        }
    }

    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap()
    }

    fn spans(&self, name: &str) -> Vec<Span> {
        self.pages()
            .spans
            .iter()
            .filter(|span| span.name == name)
            .cloned()
            .collect()
    }

    /// The one event whose text contains this.
    #[track_caller]
    pub(crate) fn note(&self, text: &str) -> Note {
        let pages = self.pages();
        let mut notes = pages
            .notes
            .iter()
            .filter(|note| note.fields.text("message").contains(text));
        let note = notes
            .next()
            .unwrap_or_else(|| panic!("no event says {text}"))
            .clone();
        assert!(notes.next().is_none(), "two events say {text}");
        note
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Fields(HashMap<&'static str, String>);

impl Fields {
    pub(crate) fn text(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.insert(field.name(), format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name(), value.to_owned());
    }
}

fn index(id: &Id) -> usize {
    id.into_u64() as usize - 1
}

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.level
    }

    fn max_level_hint(&self) -> Option<tracing::level_filters::LevelFilter> {
        Some(self.level.into())
    }

    fn new_span(&self, attributes: &Attributes<'_>) -> Id {
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        let metadata = attributes.metadata();
        let (name, target, level) = (metadata.name(), metadata.target(), *metadata.level());
        let mut pages = self.pages();
        pages.spans.push(Span {
            name,
            target,
            level,
            fields,
            references: 1,
            entered: 0,
        });
        Id::from_u64(pages.spans.len() as u64)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let mut pages = self.pages();
        let around = pages.stack.iter().map(|&at| &pages.spans[at]);
        let spans = around.map(|span| format!("{} {}", span.name, span.fields.text("name")));
        let note = Note {
            spans: spans.collect(),
            level: *event.metadata().level(),
            target: event.metadata().target(),
            fields,
        };
        pages.notes.push(note);
    }

    fn enter(&self, id: &Id) {
        let mut pages = self.pages();
        pages.stack.push(index(id));
        pages.spans[index(id)].entered += 1;
    }

    fn exit(&self, id: &Id) {
        assert_eq!(
            self.pages().stack.pop(),
            Some(index(id)),
            "spans are left in order"
        );
    }

    fn clone_span(&self, id: &Id) -> Id {
        self.pages().spans[index(id)].references += 1;
        id.clone()
    }

    fn try_close(&self, id: Id) -> bool {
        let mut pages = self.pages();
        let references = &mut pages.spans[index(&id)].references;
        *references -= 1;
        *references == 0
    }
}

#[actor]
struct Singer {
    stumbles: bool,
}

#[actor]
impl Singer {
    #[on(start)]
    fn begin(&mut self) {
        tracing::info!("warming up");
    }

    #[on(stop)]
    async fn end(&mut self) {
        tokio::task::yield_now().await;
        tracing::info!("bowing");
    }

    fn hum(&mut self) {
        tracing::info!("humming");
    }

    async fn sing(&mut self) {
        tracing::info!("first verse");
        tokio::task::yield_now().await;
        tracing::info!("second verse");
    }

    async fn forget(&mut self) -> Result<(), String> {
        Err("the words".to_owned())
    }

    async fn fall(&mut self) {
        panic!("off the stage");
    }
}

impl Drop for Singer {
    fn drop(&mut self) {
        assert!(!self.stumbles, "stumbled");
    }
}

fn singer(name: &str, stumbles: bool) -> SingerHandle {
    Builder::new(Singer { stumbles }).name(name).spawn()
}

/// Runs a test on this thread alone, with everything up to the level written down.
fn recorded<F: Future<Output = ()>>(level: Level, test: impl FnOnce(Recorder) -> F) {
    let recorder = Recorder::new(level);
    let _guard = super::support::observe(recorder.clone());
    let runtime = super::support::Flavor::OneThread.build();
    runtime.block_on(test(recorder));
}

#[test]
fn an_actor_lives_in_a_span_at_info_with_its_name_and_id() {
    recorded(Level::TRACE, |recorder| async move {
        let carla = singer("carla", false);
        let id = Handle::id(&carla).to_string();
        within(carla.sing()).await.unwrap();
        let spans = recorder.spans("actor");
        assert_eq!(spans.len(), 1);
        assert_eq!(
            (spans[0].level, spans[0].target),
            (Level::INFO, "greenroom::actor")
        );
        assert_eq!(
            (spans[0].fields.text("name"), spans[0].fields.text("id")),
            ("carla", &*id)
        );
        carla.stop();
        within(carla.join()).await;
        drop(carla);
        until(|| recorder.spans("actor")[0].references == 0).await;
    });
}

#[test]
fn each_message_is_handled_in_a_span_at_trace_within_its_actors() {
    recorded(Level::TRACE, |recorder| async move {
        let carla = singer("carla", false);
        within(carla.hum()).await.unwrap();
        carla.sing().tell().await.unwrap();
        within(carla.hum()).await.unwrap();
        let spans = recorder.spans("message");
        assert_eq!(spans.len(), 3);
        for (span, name) in spans.iter().zip(["SingerHum", "SingerSing", "SingerHum"]) {
            assert_eq!(
                (span.level, span.target),
                (Level::TRACE, "greenroom::message")
            );
            assert!(span.fields.text("name").ends_with(name), "{span:?}");
            assert_eq!(span.references, 0, "closed when the message was handled");
        }
        for text in ["first verse", "second verse"] {
            let around = recorder.note(text).spans;
            assert_eq!(around.len(), 2, "{around:?}");
            assert_eq!(around[0], "actor carla");
            assert!(around[1].starts_with("message ") && around[1].ends_with("SingerSing"));
        }
        assert_at_rest(&carla);
    });
}

#[test]
fn at_info_there_is_the_actors_span_alone_round_hooks_and_handlers() {
    recorded(Level::INFO, |recorder| async move {
        let carla = singer("carla", false);
        within(carla.sing()).await.unwrap();
        within(carla.hum()).await.unwrap();
        carla.stop();
        within(carla.join()).await;
        assert!(recorder.spans("message").is_empty());
        for text in [
            "warming up",
            "first verse",
            "second verse",
            "humming",
            "bowing",
        ] {
            assert_eq!(recorder.note(text).spans, ["actor carla"], "{text}");
        }
    });
}

#[test]
fn below_info_there_are_no_spans() {
    recorded(Level::WARN, |recorder| async move {
        let carla = singer("carla", false);
        within(carla.sing()).await.unwrap();
        carla.stop();
        within(carla.join()).await;
        assert!(recorder.pages().spans.is_empty());
    });
}

#[test]
fn a_message_is_not_in_the_span_of_who_sends_it() {
    recorded(Level::INFO, |recorder| async move {
        let carla = singer("carla", false);
        let outer = tracing::info_span!("outside", name = "here");
        let ask = tracing::Instrument::instrument(carla.hum(), outer);
        within(ask).await.unwrap();
        carla.stop();
        within(carla.join()).await;
        let around = recorder.note("humming").spans;
        assert_eq!(
            around.last().map(String::as_str),
            Some("actor carla"),
            "{around:?}"
        );
    });
}

#[test]
fn a_crash_and_a_panic_that_nobody_else_hears_of_are_errors_with_their_text() {
    recorded(Level::WARN, |recorder| async move {
        let carla = singer("carla", false);
        carla.fall().tell().await.unwrap();
        within(carla.join()).await;
        let crash = recorder.note("off the stage");
        assert_eq!(
            (crash.level, crash.target),
            (Level::ERROR, "greenroom::actor")
        );
        assert!(
            crash.fields.text("actor").starts_with("carla#"),
            "{crash:?}"
        );
        let clumsy = singer("clumsy", true);
        clumsy.stop();
        within(clumsy.join()).await;
        let stumble = recorder.note("stumbled");
        assert_eq!(stumble.level, Level::ERROR);
        assert!(
            stumble.fields.text("actor").starts_with("clumsy#"),
            "{stumble:?}"
        );
    });
}

#[test]
fn an_error_that_a_told_message_met_is_a_warning() {
    recorded(Level::WARN, |recorder| async move {
        let carla = singer("carla", false);
        within(carla.forget()).await.unwrap_err();
        assert!(recorder.pages().notes.is_empty(), "its asker was told");
        carla.forget().tell().await.unwrap();
        carla.stop();
        within(carla.join()).await;
        let notes = recorder.pages().notes.clone();
        assert_eq!(notes.len(), 1);
        assert_eq!(
            (notes[0].level, notes[0].target),
            (Level::WARN, "greenroom::actor")
        );
        assert!(
            notes[0].fields.text("actor").starts_with("carla#"),
            "{notes:?}"
        );
    });
}

#[test]
fn the_text_of_a_warning_is_not_hidden_by_its_fields() {
    recorded(Level::WARN, |recorder| async move {
        let carla = singer("carla", false);
        carla.forget().tell().await.unwrap();
        carla.stop();
        within(carla.join()).await;
        let warning = recorder.note("the error of a tell was dropped");
        assert_eq!(warning.level, Level::WARN);
    });
}
