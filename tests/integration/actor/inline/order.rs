//! The order of one sender's messages, inline and not, and that each is handled once.

use futures::StreamExt;
use futures::future::{join_all, select};
use futures::stream::FuturesUnordered;
use greenroom::{Builder, actor};

use crate::actor::support::{
    Choices, Ledger, Note, assert_at_rest, on_each_runtime, poll_once, within,
};

#[actor]
struct Scribe;

#[actor]
impl Scribe {
    #[message(inline = always)]
    fn write(&mut self, note: Note) {
        note.handled();
    }

    #[message(inline = always)]
    async fn begin(&mut self, note: Note, yields: u64) {
        note.handled();
        for _ in 0..yields {
            tokio::task::yield_now().await;
        }
    }

    /// Asks another first.
    #[message(inline = always)]
    async fn pass_on(&mut self, note: Note, other: ScribeHandle) {
        note.handled();
        let _ = other.ping().await;
    }

    #[message(inline = always)]
    fn ping(&mut self) {}
}

fn scribe(slots: usize) -> ScribeHandle {
    Builder::new(Scribe).mailbox(slots).spawn()
}

async fn send(sender: u32, scribe: ScribeHandle, other: ScribeHandle, ledger: Ledger, rounds: u32) {
    let mut choices = Choices::seeded(u64::from(sender) + 77);
    let mut index = 0;
    let mut next = || {
        index += 1;
        ledger.note(sender, index - 1)
    };
    for _ in 0..rounds {
        match choices.below(9) {
            0 => scribe.write(next()).tell().await.unwrap(),
            1 => scribe.write(next()).await.unwrap(),
            2 => scribe.begin(next(), choices.below(3)).await.unwrap(),
            3 => {
                if let Err(full) = scribe.write(next()).try_tell() {
                    scribe.tell(full.into_message()).await.unwrap();
                }
            }
            4 => {
                let asks = (0..5).map(|_| scribe.write(next()));
                for answer in join_all(asks).await {
                    answer.unwrap();
                }
            }
            5 => {
                let mut asks = FuturesUnordered::new();
                // Polled as they are pushed, so that the first polls are in order.
                for _ in 0..5 {
                    let mut ask = Box::pin(scribe.begin(next(), 1));
                    if poll_once(&mut ask).await.is_pending() {
                        asks.push(ask);
                    }
                }
                while let Some(answer) = asks.next().await {
                    answer.unwrap();
                }
            }
            6 => {
                // Given up after its first poll: handled, or withdrawn.
                let note = next();
                let id = note.id;
                let mut ask = Box::pin(scribe.begin(note, 2));
                let _ = poll_once(&mut ask).await;
                ledger.withdraw(id, ask);
            }
            7 => scribe.pass_on(next(), other.clone()).await.unwrap(),
            _ => {
                let tell = Box::pin(scribe.write(next()).tell());
                let ask = Box::pin(scribe.write(next()));
                match select(tell, ask).await {
                    futures::future::Either::Left((_, ask)) => ask.await.unwrap(),
                    futures::future::Either::Right((_, tell)) => tell.await.unwrap(),
                }
            }
        }
    }
    scribe.ping().await.unwrap();
}

#[test]
fn senders_that_mix_inline_asks_with_all_else_are_each_handled_in_order_and_once() {
    for slots in [1, 2, 64] {
        on_each_runtime(move || async move {
            let ledger = Ledger::default();
            let (scribe, other) = (scribe(slots), scribe(slots));
            let rounds = 600;
            let ours = (0..4).map(|s| {
                let (a, b) = (scribe.clone(), other.clone());
                let task = send(s, a, b, ledger.clone(), rounds);
                futures::FutureExt::boxed(async move { greenroom::spawn(task).await.unwrap() })
            });
            let tokios = (4..8).map(|s| {
                let (a, b) = (scribe.clone(), other.clone());
                let task = send(s, a, b, ledger.clone(), rounds);
                futures::FutureExt::boxed(async move { tokio::spawn(task).await.unwrap() })
            });
            let all: Vec<_> = ours.chain(tokios).collect();
            within(join_all(all)).await;
            assert_at_rest(&scribe);
            drop(scribe);
            ledger.settle();
        });
    }
}

#[test]
fn a_thousand_asks_at_once_of_many_actors_are_each_answered() {
    on_each_runtime(|| async {
        let scribes: Vec<_> = (0..10).map(|_| scribe(4)).collect();
        let ledger = Ledger::default();
        let asks: Vec<_> = (0..1_000_u32)
            .map(|n| scribes[n as usize % 10].begin(ledger.note(n % 10, n / 10), u64::from(n % 3)))
            .collect();
        for answer in within(join_all(asks)).await {
            answer.unwrap();
        }
        for scribe in &scribes {
            assert_at_rest(scribe);
        }
        assert_eq!(ledger.settle().handled, 1_000);
    });
}
