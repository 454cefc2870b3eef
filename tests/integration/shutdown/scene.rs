//! An actor that writes down what it does, and may take long for it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use greenroom::{Context, actor, runtime, shutdown::Report};

use crate::actor::support::within;

/// What happened, in order.
#[derive(Clone, Default)]
pub(super) struct Log(Arc<Mutex<Vec<String>>>);

impl Log {
    pub(super) fn note(&self, what: impl Into<String>) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push(what.into());
    }

    pub(super) fn lines(&self) -> Vec<String> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

#[actor(mailbox = 64)]
pub(super) struct Worker {
    pub(super) name: &'static str,
    pub(super) log: Log,
    /// How long its stop hook takes.
    pub(super) lingers: Duration,
    /// Whom its stop hook tells something.
    pub(super) last_words_to: Option<WorkerHandle>,
}

#[actor]
impl Worker {
    pub(super) async fn hear(&mut self, what: &'static str) {
        self.log.note(format!("{} hears {what}", self.name));
    }

    pub(super) async fn hang(&mut self) {
        std::future::pending::<()>().await;
    }

    pub(super) async fn take(&mut self, time: Duration) {
        pass(time).await;
    }

    /// Ends all others.
    pub(super) async fn end_all(&mut self, _ctx: &mut Context<Self>) -> Report {
        stop_all(Duration::from_secs(1)).await
    }

    #[on(stop)]
    async fn end(&mut self) {
        pass(self.lingers).await;
        if let Some(other) = &self.last_words_to {
            let _ = other.hear("last words").tell().await;
        }
        self.log.note(format!("{} ends", self.name));
    }
}

impl Worker {
    pub(super) fn new(name: &'static str, log: &Log) -> Self {
        Self {
            name,
            log: log.clone(),
            lingers: Duration::ZERO,
            last_words_to: None,
        }
    }
}

pub(super) async fn stop_all(limit: Duration) -> Report {
    within(runtime::Handle::current().stop_actors(limit)).await
}

/// So long, by the runtime's clock.
async fn pass(time: Duration) {
    let never = std::future::pending::<()>();
    let _ = tokio::time::timeout(time, never).await;
}
