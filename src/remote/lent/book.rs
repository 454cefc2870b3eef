//! Actors that were lent to the peer of a session.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::frame::TargetId;
use super::super::target::Target;
use crate::actor::Identity;

/// Each once, however often it was lent. They keep no actor running.
#[derive(Default)]
pub(in crate::remote) struct Book {
    lent: HashMap<TargetId, (Identity, Arc<dyn Target>)>,
    numbers: HashMap<Identity, TargetId>,
}

impl Book {
    pub(in crate::remote) fn number(&self, actor: &Identity) -> Option<TargetId> {
        self.numbers.get(actor).copied()
    }

    pub(in crate::remote) fn target(&self, number: TargetId) -> Option<Arc<dyn Target>> {
        self.lent.get(&number).map(|(_, target)| target.clone())
    }

    /// Gives the one that had the number before, to be dropped outside of the session's lock.
    #[must_use]
    pub(in crate::remote) fn add(
        &mut self,
        number: TargetId,
        actor: Identity,
        target: Arc<dyn Target>,
    ) -> Option<Arc<dyn Target>> {
        let before = self.remove(number);
        self.numbers.insert(actor.clone(), number);
        self.lent.insert(number, (actor, target));
        before
    }

    /// What is taken out is dropped outside of the session's lock.
    #[must_use]
    pub(in crate::remote) fn remove(&mut self, number: TargetId) -> Option<Arc<dyn Target>> {
        let (actor, target) = self.lent.remove(&number)?;
        if self.numbers.get(&actor) == Some(&number) {
            self.numbers.remove(&actor);
        }
        Some(target)
    }
}
