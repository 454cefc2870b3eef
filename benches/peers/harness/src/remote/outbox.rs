//! What leaves a connection of the floor: gathered, then written at once by a task that gives way
//! once before it takes what there is.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::Notify;
use tokio::task::yield_now;

/// Bytes beyond which who sends one way waits.
const ROOM: usize = 1 << 18;

#[derive(Default)]
pub struct Outbox {
    bytes: Mutex<Vec<u8>>,
    filled: Notify,
    emptied: Notify,
}

impl Outbox {
    /// Adds to what leaves next.
    pub fn put(&self, parts: &[&[u8]]) {
        let was_empty = {
            let mut bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
            let was_empty = bytes.is_empty();
            for part in parts {
                bytes.extend_from_slice(part);
            }
            was_empty
        };
        if was_empty {
            self.filled.notify_one();
        }
    }

    /// Waits while there is too much.
    pub async fn room(&self) {
        loop {
            let emptied = self.emptied.notified();
            let len = self
                .bytes
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .len();
            if len < ROOM {
                return;
            }
            emptied.await;
        }
    }

    /// Writes until the connection ends.
    pub async fn write_all(self: Arc<Self>, mut writer: impl AsyncWrite + Unpin) {
        let mut out = Vec::new();
        loop {
            self.filled.notified().await;
            yield_now().await;
            std::mem::swap(
                &mut out,
                &mut self.bytes.lock().unwrap_or_else(PoisonError::into_inner),
            );
            self.emptied.notify_waiters();
            if writer.write_all(&out).await.is_err() {
                return;
            }
            out.clear();
        }
    }
}
