//! Letting others in: each shows who it is, in a pool of its own and within a time.

use std::io;
use std::sync::Arc;

use tokio::time::{sleep, timeout};

use super::super::handshake::{Hello, RandomId, Refused, VERSION, Welcome, Wish, receive, send};
use super::super::limits::{ACCEPT_PAUSE, HANDSHAKE};
use super::super::peer::Peer;
use super::super::session::Terms;
use super::super::share::{Offer, Shared};
use super::super::transport::{Connection, Listener, Reach};
use super::ListenError;
use super::core::{Core, terms_of};
use super::strangers::Stranger;
use crate::contain::contain;

/// Accepts until the node closes.
pub(super) fn spawn(core: &Arc<Core>, listener: Listener) -> Result<(), ListenError> {
    let accepting = crate::exec::spawn(accept(core.clone(), listener)).abort_handle();
    if core.keep(accepting.clone()) {
        return Ok(());
    }
    accepting.abort();
    Err(ListenError::Closed)
}

async fn accept(core: Arc<Core>, listener: Listener) {
    loop {
        match listener.accept().await {
            Ok(connection) => {
                // At the bound they are dropped: those who wait there have their time.
                if let Some(stranger) = core.strangers.enter(connection.source) {
                    drop(crate::exec::spawn(greet(
                        core.clone(),
                        stranger,
                        connection,
                    )));
                }
            }
            Err(error) if is_of_one(&error) => {}
            Err(_) => sleep(ACCEPT_PAUSE).await, // too many files are open, or the like
        }
    }
}

/// Whether an error is about the one connection that was not accepted.
fn is_of_one(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::NotConnected
            | io::ErrorKind::PermissionDenied
    )
}

async fn greet(core: Arc<Core>, _stranger: Stranger, connection: Connection) {
    // Who says nothing, or nonsense, is told nothing.
    let admitted = timeout(HANDSHAKE, core.admit(connection)).await;
    if let Ok(Err(error)) = admitted {
        let text = error.to_string();
        contain(|| tracing::debug!(target: "greenroom::remote", error = text, "no peer was heard"));
    }
}

impl Core {
    /// Hears who it is, answers, and gives the connection to its session.
    async fn admit(self: &Arc<Self>, connection: Connection) -> io::Result<()> {
        let Connection {
            mut stream,
            reach,
            certified,
            ..
        } = self.policy.accepted(connection).await?;
        let hello = receive(&mut *stream).await?;
        let admitted = match self.judge(&hello, reach, certified) {
            Ok(admitted) => admitted,
            Err(refused) => {
                let text = refused.to_string();
                tracing::warn!(target: "greenroom::remote", refused = text, "a peer was refused");
                return send(&mut *stream, &Err(refused)).await;
            }
        };
        let Admitted {
            shared,
            welcome,
            epoch,
            received,
        } = admitted;
        let sent = send(&mut *stream, &Ok(welcome)).await;
        shared.with(|inner, wakes| {
            // Another connection of the session's may have come meanwhile.
            if sent.is_ok() && inner.epoch == epoch && !inner.is_over() {
                inner.offer(Offer { stream, received }, wakes);
            } else {
                wakes.drop_later(stream);
            }
        });
        sent
    }

    fn judge(
        self: &Arc<Self>,
        hello: &Hello,
        reach: Reach,
        certified: Option<Arc<str>>,
    ) -> Result<Admitted, Refused> {
        let peer = self.policy.judge(&hello.token, reach, certified);
        let peer = peer.ok_or(Refused::Token)?;
        if !(hello.oldest..=hello.newest).contains(&VERSION) {
            return Err(Refused::Version);
        }
        let terms = terms_of(&hello.terms).ok_or(Refused::Version)?;
        match hello.wish {
            Wish::New => self.begin_with(peer, terms),
            Wish::Resume { session, received } => {
                let shared = self.sessions.lock().find(session, &peer);
                self.resume(shared.ok_or(Refused::Session)?, session, received)
            }
        }
    }

    fn begin_with(self: &Arc<Self>, peer: Peer, terms: Terms) -> Result<Admitted, Refused> {
        let session = RandomId::new().map_err(|_| Refused::Busy)?;
        let shared = self.shared(terms, peer);
        let (most, per_peer) = (self.sessions_max, self.sessions_per_peer);
        self.sessions
            .lock()
            .accept(session, &shared, most, per_peer)?;
        self.drive(shared.clone(), session, None);
        Ok(self.admitted(shared, session, 0, 0, 0))
    }

    /// The old connection, if there still is one, is dropped first: what it received counts.
    fn resume(
        &self,
        shared: Arc<Shared>,
        session: RandomId,
        peer_received: u64,
    ) -> Result<Admitted, Refused> {
        let (epoch, received, is_over) = shared.with(|inner, wakes| {
            if !inner.is_over() {
                inner.hang_up(wakes);
            }
            (inner.epoch, inner.session.received(), inner.is_over())
        });
        match is_over {
            true => Err(Refused::Session),
            false => Ok(self.admitted(shared, session, epoch, received, peer_received)),
        }
    }

    fn admitted(
        &self,
        shared: Arc<Shared>,
        session: RandomId,
        epoch: u64,
        received: u64,
        peer_received: u64,
    ) -> Admitted {
        let welcome = Welcome {
            version: VERSION,
            session,
            received,
            terms: Terms::of(&self.limits).put().to_vec(),
        };
        Admitted {
            shared,
            welcome,
            epoch,
            received: peer_received,
        }
    }
}

/// One that was let in, and its session.
struct Admitted {
    shared: Arc<Shared>,
    welcome: Welcome,
    /// Of the session, when this connection was to be its next.
    epoch: u64,
    /// How many records the peer has received.
    received: u64,
}
