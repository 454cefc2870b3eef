//! The sessions of a node.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::handshake::{RandomId, Refused};
use super::super::peer::Peer;
use super::super::share::Shared;

/// Those of both sides. What is taken out is dropped outside of its lock.
#[derive(Default)]
pub(super) struct Sessions {
    /// That others have begun, and can resume.
    accepted: HashMap<RandomId, Arc<Shared>>,
    per_peer: HashMap<Peer, usize>,
    /// That this node has begun.
    begun: HashMap<RandomId, Arc<Shared>>,
    is_closed: bool,
}

impl Sessions {
    /// One that another has begun, unless there are as many as there may be.
    pub(super) fn accept(
        &mut self,
        id: RandomId,
        shared: &Arc<Shared>,
        most: usize,
        most_per_peer: usize,
    ) -> Result<(), Refused> {
        let of_peer = self.per_peer.entry(shared.peer.clone()).or_default();
        if self.is_closed || self.accepted.len() >= most || *of_peer >= most_per_peer {
            return Err(Refused::Busy);
        }
        *of_peer += 1;
        self.accepted.insert(id, shared.clone());
        Ok(())
    }

    /// One to resume, if it is of that peer.
    pub(super) fn find(&self, id: RandomId, peer: &Peer) -> Option<Arc<Shared>> {
        let found = self.accepted.get(&id).cloned();
        found.filter(|shared| shared.peer == *peer && !self.is_closed)
    }

    /// One of this node's; `false` if the node is closed.
    pub(super) fn begin(&mut self, id: RandomId, shared: &Arc<Shared>) -> bool {
        if !self.is_closed {
            self.begun.insert(id, shared.clone());
        }
        !self.is_closed
    }

    #[must_use]
    pub(super) fn remove(&mut self, id: RandomId, is_begun: bool) -> Option<Arc<Shared>> {
        if is_begun {
            return self.begun.remove(&id);
        }
        let removed = self.accepted.remove(&id)?;
        if let Some(of_peer) = self.per_peer.get_mut(&removed.peer) {
            *of_peer -= 1;
            if *of_peer == 0 {
                self.per_peer.remove(&removed.peer);
            }
        }
        Some(removed)
    }

    pub(super) fn all(&self) -> Vec<Arc<Shared>> {
        let all = self.accepted.values().chain(self.begun.values());
        all.cloned().collect()
    }

    /// No more come.
    pub(super) fn close(&mut self) -> Vec<Arc<Shared>> {
        self.is_closed = true;
        self.all()
    }

    pub(super) fn is_closed(&self) -> bool {
        self.is_closed
    }
}
