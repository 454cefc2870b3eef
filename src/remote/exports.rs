//! The actors that a node offers, by name.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::catalog;
use super::peer::Peer;
use super::target::Target;
use crate::error::Error;
use crate::remote::limits::{CONTROL_BYTES, NAME_BYTES_MAX};
use crate::sync::Mutex;

/// One actor that peers may look up.
pub(super) struct Export {
    /// `None` once it is withdrawn. What is taken out is dropped outside of the lock.
    target: Mutex<Option<Arc<dyn Target>>>,
    /// Names of tokens and certificates; `None` for whoever was let in.
    peers: Option<Box<[Arc<str>]>>,
}

impl Export {
    pub(super) fn new(target: Arc<dyn Target>, peers: Option<Box<[Arc<str>]>>) -> Self {
        let target = Mutex::new(Some(target));
        Self { target, peers }
    }

    /// Who is exported, unless that was withdrawn.
    pub(super) fn target(&self) -> Option<Arc<dyn Target>> {
        self.target.lock().clone()
    }

    /// Bytes of the table of its messages, which a peer gets as a whole.
    fn catalog_bytes(&self) -> usize {
        let target = self.target();
        target.map_or(0, |target| catalog::encode(target.messages()).len())
    }

    fn withdraw(&self) {
        let target = self.target.lock().take();
        drop(target);
    }

    pub(super) fn permits(&self, peer: &Peer) -> bool {
        match (&self.peers, peer) {
            (None, _) => true,
            (Some(peers), Peer::Named(name) | Peer::Certified(name)) => peers.contains(name),
            (Some(_), _) => false,
        }
    }
}

/// All of them. No user code runs under the lock.
pub(super) struct Exports {
    named: Mutex<HashMap<Arc<str>, Arc<Export>>>,
    most: usize,
}

impl Exports {
    pub(super) fn new(most: usize) -> Self {
        Self {
            named: Mutex::default(),
            most,
        }
    }

    pub(super) fn add(&self, name: &str, export: Export) -> Result<(), ExportError> {
        if name.is_empty() || name.len() > NAME_BYTES_MAX {
            return Err(ExportError::Name(name.len()));
        }
        let bytes = export.catalog_bytes();
        if bytes > CONTROL_BYTES as usize {
            return Err(ExportError::Messages(bytes));
        }
        let mut named = self.named.lock();
        if named.contains_key(name) {
            return Err(ExportError::Taken);
        }
        if named.len() >= self.most {
            return Err(ExportError::TooMany(self.most));
        }
        named.insert(name.into(), Arc::new(export));
        Ok(())
    }

    /// Withdraws one, also from those who have looked it up. Says whether it was there.
    pub(super) fn remove(&self, name: &str) -> bool {
        let removed = self.named.lock().remove(name);
        removed.inspect(|export| export.withdraw()).is_some()
    }

    pub(super) fn clear(&self) {
        let named = std::mem::take(&mut *self.named.lock());
        named.into_values().for_each(|export| export.withdraw());
    }

    /// The export of that name, if the peer may see it: who may not learns nothing.
    pub(super) fn find(&self, name: &str, peer: &Peer) -> Option<Arc<Export>> {
        let found = self.named.lock().get(name).cloned();
        found.filter(|export| export.permits(peer))
    }

    /// Whether the export is still offered, to that peer.
    pub(super) fn offers(&self, name: &str, export: &Arc<Export>, peer: &Peer) -> bool {
        let found = self.find(name, peer);
        found.is_some_and(|found| Arc::ptr_eq(&found, export))
    }
}

/// An export that was not made.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ExportError {
    /// The name is empty, or has more bytes than
    /// [`NAME_BYTES_MAX`](crate::remote::limits::NAME_BYTES_MAX).
    Name(usize),
    /// The node exports another actor under that name.
    Taken,
    /// The node exports as many actors as its limits allow.
    TooMany(usize),
    /// The table of the actor's messages, their names on the wire and 18 bytes for each, has more
    /// bytes than [`CONTROL_BYTES`](crate::remote::limits::CONTROL_BYTES).
    Messages(usize),
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(0) => f.write_str("the name of an export is empty"),
            Self::Name(bytes) => write!(f, "the name of an export has {bytes} bytes, too many"),
            Self::Taken => f.write_str("the node exports another actor under that name"),
            Self::Messages(bytes) => {
                write!(
                    f,
                    "the table of the actor's messages has {bytes} bytes, too many"
                )
            }
            Self::TooMany(most) => write!(f, "the node exports {most} actors already"),
        }
    }
}

impl std::error::Error for ExportError {}

impl From<ExportError> for Error {
    fn from(error: ExportError) -> Self {
        Self::new(error)
    }
}

#[cfg(test)]
mod tests {
    use std::any::Any;

    use bytes::Bytes;
    use tokio::time::Instant;

    use super::super::failure::Failure;
    use super::super::handler::{BoxAsked, BoxFuture, Told};
    use super::super::schema::WireMessage;
    use super::*;
    use crate::actor::{ExitReason, Fingerprint};

    /// Nobody, with messages.
    struct Table(Vec<WireMessage>);

    impl Target for Table {
        fn messages(&self) -> &[WireMessage] {
            &self.0
        }

        fn ask(
            &self,
            _: usize,
            _: Bytes,
            _: Option<Instant>,
            _: usize,
        ) -> Result<BoxAsked, Failure> {
            Err(Failure::Unknown)
        }

        fn tell(&self, _: usize, _: Bytes) -> Told {
            Err(Failure::Unknown)
        }

        fn ended(&self) -> BoxFuture<ExitReason> {
            Box::pin(std::future::pending())
        }

        fn actor(&self) -> Option<Box<dyn Any>> {
            None
        }
    }

    #[test]
    fn an_actor_whose_messages_fit_into_no_answer_is_not_exported() {
        let message = |name| WireMessage {
            name,
            fingerprint: Fingerprint(0),
            lends: false,
        };
        let exports = Exports::new(8);
        let export = |name, messages| {
            let target = Arc::new(Table(messages));
            exports.add(name, Export::new(target, None))
        };
        // With its two lengths and its fingerprint: as many bytes as an answer has.
        let name: &str = "m".repeat(CONTROL_BYTES as usize - 2 - 2 - 16).leak();
        assert_eq!(export("fits", vec![message(name)]), Ok(()));
        let found = exports.find("fits", &Peer::Unknown).expect("it is there");
        let target = found.target().expect("it is offered");
        let catalog = catalog::encode(target.messages());
        let catalog = catalog::Catalog::decode(&catalog);
        assert!(catalog.known(&message(name)).kind.is_ok());
        let refused = export("does not", vec![message(name), message("n")]);
        let bytes = CONTROL_BYTES as usize + 2 + 1 + 16;
        assert_eq!(refused, Err(ExportError::Messages(bytes)));
        assert!(exports.find("does not", &Peer::Unknown).is_none());
    }
}
