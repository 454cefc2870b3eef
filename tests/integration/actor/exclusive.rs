//! A resource that one at a time may hold, and that takes a while to let go.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

pub(crate) struct Exclusive(Arc<AtomicBool>);

impl Exclusive {
    pub(crate) fn take(held: &Arc<AtomicBool>) -> Self {
        assert!(
            !held.swap(true, Ordering::SeqCst),
            "somebody still holds it"
        );
        Self(held.clone())
    }
}

impl Drop for Exclusive {
    fn drop(&mut self) {
        for _ in 0..20 {
            std::thread::yield_now();
        }
        self.0.store(false, Ordering::SeqCst);
    }
}
