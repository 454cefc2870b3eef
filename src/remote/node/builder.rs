//! Options of a node.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::super::limits::{EXPORTS, Limits, PATIENCE_MAX, RESUME, SESSIONS};
use super::super::policy::Policy;
#[cfg(feature = "remote-tls")]
use super::super::tls::Tls;
use super::super::token::Token;
use super::{Core, Node};

/// Options of a [`Node`].
///
/// ```
/// use greenroom::remote::{Limits, Node, Token};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let node = Node::builder()
///     .token(Token::new("8f14e45fceea167a5a36dedd4bea2543")?)
///     .limits(Limits::new().asks(256))
///     .build();
/// # drop(node);
/// # Ok(()) }
/// ```
#[must_use = "it builds nothing until `build` is called"]
pub struct NodeBuilder {
    pub(super) policy: Policy,
    pub(super) limits: Limits,
    pub(super) exports: usize,
    pub(super) sessions: usize,
    pub(super) sessions_per_peer: usize,
    pub(super) resume: Duration,
}

impl Default for NodeBuilder {
    fn default() -> Self {
        Self {
            policy: Policy::default(),
            limits: Limits::default(),
            exports: EXPORTS,
            sessions: SESSIONS,
            sessions_per_peer: SESSIONS,
            resume: RESUME,
        }
    }
}

impl NodeBuilder {
    /// The token that it shows where it connects, and accepts from those who connect.
    pub fn token(mut self, token: Token) -> Self {
        self.policy.own = Some(token);
        self
    }

    /// Another token that it accepts. Who shows it is known by this name: exports can be for such
    /// peers alone ([`Node::export_to`]).
    pub fn accept(mut self, name: &str, token: Token) -> Self {
        self.policy.named.push((Arc::from(name), token));
        self
    }

    /// Encrypts TCP connections: those that it accepts if this has a certificate, those that it
    /// opens if this has roots. Those who connect still have to show a token, or a certificate if
    /// this demands them.
    #[cfg(feature = "remote-tls")]
    #[cfg_attr(docsrs, doc(cfg(feature = "remote-tls")))]
    pub fn tls(mut self, tls: Tls) -> Self {
        self.policy.tls = Some(tls);
        self
    }

    /// Lets it listen, and connect, where what is said is not encrypted: **who is on the way reads
    /// the token and all messages, and can say what he likes**. Without any token, it lets in
    /// whoever connects.
    pub fn insecure(mut self) -> Self {
        self.policy.is_insecure = true;
        self
    }

    /// Bounds of each session.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// How many actors it exports at most; [`EXPORTS`] unless said.
    pub fn exports(mut self, exports: usize) -> Self {
        self.exports = exports;
        self
    }

    /// How many sessions of others it keeps; [`SESSIONS`] unless said. One that has ended counts
    /// until all that it was told is accepted.
    pub fn sessions(mut self, sessions: usize) -> Self {
        self.sessions = sessions;
        self
    }

    /// How many of them may be of one [`Peer`](super::super::Peer); as many as there may be unless
    /// said.
    pub fn sessions_per_peer(mut self, sessions: usize) -> Self {
        self.sessions_per_peer = sessions;
        self
    }

    /// How long a session outlives its connection; [`RESUME`] unless said.
    pub fn resume_within(mut self, time: Duration) -> Self {
        self.resume = time.min(PATIENCE_MAX);
        self
    }

    /// The node. It does nothing until it listens or connects.
    pub fn build(self) -> Node {
        Node::new(Core::new(self))
    }
}

impl fmt::Debug for NodeBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NodeBuilder")
            .field("limits", &self.limits)
            .field("exports", &self.exports)
            .field("sessions", &self.sessions)
            .field("resume", &self.resume)
            .finish_non_exhaustive()
    }
}
