//! Actors on many runtimes, and actors that keep a worker busy.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use greenroom::{AskError, Context, ExitReason, Refusal, Runtime, actor};

use super::support::{assert_at_rest, within};
use crate::allocator::live_bytes;
use crate::alone::alone;

struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// Never idle, once it was told to begin.
#[actor]
struct Busy {
    _counted: Counted,
}

#[actor]
impl Busy {
    async fn hold(&mut self) {
        std::future::pending::<()>().await;
    }

    fn chatter(&mut self, ctx: &mut Context<Self>) {
        // A full mailbox ends the chatter, which then goes on from elsewhere.
        let _ = ctx.handle().chatter().try_tell();
    }
}

/// One runtime with actors that are idle, suspended and talking to themselves; dropped so.
fn one_round(runtime: Runtime, drops: &Arc<AtomicUsize>) {
    let spawn = || {
        Busy {
            _counted: Counted(Arc::clone(drops)),
        }
        .spawn()
    };
    let actors = runtime.block_on(async {
        let (idle, suspended, talking) = (spawn(), spawn(), spawn());
        suspended.hold().tell().await.unwrap();
        talking.chatter().await.unwrap();
        [idle, suspended, talking]
    });
    let before = drops.load(Ordering::Relaxed);
    drop(runtime);
    assert_eq!(
        drops.load(Ordering::Relaxed) - before,
        3,
        "states dropped with their runtime"
    );
    for handle in actors {
        assert!(matches!(
            handle.exit_reason(),
            Some(ExitReason::RuntimeGone)
        ));
        assert_eq!(handle.free_slots(), handle.capacity());
    }
}

#[test]
fn a_thousand_runtimes_drop_every_state_and_leave_no_memory_behind() {
    let name = "actor::hosts::a_thousand_runtimes_drop_every_state_and_leave_no_memory_behind";
    alone(name, || {
        let drops = Arc::new(AtomicUsize::new(0));
        let mut warm = 0;
        for round in 0..500 {
            let current = Runtime::builder().current_thread().build().unwrap();
            one_round(current, &drops);
            let threads = Runtime::builder()
                .worker_threads(1 + round % 2)
                .build()
                .unwrap();
            one_round(threads, &drops);
            if round == 100 {
                warm = live_bytes();
            }
        }
        let grown = live_bytes() - warm;
        assert!(
            grown < 64 * 1024,
            "{grown} bytes more after 800 more runtimes"
        );
    });
}

/// Asks its peer on another runtime, some rounds to and fro.
#[actor]
struct Player;

#[actor]
impl Player {
    async fn play(&mut self, rounds: u32, peer: Option<OtherHandle>) -> u32 {
        match peer {
            Some(peer) if rounds > 0 => 1 + peer.answer(rounds - 1).await.unwrap(),
            _ => 0,
        }
    }
}

#[actor]
struct Other;

#[actor]
impl Other {
    async fn answer(&mut self, rounds: u32) -> u32 {
        rounds
    }
}

#[test]
fn actors_of_two_runtimes_ask_each_other() {
    let [first, second] = [0, 1].map(|_| Runtime::builder().worker_threads(1).build().unwrap());
    let near = first.block_on(async { (Player.spawn(), Other.spawn()) });
    let far = second.block_on(async { (Player.spawn(), Other.spawn()) });
    let (there, back) = first.block_on(async {
        let there = async {
            let mut sum = 0;
            for rounds in 1..200 {
                sum += near.0.play(rounds, Some(far.1.clone())).await.unwrap();
            }
            sum
        };
        let back = async {
            let mut sum = 0;
            for rounds in 1..200 {
                sum += far.0.play(rounds, Some(near.1.clone())).await.unwrap();
            }
            sum
        };
        within(async { tokio::join!(there, back) }).await
    });
    assert_eq!((there, back), (19_900, 19_900));
    drop(second);
    first.block_on(async {
        let error = far.1.answer(1).await.unwrap_err();
        let AskError::NotHandled(error) = error else {
            panic!("{error}")
        };
        assert!(matches!(
            error.refusal(),
            Refusal::Ended(ExitReason::RuntimeGone)
        ));
        assert_at_rest(&near.1);
    });
}

/// Tells a neighbour, then computes until the neighbour has handled it.
#[actor]
struct Spinner;

