//! Four senders race a stop: accepted is handled, refused is handed back, nothing in between.

use greenroom::{ExitReason, JoinHandle};

use crate::actor::clerk::{ClerkFile, ClerkHandle, clerk};
use crate::actor::support::{Choices, Ledger, assert_at_rest, within};

const SENDERS: u32 = 4;

/// Runs the race so often, with another moment of the stop each time.
pub(super) async fn rounds(count: u64) {
    for round in 0..count {
        race(&mut Choices::seeded(round + 1)).await;
    }
}

async fn race(choices: &mut Choices) {
    let (ledger, clerk) = (Ledger::default(), clerk(8));
    let senders: Vec<_> = (0..SENDERS)
        .map(|sender| send_until_refused(sender, clerk.clone(), ledger.clone()))
        .collect();
    for _ in 0..choices.below(12) {
        tokio::task::yield_now().await;
    }
    clerk.stop();
    let mut accepted = Vec::new();
    for sender in senders {
        accepted.push(within(sender).await.unwrap());
    }
    assert!(matches!(within(clerk.join()).await, ExitReason::Stopped));
    let tally = ledger.settle();
    assert_eq!(tally.returned, SENDERS as usize);
    assert_eq!(
        tally.discarded + tally.lost + tally.withdrawn,
        0,
        "{tally:?}"
    );
    for (sender, &accepted) in (0..).zip(&accepted) {
        assert_eq!(ledger.handled_without_gaps(sender), accepted);
    }
    assert_at_rest(&clerk);
}

/// Tells, by all three ways in turn, until one is refused; says how many were accepted.
fn send_until_refused(sender: u32, clerk: ClerkHandle, ledger: Ledger) -> JoinHandle<u32> {
    greenroom::spawn(async move {
        let mut accepted = 0;
        loop {
            let note = ledger.note(sender, accepted);
            let back = match accepted % 3 {
                0 => clerk
                    .tell(ClerkFile { note })
                    .await
                    .err()
                    .map(|e| e.into_message()),
                1 => match clerk.file(note).await {
                    Ok(_) => None,
                    Err(error) => Some(error.into_message::<ClerkFile>().expect("not handled")),
                },
                _ => match clerk.try_tell(ClerkFile { note }) {
                    Err(full) if full.is_full() => {
                        let message = full.into_message();
                        clerk.tell(message).await.err().map(|e| e.into_message())
                    }
                    other => other.err().map(|e| e.into_message()),
                },
            };
            if let Some(message) = back {
                message.note.returned();
                return accepted;
            }
            accepted += 1;
        }
    })
}
