//! What a node's tasks share.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::super::connect::{Agreed, ConnectError, Destination};
use super::super::driver::{Dialer, Driver};
use super::super::exports::Exports;
use super::super::handshake::{RandomId, Wish};
use super::super::limits::Limits;
use super::super::metrics::Metrics;
use super::super::peer::Peer;
use super::super::policy::Policy;
use super::super::serve::Server;
use super::super::session::{Session, Terms};
use super::super::share::{Offer, Shared};
use super::NodeBuilder;
use super::sessions::Sessions;
use super::strangers::Strangers;
use crate::sync::Mutex;
use crate::task::AbortHandle;

/// Options, exports and sessions.
pub(in crate::remote) struct Core {
    pub(in crate::remote) policy: Arc<Policy>,
    pub(in crate::remote) limits: Limits,
    pub(in crate::remote) exports: Arc<Exports>,
    pub(super) sessions: Mutex<Sessions>,
    pub(super) sessions_max: usize,
    pub(super) sessions_per_peer: usize,
    resume: Duration,
    /// Connections of those who have not yet shown who they are.
    pub(super) strangers: Arc<Strangers>,
    listeners: Mutex<Vec<AbortHandle>>,
}

impl Core {
    pub(super) fn new(options: NodeBuilder) -> Self {
        Self {
            policy: Arc::new(options.policy),
            limits: options.limits,
            exports: Arc::new(Exports::new(options.exports)),
            sessions: Mutex::default(),
            sessions_max: options.sessions,
            sessions_per_peer: options.sessions_per_peer,
            resume: options.resume,
            strangers: Arc::default(),
            listeners: Mutex::default(),
        }
    }

    /// Begins a session with another node.
    pub(in crate::remote) async fn begin(
        self: &Arc<Self>,
        destination: &Destination,
    ) -> Result<Arc<Shared>, ConnectError> {
        if self.sessions.lock().is_closed() {
            return Err(ConnectError::Closed);
        }
        let Agreed { stream, welcome } = destination.reach(Wish::New).await?;
        let terms = terms_of(&welcome.terms).ok_or_else(malformed)?;
        let shared = self.shared(terms, Peer::Unknown);
        if !self.sessions.lock().begin(welcome.session, &shared) {
            return Err(ConnectError::Closed);
        }
        let received = 0;
        shared.with(|inner, wakes| inner.offer(Offer { stream, received }, wakes));
        let dialer = Dialer::new(destination.clone(), welcome.session);
        self.drive(shared.clone(), welcome.session, Some(dialer));
        Ok(shared)
    }

    /// A session with a peer that has said this.
    pub(super) fn shared(&self, terms: Terms, peer: Peer) -> Arc<Shared> {
        let payload_bytes = terms.payload_bytes;
        let now = Instant::now().into_std();
        Shared::new(Session::new(&self.limits, terms, now), peer, payload_bytes)
    }

    /// Starts the session's task. With its end it leaves the table.
    pub(super) fn drive(
        self: &Arc<Self>,
        shared: Arc<Shared>,
        id: RandomId,
        dialer: Option<Dialer>,
    ) {
        let is_begun = dialer.is_some();
        let core = self.clone();
        let on_end = move || {
            let removed = core.sessions.lock().remove(id, is_begun);
            drop(removed); // outside of the lock
        };
        let server = Server::new(shared.clone(), self.exports.clone());
        let driver = Driver::new(shared, server, dialer, self.resume, on_end);
        drop(crate::exec::spawn(driver));
    }

    /// A task that ends with the node; `false` if that has ended.
    pub(super) fn keep(&self, listener: AbortHandle) -> bool {
        let mut listeners = self.listeners.lock();
        if self.sessions.lock().is_closed() {
            return false;
        }
        listeners.push(listener);
        true
    }

    /// Nobody connects any more, and all sessions end. Gives those.
    pub(in crate::remote) fn close(&self) -> Vec<Arc<Shared>> {
        let (listeners, sessions) = {
            let mut listeners = self.listeners.lock();
            let sessions = self.sessions.lock().close();
            (std::mem::take(&mut *listeners), sessions)
        };
        listeners.iter().for_each(AbortHandle::abort);
        self.exports.clear();
        sessions.iter().for_each(|session| session.leave());
        sessions
    }

    pub(super) fn metrics(&self) -> Metrics {
        let sessions = self.sessions.lock().all();
        let mut metrics = Metrics::default();
        for session in sessions {
            session.measure(&mut metrics);
        }
        metrics
    }
}

/// What the peer said of its bounds, if it makes sense.
pub(super) fn terms_of(terms: &[u8]) -> Option<Terms> {
    Terms::take(terms.try_into().ok()?)
}

fn malformed() -> ConnectError {
    let text = "the peer's terms are malformed";
    std::io::Error::new(std::io::ErrorKind::InvalidData, text).into()
}
