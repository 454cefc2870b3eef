//! Who is let in, and where a node may be reached.

use std::io;
use std::sync::Arc;

use super::peer::Peer;
#[cfg(feature = "remote-tls")]
use super::tls::Tls;
use super::token::Token;
use super::transport::{Address, Connection, Reach};

/// What a node asks of those at the other end.
#[derive(Clone, Default)]
pub(super) struct Policy {
    /// Shown to others, and accepted from them.
    pub(super) own: Option<Token>,
    /// Accepted from others, who are known by these names then.
    pub(super) named: Vec<(Arc<str>, Token)>,
    pub(super) is_insecure: bool,
    #[cfg(feature = "remote-tls")]
    pub(super) tls: Option<Tls>,
}

/// What is missing to be reached from there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Missing {
    Token,
    Encryption,
}

impl Policy {
    fn has_tokens(&self) -> bool {
        self.own.is_some() || !self.named.is_empty()
    }

    /// Whether the node may listen where it has that reach.
    pub(super) fn check_listen(&self, reach: Reach) -> Result<(), Missing> {
        match reach {
            Reach::Process | Reach::User => Ok(()),
            _ if self.is_insecure => Ok(()),
            Reach::Open if !self.encrypts_accepted() => Err(Missing::Encryption),
            _ if self.has_tokens() || self.demands_certificates() => Ok(()),
            Reach::Machine | Reach::Open => Err(Missing::Token),
        }
    }

    /// Whether the node may show its token there.
    pub(super) fn check_dial(&self, reach: Reach) -> Result<(), Missing> {
        match reach {
            Reach::Open if !self.is_insecure && !self.encrypts_opened() => Err(Missing::Encryption),
            _ => Ok(()),
        }
    }

    /// Who it is that shows these bytes, and a certificate with that name; `None` for nobody who is
    /// let in.
    pub(super) fn judge(
        &self,
        shown: &[u8],
        reach: Reach,
        certified: Option<Arc<str>>,
    ) -> Option<Peer> {
        let certified = certified.map(Peer::Certified);
        if shown.is_empty() {
            return certified.or(match reach {
                Reach::Process => Some(Peer::Unknown),
                Reach::User => Some(Peer::User),
                Reach::Machine | Reach::Open if self.has_tokens() => None,
                Reach::Machine | Reach::Open => self.is_insecure.then_some(Peer::Unknown),
            });
        }
        // All are compared, so that the time tells nothing about which it was.
        let mut found = None;
        if self.own.as_ref().is_some_and(|own| own.is(shown)) {
            found = Some(Peer::Trusted);
        }
        for (name, token) in &self.named {
            if token.is(shown) {
                found = Some(Peer::Named(name.clone()));
            }
        }
        let found = found?; // a wrong token is not made up for by anything
        Some(certified.unwrap_or(found))
    }
}

/// Encryption: of TCP alone, since others can't listen in on the rest.
#[cfg(feature = "remote-tls")]
impl Policy {
    fn encrypts_accepted(&self) -> bool {
        self.tls.as_ref().is_some_and(Tls::accepts)
    }

    fn encrypts_opened(&self) -> bool {
        self.tls.as_ref().is_some_and(Tls::connects)
    }

    fn demands_certificates(&self) -> bool {
        self.tls.as_ref().is_some_and(Tls::demands_certificates)
    }

    /// A connection that was accepted, encrypted if it is to be.
    pub(super) async fn accepted(&self, connection: Connection) -> io::Result<Connection> {
        match (&self.tls, connection.reach) {
            (Some(tls), Reach::Machine | Reach::Open) if tls.accepts() => {
                tls.accept(connection).await
            }
            _ => Ok(connection),
        }
    }

    /// A connection that was opened, encrypted if it is to be.
    pub(super) async fn opened(
        &self,
        connection: Connection,
        address: &Address,
    ) -> io::Result<Connection> {
        match (&self.tls, connection.reach) {
            (Some(tls), Reach::Machine | Reach::Open) if tls.connects() => {
                tls.connect(connection, address).await
            }
            _ => Ok(connection),
        }
    }
}

/// No encryption.
#[cfg(not(feature = "remote-tls"))]
impl Policy {
    fn encrypts_accepted(&self) -> bool {
        false
    }

    fn encrypts_opened(&self) -> bool {
        false
    }

    fn demands_certificates(&self) -> bool {
        false
    }

    pub(super) async fn accepted(&self, connection: Connection) -> io::Result<Connection> {
        Ok(connection)
    }

    pub(super) async fn opened(&self, from: Connection, _: &Address) -> io::Result<Connection> {
        Ok(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &[u8] = b"0123456789abcdef";
    const OTHER: &[u8] = b"0123456789abcdeg";

    fn with_tokens() -> Policy {
        Policy {
            own: Some(Token::new(SECRET).expect("long enough")),
            named: vec![("bob".into(), Token::new(OTHER).expect("long enough"))],
            is_insecure: false,
            ..Policy::default()
        }
    }

    #[test]
    fn a_token_that_is_shown_must_be_known_from_wherever_it_comes() {
        let policy = with_tokens();
        for reach in [Reach::Process, Reach::User, Reach::Machine, Reach::Open] {
            assert_eq!(policy.judge(SECRET, reach, None), Some(Peer::Trusted));
            assert_eq!(
                policy.judge(OTHER, reach, None),
                Some(Peer::Named("bob".into()))
            );
            assert_eq!(policy.judge(b"0123456789abcdeh", reach, None), None);
            assert_eq!(policy.judge(&SECRET[..15], reach, None), None);
        }
    }

    #[test]
    fn only_this_process_and_this_user_need_no_token() {
        let mut policy = with_tokens();
        assert_eq!(policy.judge(b"", Reach::Process, None), Some(Peer::Unknown));
        assert_eq!(policy.judge(b"", Reach::User, None), Some(Peer::User));
        assert_eq!(policy.judge(b"", Reach::Machine, None), None);
        policy.is_insecure = true;
        assert_eq!(
            policy.judge(b"", Reach::Machine, None),
            None,
            "it has tokens"
        );
        let bare = Policy::default();
        assert_eq!(bare.judge(b"", Reach::Machine, None), None);
    }

    #[test]
    fn without_tokens_a_node_listens_in_private_alone() {
        let bare = Policy::default();
        assert_eq!(bare.check_listen(Reach::User), Ok(()));
        assert_eq!(bare.check_listen(Reach::Machine), Err(Missing::Token));
        assert_eq!(bare.check_listen(Reach::Open), Err(Missing::Encryption));
    }

    #[test]
    fn a_token_alone_is_not_enough_beyond_this_machine() {
        let mut policy = with_tokens();
        assert_eq!(policy.check_listen(Reach::Machine), Ok(()));
        assert_eq!(policy.check_listen(Reach::Open), Err(Missing::Encryption));
        assert_eq!(policy.check_dial(Reach::Open), Err(Missing::Encryption));
        policy.is_insecure = true;
        assert_eq!(policy.check_listen(Reach::Open), Ok(()));
        assert_eq!(policy.check_dial(Reach::Open), Ok(()));
    }
}
