//! Targets of the other side that are held here.

use std::collections::HashMap;
use std::sync::Weak;

use super::super::carry;
use super::super::frame::TargetId;
use super::Shared;
use crate::actor::Identity;

/// How often each target is held, and what it is called here.
#[derive(Default)]
pub(super) struct Claims {
    held: HashMap<TargetId, Held>,
}

#[derive(Default)]
struct Held {
    count: usize,
    identity: Option<Identity>,
}

impl Claims {
    pub(super) fn add(&mut self, target: TargetId) {
        self.held.entry(target).or_default().count += 1;
    }

    /// Says whether it was the last.
    pub(super) fn remove(&mut self, target: TargetId) -> bool {
        let Some(held) = self.held.get_mut(&target) else {
            return false;
        };
        held.count -= 1;
        let is_last = held.count == 0;
        if is_last {
            self.held.remove(&target);
        }
        is_last
    }

    /// The same for all who hold it.
    fn identity(&mut self, target: TargetId, name: &str) -> Identity {
        let held = self.held.entry(target).or_default();
        let identity = held.identity.get_or_insert_with(|| carry::identity(name));
        identity.clone()
    }
}

/// One of those who hold a target. The last gives it back. It is not dropped under the lock.
pub(in crate::remote) struct Claim {
    pub(super) shared: Weak<Shared>,
    pub(super) target: TargetId,
}

impl Claim {
    pub(in crate::remote) fn target(&self) -> TargetId {
        self.target
    }

    /// What it is called, where it was found by this name.
    pub(in crate::remote) fn identity(&self, name: &str) -> Identity {
        match self.shared.upgrade() {
            Some(shared) => shared.with(|inner, _| inner.claims.identity(self.target, name)),
            None => carry::identity(name),
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.upgrade() {
            shared.act(|inner, _| inner.unclaim(self.target));
        }
    }
}
