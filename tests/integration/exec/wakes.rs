//! Messages between tasks of one busy worker wake no other: sleeps, turns and tokio's own wake-ups
//! are counted per message.

use greenroom::{Runtime, yield_now};
use tokio::sync::mpsc::{self, UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::support::{multi, within};

/// Events that cost a signal between threads.
#[derive(Clone, Copy, Debug)]
struct Signals {
    /// Sleeps of our workers: each takes a wake-up.
    parks: u64,
    /// Turns of our workers: each takes a wake-up by somebody, or a yield to tokio.
    turns: u64,
    /// Times that a thread of tokio's went to sleep or was woken.
    tokio: u64,
}

impl Signals {
    fn of(runtime: &Runtime) -> Self {
        let workers = runtime.metrics().workers;
        Self {
            parks: workers.iter().map(|worker| worker.parks).sum(),
            turns: workers.iter().map(|worker| worker.turns).sum(),
            tokio: tokio_wakes(runtime),
        }
    }
}

#[cfg(target_has_atomic = "64")]
fn tokio_wakes(runtime: &Runtime) -> u64 {
    let metrics = runtime.tokio_handle().metrics();
    (0..metrics.num_workers())
        .map(|worker| metrics.worker_park_unpark_count(worker))
        .sum()
}

#[cfg(not(target_has_atomic = "64"))]
fn tokio_wakes(_: &Runtime) -> u64 {
    0
}

/// Runs a game of so many messages, and checks that it took hardly any signal.
fn assert_quiet<F>(game: impl FnOnce(u64) -> F)
where
    F: Future<Output = ()> + Send + 'static,
{
    const MESSAGES: u64 = 100_000;
    let runtime = multi(4);
    let before = Signals::of(&runtime);
    let game = runtime.spawn(game(MESSAGES));
    runtime.block_on(within("the game", game)).unwrap();
    let after = Signals::of(&runtime);
    let [parks, turns, tokio] = [
        after.parks - before.parks,
        after.turns - before.turns,
        after.tokio - before.tokio,
    ];
    assert!(parks < MESSAGES / 100, "{parks} sleeps");
    // Turns end by the clock too, and tokio may wake a worker at each end; never at each message.
    assert!(turns < MESSAGES / 5, "{turns} turns");
    assert!(tokio < MESSAGES / 2, "{tokio} sleeps and wakes of tokio");
}

/// Passes on what comes.
async fn pass_on(mut from: UnboundedReceiver<u64>, to: UnboundedSender<u64>) {
    while let Some(token) = from.recv().await {
        let _ = to.send(token);
    }
}

/// One message goes round a ring of so many tasks.
async fn ring(tasks: u64, messages: u64) {
    let (first, mut from) = unbounded_channel();
    for _ in 1..tasks {
        let (to, next) = unbounded_channel();
        greenroom::spawn(pass_on(std::mem::replace(&mut from, next), to));
    }
    for token in 0..messages / tasks {
        first.send(token).unwrap();
        assert_eq!(from.recv().await, Some(token));
    }
}

#[test]
fn two_tasks_that_play_ping_pong_wake_no_other_worker() {
    assert_quiet(|messages| ring(2, messages));
}

#[test]
fn a_message_round_a_ring_of_a_thousand_wakes_no_other_worker() {
    assert_quiet(|messages| ring(1_000, messages));
}

#[test]
fn a_publisher_with_one_reader_at_a_time_wakes_no_other_worker() {
    assert_quiet(|messages| async move {
        let (to, mut inbox) = mpsc::channel(1);
        greenroom::spawn(async move {
            for message in 0..messages {
                to.send(message).await.unwrap();
            }
        });
        for message in 0..messages {
            assert_eq!(inbox.recv().await, Some(message));
        }
    });
}

/// Ten publishers, of which one at a time has its turn: the reader hands it on.
#[test]
fn ten_to_one_with_a_turn_for_each_wakes_no_other_worker() {
    assert_quiet(|messages| async move {
        let (publish, mut inbox) = unbounded_channel();
        let turns: Vec<_> = (0..10)
            .map(|_| {
                let (turn, mut turns) = unbounded_channel();
                let publish = publish.clone();
                greenroom::spawn(async move {
                    while let Some(message) = turns.recv().await {
                        publish.send(message).unwrap();
                    }
                });
                turn
            })
            .collect();
        for (message, turn) in (0..messages / 2).zip(turns.iter().cycle()) {
            turn.send(message).unwrap();
            assert_eq!(inbox.recv().await, Some(message));
        }
    });
}

/// Ten publishers that are all runnable, and one reader. Work is there for others, so they may be
/// woken for it; but not again and again.
#[test]
fn ten_to_one_wakes_others_far_less_than_once_a_message() {
    let runtime = multi(4);
    let messages = 100_000;
    let game = runtime.spawn(async move {
        let (publish, mut inbox) = unbounded_channel();
        for _ in 0..10 {
            let publish = publish.clone();
            greenroom::spawn(async move {
                for message in 0..messages / 10 {
                    publish.send(message).unwrap();
                    yield_now().await;
                }
            });
        }
        drop(publish);
        let mut count = 0;
        while inbox.recv().await.is_some() {
            count += 1;
        }
        count
    });
    let count: u64 = runtime.block_on(within("the reader", game)).unwrap();
    assert_eq!(count, messages);
    let parks = Signals::of(&runtime).parks;
    assert!(parks < messages / 5, "{parks} sleeps");
}
