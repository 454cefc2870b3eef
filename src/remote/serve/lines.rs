//! What has come to targets whose mailbox is full.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use bytes::{Bytes, BytesMut};

use super::super::frame::TargetId;
use super::super::target::Target;
use super::work::{Request, What};

/// Payloads from this size on are kept as they lie: of the frame that they keep, they are enough.
const KEPT_BYTES: usize = 16 << 10;

/// Bytes of a block that smaller ones are copied into, together.
const BLOCK_BYTES: usize = 4 << 10;

/// A line for each target that a tell waits for: what comes after that stands here, so that one
/// future waits for a mailbox, and not one for each message. How much there is, its window bounds.
#[derive(Default)]
pub(super) struct Lines {
    lines: BTreeMap<TargetId, Line>,
}

pub(super) struct Line {
    /// It stays, whatever becomes of the export: what has come was accepted for it.
    pub(super) to: Arc<dyn Target>,
    pub(super) behind: VecDeque<Request>,
    block: BytesMut,
}

impl Lines {
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// A tell waits for the target.
    pub(super) fn begin(&mut self, target: TargetId, to: Arc<dyn Target>) {
        let line = Line {
            to,
            behind: VecDeque::new(),
            block: BytesMut::new(),
        };
        self.lines.insert(target, line);
    }

    /// Puts a request behind those that came before. Gives it back where none wait.
    #[inline]
    pub(super) fn put(&mut self, target: TargetId, mut request: Request) -> Option<Request> {
        if self.lines.is_empty() {
            return Some(request);
        }
        let Some(line) = self.lines.get_mut(&target) else {
            return Some(request);
        };
        if request.payload.len() < KEPT_BYTES {
            request.payload = line.copy(&request.payload);
        }
        line.behind.push_back(request);
        None
    }

    /// The tell has been taken: gives the line.
    pub(super) fn take(&mut self, target: TargetId) -> Option<Line> {
        self.lines.remove(&target)
    }

    /// A tell of it waits again.
    pub(super) fn put_back(&mut self, target: TargetId, line: Line) {
        self.lines.insert(target, line);
    }

    /// Nobody waits for answers any more.
    pub(super) fn drop_asks(&mut self) {
        for line in self.lines.values_mut() {
            line.behind.retain(|request| request.what == What::Tell);
        }
    }
}

impl Line {
    fn copy(&mut self, payload: &[u8]) -> Bytes {
        if self.block.capacity() < payload.len() {
            self.block = BytesMut::with_capacity(BLOCK_BYTES.max(payload.len()));
        }
        self.block.extend_from_slice(payload);
        self.block.split().freeze()
    }
}
