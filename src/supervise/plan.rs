//! What of a supervisor outlives its incarnations: what it was told, and the cells of the children
//! that it was built with.
//!
//! So a supervisor that gives up, and is restarted by its own, starts its children in the cells
//! that they had: handles to them live on at any depth of a tree.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::inbox::Inbox;
use super::link::Link;
use super::roster::Rules;
use super::spec::{Cell, Parts, Spec};
use crate::actor::Head;
use crate::ending::Order;
use crate::sync::Mutex;

pub(crate) struct Plan {
    pub(crate) rules: Rules,
    pub(crate) seed: u64,
    pub(crate) inbox: Arc<Inbox>,
    epoch: AtomicU64,
    /// No cell is dropped under this lock.
    children: Mutex<Vec<Parts>>,
    /// That of its own cell, if it is a child itself.
    link: Mutex<Option<Arc<Link>>>,
}

impl Plan {
    pub(crate) fn new(rules: Rules, seed: u64, children: Vec<Parts>) -> Self {
        Self {
            rules,
            seed,
            inbox: Arc::default(),
            epoch: AtomicU64::new(0),
            children: Mutex::new(children),
            link: Mutex::new(None),
        }
    }

    /// It has a cell, with this link.
    pub(crate) fn belong(self: &Arc<Self>, link: &Arc<Link>, head: &Head) {
        let old = self.link.lock().replace(Arc::clone(link));
        drop(old);
        let plan = Arc::clone(self);
        let farewell = head.on_end(Order::Link, move |_, _| plan.discard());
        debug_assert!(farewell.is_ok(), "nobody else has had the cell to end it");
    }

    pub(crate) fn link(&self) -> Option<Arc<Link>> {
        self.link.lock().clone()
    }

    /// The number of the incarnation that begins.
    pub(crate) fn next_epoch(&self) -> u64 {
        // Ordering: Relaxed; incarnations begin one after the other.
        self.epoch.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The children to begin with. Those of a supervisor that is not restarted are not kept.
    pub(crate) fn take_children(&self, again: bool) -> Vec<(Arc<dyn Spec>, Option<Cell>)> {
        let mut children = self.children.lock();
        if !again {
            let children = std::mem::take(&mut *children);
            return children
                .into_iter()
                .map(|parts| (parts.spec, parts.cell))
                .collect();
        }
        let take = |parts: &mut Parts| (Arc::clone(&parts.spec), parts.cell.take());
        children.iter_mut().map(take).collect()
    }

    /// Keeps the cell of a child for the next incarnation.
    pub(crate) fn keep(&self, index: usize, cell: Cell) {
        let old = self.children.lock()[index].cell.replace(cell);
        drop(old);
    }

    /// There will be no incarnation any more.
    pub(crate) fn discard(&self) {
        let mut children = self.children.lock();
        let cells: Vec<Cell> = children
            .iter_mut()
            .filter_map(|parts| parts.cell.take())
            .collect();
        drop(children);
        drop(cells);
    }
}
