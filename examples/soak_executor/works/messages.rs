//! Messages over tokio's channels: whoever waits for one is woken from elsewhere.

use std::sync::Arc;

use tokio::sync::mpsc;

use crate::class::Class;
use crate::ledger::Entry;
use crate::rng::Rng;
use crate::stage::Stage;

/// A plain thread and a task of the host send each message back and forth.
pub fn with_thread(stage: &Stage, mut rng: Rng) {
    while stage.goes_on() {
        let (to_task, mut inbox) = mpsc::channel::<Entry>(1);
        let (to_thread, mut back) = mpsc::channel::<Entry>(1);
        let echo = stage.host.spawn(async move {
            while let Some(entry) = inbox.recv().await {
                to_thread.send(entry).await.expect("the thread waits");
            }
        });
        for _ in 0..rng.below(1_000) {
            let sent = to_task.blocking_send(stage.begin(Class::Thread));
            assert!(sent.is_ok(), "the task waits");
            back.blocking_recv().expect("the task answers").complete();
        }
        drop(to_task);
        assert!(back.blocking_recv().is_none(), "the task has ended");
        assert!(futures::executor::block_on(echo).is_ok());
    }
}

/// A task of the host sends to one of a peer, through a small channel.
pub async fn between_runtimes(stage: Arc<Stage>, mut rng: Rng) {
    while stage.goes_on() {
        let peer = &stage.peers[rng.below(2) as usize];
        let (sender, mut receiver) = mpsc::channel::<Entry>(1 + rng.below(4) as usize);
        let count = rng.below(1_000);
        let consumer = peer.spawn(async move {
            let mut received = 0;
            while let Some(entry) = receiver.recv().await {
                entry.complete();
                received += 1;
            }
            received
        });
        for _ in 0..count {
            let sent = sender.send(stage.begin(Class::Channel)).await;
            assert!(sent.is_ok(), "the consumer waits");
        }
        drop(sender);
        assert_eq!(consumer.await.ok(), Some(count));
    }
}
