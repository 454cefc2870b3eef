//! Pressure, and what is refused or delayed under it.

mod levels;
mod spawns;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use greenroom::{PressureBuilder, PressureMonitor};

/// Something that a test says how much there is of.
#[derive(Clone, Default)]
struct Dial(Arc<AtomicU64>);

impl Dial {
    fn set(&self, value: u64) {
        self.0.store(value, Ordering::SeqCst);
    }

    /// A monitor of it: elevated from 100 on, critical from 200 on.
    fn monitor(&self) -> PressureBuilder {
        let read = Arc::clone(&self.0);
        PressureMonitor::builder().source("dial", 100, 200, move || read.load(Ordering::SeqCst))
    }
}
