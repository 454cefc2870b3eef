//! The actors that a node offers, by name.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::peer::Peer;
use super::target::Target;
use crate::error::Error;
use crate::remote::limits::NAME_BYTES_MAX;
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
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(0) => f.write_str("the name of an export is empty"),
            Self::Name(bytes) => write!(f, "the name of an export has {bytes} bytes, too many"),
            Self::Taken => f.write_str("the node exports another actor under that name"),
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
