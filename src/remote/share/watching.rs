//! That somebody waits for the end of an actor of the other side.

use std::pin::Pin;
use std::sync::Weak;
use std::task::{Context, Poll};

use tokio::sync::oneshot;

use super::super::frame::MonitorId;
use super::super::remote_end::RemoteEnd;
use super::Shared;

/// Ready with the actor's end. Dropped before, it takes the watch back.
pub(in crate::remote) struct Watching {
    pub(super) told: oneshot::Receiver<RemoteEnd>,
    pub(super) monitor: MonitorId,
    pub(super) shared: Weak<Shared>,
}

impl Future for Watching {
    type Output = RemoteEnd;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<RemoteEnd> {
        let told = Pin::new(&mut self.told).poll(cx);
        told.map(|told| told.unwrap_or(RemoteEnd::Unknown))
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        if let Some(shared) = self.shared.upgrade() {
            shared.act(|inner, wakes| inner.unwatch(self.monitor, wakes));
        }
    }
}
