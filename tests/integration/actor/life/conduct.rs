//! How actors behave beside each other, and while they start.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver};

use greenroom::{Builder, Context, Runtime, actor, limits};

use crate::actor::clerk::clerk;
use crate::actor::support::{
    BUSY, Flavor, Gate, Ledger, assert_at_rest, on_each_seat, on_runtime, on_thread, until, within,
};

/// Blocks its thread, as no handler should.
#[actor]
struct Stuck;

#[actor]
impl Stuck {
    fn block(&mut self, begun: mpsc::Sender<()>, end: Receiver<()>) {
        begun.send(()).expect("the test listens");
        end.recv().expect("the test speaks");
    }
}

#[test]
fn an_actor_that_blocks_its_worker_does_not_keep_others_from_theirs() {
    on_runtime(Flavor::TwoWorkers, || async {
        let ((begun, has_begun), (end, may_end)) = (mpsc::channel(), mpsc::channel());
        let stuck = Stuck.spawn();
        stuck.block(begun, may_end).tell().await.unwrap();
        within(tokio::task::spawn_blocking(move || {
            has_begun.recv().unwrap()
        }))
        .await
        .unwrap();
        let (ledger, clerks) = (Ledger::default(), (0..16).map(|_| clerk(4)));
        let asks = clerks.zip(0..).map(|(clerk, sender)| {
            let ledger = ledger.clone();
            greenroom::spawn(async move {
                for index in 0..50 {
                    clerk
                        .defer(ledger.note(sender, index))
                        .tell()
                        .await
                        .unwrap();
                }
                clerk.ping().await.unwrap();
                assert_at_rest(&clerk);
            })
        });
        for ask in asks.collect::<Vec<_>>() {
            within(ask).await.unwrap();
        }
        end.send(()).unwrap();
        stuck.stop();
        within(stuck.join()).await;
        assert_eq!(ledger.settle().handled, 800);
    });
}

#[test]
fn an_actor_that_waits_in_its_handler_does_not_keep_others_on_its_thread() {
    on_each_seat(|| async {
        let (ledger, gate) = (Ledger::default(), Gate::shut());
        let waiting: Vec<_> = (0..100).map(|_| clerk(1)).collect();
        for clerk in &waiting {
            clerk
                .hold(ledger.note(BUSY, 0), gate.clone())
                .tell()
                .await
                .unwrap();
            gate.reached().await;
        }
        let other = clerk(1);
        for index in 0..100 {
            within(other.defer(ledger.note(0, index))).await.unwrap();
        }
        gate.open();
        for clerk in &waiting {
            within(clerk.ping()).await.unwrap();
            assert_at_rest(clerk);
        }
    });
}

/// Always has a next message, until it has had them all.
#[actor(mailbox = 2)]
struct Restless {
    handled: Arc<AtomicUsize>,
    left: usize,
}

#[actor]
impl Restless {
    fn step(&mut self, ctx: &mut Context<Self>) {
        self.handled.fetch_add(1, Ordering::SeqCst);
        self.left -= 1;
        if self.left > 0 {
            ctx.handle().step().try_tell().expect("a slot of its own");
        }
    }
}

/// Messages that one turn of a worker may take: so many polls of so many messages. Others are
/// served in the next turn at the latest; a second one is the allowance for what is under way.
const TWO_TURNS: usize = 2 * limits::POLLS_PER_TURN * limits::MESSAGES_PER_ACTIVATION;

const STEPS: usize = 300_000;

async fn others_get_their_turns() {
    let (handled, ledger) = (Arc::new(AtomicUsize::new(0)), Ledger::default());
    let restless = Restless {
        handled: handled.clone(),
        left: STEPS,
    }
    .spawn();
    restless.step().tell().await.unwrap();
    until(|| handled.load(Ordering::SeqCst) > 0).await;
    let clerk = clerk(1);
    for index in 0..10 {
        let before = handled.load(Ordering::SeqCst);
        within(clerk.defer(ledger.note(0, index)).tell())
            .await
            .unwrap();
        within(clerk.ping()).await.unwrap();
        let meanwhile = handled.load(Ordering::SeqCst) - before;
        assert!(
            meanwhile <= 4 * TWO_TURNS,
            "{meanwhile} messages before the other's two"
        );
    }
    assert!(
        handled.load(Ordering::SeqCst) < STEPS,
        "it was done before the other began"
    );
    until(|| handled.load(Ordering::SeqCst) == STEPS).await;
    restless.stop();
    until(|| restless.is_stopped()).await;
    assert_at_rest(&restless);
    assert_eq!(ledger.settle().handled, 10);
}

#[test]
fn an_actor_that_always_tells_itself_lets_others_on_its_only_thread_have_their_turns() {
    on_runtime(Flavor::OneThread, others_get_their_turns);
}

#[test]
fn an_actor_that_always_tells_itself_lets_others_on_its_only_worker_have_their_turns() {
    on_thread(|| {
        let runtime = Runtime::builder()
            .multi_thread()
            .worker_threads(1)
            .build()
            .unwrap();
        runtime.block_on(async {
            within(greenroom::spawn(others_get_their_turns()))
                .await
                .unwrap();
        });
    });
}

/// Is not ready before its gate opens.
#[actor(mailbox = 4)]
struct Slow {
    gate: Gate,
    ready: bool,
}

#[actor]
impl Slow {
    #[on(start)]
    async fn begin(&mut self) {
        self.gate.pass().await;
        self.ready = true;
    }

    fn is_ready(&mut self) -> bool {
        self.ready
    }
}

#[test]
fn no_message_is_handled_before_the_start_hook_has_returned() {
    on_each_seat(|| async {
        for open_first in [false, true] {
            let gate = Gate::shut();
            let slow = Builder::new(Slow {
                gate: gate.clone(),
                ready: false,
            })
            .spawn();
            if open_first {
                gate.open();
            }
            let asks: Vec<_> = (0..4)
                .map(|_| {
                    let slow = slow.clone();
                    greenroom::spawn(async move { slow.is_ready().await })
                })
                .collect();
            if !open_first {
                until(|| slow.free_slots() == 0).await;
                gate.open();
            }
            for ask in asks {
                assert!(within(ask).await.unwrap().unwrap());
            }
            assert_at_rest(&slow);
        }
    });
}
