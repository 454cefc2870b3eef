//! What keeps a session going.

use std::sync::Arc;

use super::node::Node;
use super::share::Shared;

/// Held by a link and by each handle that was looked up by it: with the last of them the session
/// ends in order. It keeps its node, too.
pub(super) struct Lease {
    shared: Arc<Shared>,
    _node: Node,
}

impl Lease {
    pub(super) fn new(shared: Arc<Shared>, node: Node) -> Arc<Self> {
        Arc::new(Self {
            shared,
            _node: node,
        })
    }

    pub(super) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.shared.leave();
    }
}
