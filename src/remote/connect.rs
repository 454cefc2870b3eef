//! The side that opens connections: it shows who it is, and says which session it wants.

use std::fmt;
use std::io;
use std::sync::Arc;

use tokio::time::timeout;

use super::handshake::{Hello, PeerIsEncrypted, Refused, VERSION, Welcome, Wish, exchange};
use super::limits::{HANDSHAKE, Limits};
use super::policy::{Missing, Policy};
use super::session::Terms;
use super::tls_failure::TlsFailure;
use super::transport::{self, Address, Stream};
use crate::error::Error;

/// Where to, and as whom.
#[derive(Clone)]
pub(super) struct Destination {
    pub(super) address: Address,
    pub(super) policy: Arc<Policy>,
    pub(super) limits: Limits,
}

/// A connection that both sides have agreed upon.
pub(super) struct Agreed {
    pub(super) stream: Box<dyn Stream>,
    pub(super) welcome: Welcome,
}

impl Destination {
    /// Opens a connection, and agrees upon a session.
    pub(super) async fn reach(&self, wish: Wish) -> Result<Agreed, ConnectError> {
        let agreed = timeout(HANDSHAKE, self.agree(wish)).await;
        agreed.unwrap_or(Err(ConnectError::Timeout))
    }

    async fn agree(&self, wish: Wish) -> Result<Agreed, ConnectError> {
        let connection = transport::dial(&self.address).await?;
        if let Err(missing) = self.policy.check_dial(connection.reach) {
            return Err(ConnectError::from(missing));
        }
        let connection = self.policy.opened(connection, &self.address).await?;
        let mut stream = connection.stream;
        let token = self
            .policy
            .own
            .as_ref()
            .map_or(&[][..], |own| own.as_bytes());
        let terms = Terms::of(&self.limits).put().to_vec();
        let hello = Hello::new(wish, terms, token);
        let welcome = exchange(&mut *stream, &hello).await?;
        let welcome = welcome.map_err(ConnectError::Refused)?;
        let is_other = match wish {
            Wish::New => welcome.received != 0,
            Wish::Resume { session, .. } => welcome.session != session,
        };
        if is_other || welcome.version != VERSION {
            let text = "the peer answers what it was not asked";
            return Err(io::Error::new(io::ErrorKind::InvalidData, text).into());
        }
        Ok(Agreed { stream, welcome })
    }
}

/// A link that was not made.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ConnectError {
    /// No connection was had, or it ended before the peer had answered.
    Io(Arc<io::Error>),
    /// The peer did not answer in time.
    Timeout,
    /// The peer refused.
    Refused(Refused),
    /// The address is of another machine, and the connection would not be encrypted:
    /// [`NodeBuilder::insecure`](super::NodeBuilder::insecure) says that it need not be.
    NotEncrypted,
    /// The two sides did not come to an encrypted connection, or one that is not.
    Tls(TlsFailure),
    /// The node was closed.
    Closed,
}

impl From<io::Error> for ConnectError {
    fn from(error: io::Error) -> Self {
        match tls_failure(&error) {
            Some(failure) => Self::Tls(failure),
            None => Self::Io(Arc::new(error)),
        }
    }
}

/// What an error is about, if that is encryption.
fn tls_failure(error: &io::Error) -> Option<TlsFailure> {
    #[cfg(feature = "remote-tls")]
    if let Some(failure) = super::tls::failure(error) {
        return Some(failure);
    }
    let inner = error.get_ref()?;
    if inner.is::<PeerIsEncrypted>() {
        return Some(TlsFailure::IsTls);
    }
    inner.downcast_ref().copied()
}

impl From<Missing> for ConnectError {
    fn from(_: Missing) -> Self {
        Self::NotEncrypted
    }
}

impl fmt::Display for ConnectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => write!(f, "no connection: {error}"),
            Self::Timeout => f.write_str("the peer did not answer in time"),
            Self::Refused(refused) => refused.fmt(f),
            Self::NotEncrypted => f.write_str("the connection would not be encrypted"),
            Self::Tls(failure) => failure.fmt(f),
            Self::Closed => f.write_str("the node was closed"),
        }
    }
}

impl std::error::Error for ConnectError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(&**error),
            Self::Tls(failure) => Some(failure),
            _ => None,
        }
    }
}

impl From<ConnectError> for Error {
    fn from(error: ConnectError) -> Self {
        Self::new(error)
    }
}
