//! What is asked.

use std::collections::HashMap;

use greenroom::actor;
use greenroom::remote::Node;

/// Things by their names, and how often each command came.
#[actor]
#[derive(Default)]
pub(crate) struct Canvas {
    things: HashMap<u32, (f32, f32)>,
    last: u32,
    counts: [u32; 4],
}

#[actor(remote)]
impl Canvas {
    pub(crate) fn create(&mut self, x: f32, y: f32) -> u32 {
        self.counts[0] += 1;
        self.last += 1;
        self.things.insert(self.last, (x, y));
        self.last
    }

    pub(crate) fn update(&mut self, name: u32, x: f32, y: f32) {
        self.counts[1] += 1;
        self.things.insert(name, (x, y));
    }

    pub(crate) fn destroy(&mut self, name: u32) {
        self.counts[2] += 1;
        self.things.remove(&name);
    }

    pub(crate) fn show(&mut self) {
        self.counts[3] += 1;
    }

    /// How often each came since this was asked last: create, update, destroy, show.
    pub(crate) fn counts(&mut self) -> [u32; 4] {
        std::mem::take(&mut self.counts)
    }
}

/// Tells what the server's node has counted.
#[actor]
pub(crate) struct Gauge {
    pub(crate) node: Node,
}

#[actor(remote)]
impl Gauge {
    pub(crate) fn replies_retained_max(&self) -> u64 {
        self.node.metrics().replies_retained_max
    }
}