#[actor]
impl Spinner {
    async fn tell_and_spin(&mut self, neighbour: FlagHandle, blocking: bool) -> bool {
        neighbour.raise().tell().await.unwrap();
        let wait = || {
            let began = Instant::now();
            while !RAISED.load(Ordering::Acquire) && began.elapsed() < Duration::from_secs(30) {
                std::hint::spin_loop();
            }
            RAISED.swap(false, Ordering::AcqRel)
        };
        if blocking {
            tokio::task::block_in_place(wait)
        } else {
            wait()
        }
    }
}

static RAISED: AtomicBool = AtomicBool::new(false);

#[actor]
struct Flag;

#[actor]
impl Flag {
    fn raise(&mut self) {
        RAISED.store(true, Ordering::Release);
    }
}

#[test]
fn acc_13_an_actor_told_before_a_long_computation_handles_it_meanwhile() {
    let runtime = Runtime::builder().worker_threads(2).build().unwrap();
    runtime.block_on(async {
        let (spinner, flag) = (Spinner.spawn(), Flag.spawn());
        for blocking in [false, true, false, true] {
            let handled = within(spinner.tell_and_spin(flag.clone(), blocking))
                .await
                .unwrap();
            assert!(
                handled,
                "the told actor waited for the teller's handler to end"
            );
        }
    });
}

/// Passes a message on to its peer, for ever.
#[actor]
struct Chatter {
    peer: Option<ChatterHandle>,
    passed: u64,
}

#[actor]
impl Chatter {
    fn meet(&mut self, peer: ChatterHandle) {
        self.peer = Some(peer);
    }

    async fn pass(&mut self) {
        self.passed += 1;
        if let Some(peer) = &self.peer {
            let _ = peer.pass().tell().await;
        }
    }

    fn passed(&self) -> u64 {
        self.passed
    }
}

#[test]
fn acc_14_two_chatting_actors_leave_room_for_others_timers_and_outside_spawns() {
    let current = Runtime::builder().current_thread().build().unwrap();
    let threads = Runtime::builder().worker_threads(1).build().unwrap();
    for runtime in [current, threads] {
        let handle = runtime.handle().clone();
        runtime.block_on(async {
            let [a, b] = [0, 1].map(|_| {
                Chatter {
                    peer: None,
                    passed: 0,
                }
                .spawn()
            });
            a.meet(b.clone()).await.unwrap();
            b.meet(a.clone()).await.unwrap();
            a.pass().tell().await.unwrap();
            let flag = Flag.spawn();
            within(flag.raise()).await.unwrap();
            within(async {
                let mut pace = tokio::time::interval(Duration::from_millis(10));
                for _ in 0..5 {
                    pace.tick().await;
                }
            })
            .await;
            let outside = std::thread::spawn(move || handle.spawn(async { 1 }));
            assert_eq!(within(outside.join().unwrap()).await.unwrap(), 1);
            assert!(within(a.passed()).await.unwrap() > 0, "the game goes on");
            a.stop();
            within(a.join()).await;
            let last = within(b.passed()).await.unwrap();
            assert_eq!(
                within(b.passed()).await.unwrap(),
                last,
                "the game has ended"
            );
        });
    }
}

#[test]
fn a_handler_may_ask_another_actor_from_a_section_that_blocks() {
    /// Asks its peer while it blocks its worker.
    #[actor]
    struct Blocker;

    #[actor]
    impl Blocker {
        async fn fetch(&mut self, other: OtherHandle) -> u32 {
            tokio::task::block_in_place(|| other.answer(7).blocking().unwrap())
        }
    }

    for monitor in [true, false] {
        let builder = Runtime::builder().worker_threads(2).monitor(monitor);
        builder.build().unwrap().block_on(async {
            let (blocker, other) = (Blocker.spawn(), Other.spawn());
            for _ in 0..100 {
                assert_eq!(within(blocker.fetch(other.clone())).await.unwrap(), 7);
            }
        });
    }
}

#[test]
fn a_runtime_may_be_dropped_with_the_values_of_a_thread() {
    thread_local! {
        static KEPT: std::cell::RefCell<Option<Runtime>> = const { std::cell::RefCell::new(None) };
    }
    for threads in [false, true] {
        let build = move || {
            let builder = Runtime::builder();
            let builder = if threads {
                builder.worker_threads(1)
            } else {
                builder.current_thread()
            };
            let runtime = builder.build().unwrap();
            runtime.block_on(async { Other.spawn().answer(1).await.unwrap() });
            KEPT.set(Some(runtime));
        };
        std::thread::spawn(build).join().unwrap();
    }
}
