//! How often workers were restarted, and whether they may be once more.

use tokio::time::Instant;

use crate::supervise::{Intensity, Window};
use crate::sync::Mutex;

pub(super) struct Restarts {
    intensity: Intensity,
    began: Instant,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    window: Window,
    count: u64,
}

impl Restarts {
    pub(super) fn new(intensity: Intensity) -> Self {
        Self {
            intensity,
            began: Instant::now(),
            inner: Mutex::default(),
        }
    }

    /// Notes one more, if that is allowed.
    pub(super) fn allow(&self) -> bool {
        let now = self.began.elapsed();
        let mut inner = self.inner.lock();
        let is_allowed = inner.window.has_room(self.intensity, now);
        if is_allowed {
            inner.window.note(self.intensity, now);
            inner.count += 1;
        }
        is_allowed
    }

    pub(super) fn count(&self) -> u64 {
        self.inner.lock().count
    }
}
