//! Ends that race inline runs.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

use greenroom::{AskError, Builder, Context, ExitReason, Runtime, actor};

use crate::actor::support::{Choices, Flavor, Gate, on_runtime, on_thread, within};

#[actor(mailbox = 2)]
struct Mortal {
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    handled: AtomicUsize,
    inside: AtomicUsize,
    stops: AtomicUsize,
    drops: AtomicUsize,
}

impl Drop for Mortal {
    fn drop(&mut self) {
        assert_eq!(self.counts.inside.load(Ordering::SeqCst), 0);
        self.counts.drops.fetch_add(1, Ordering::SeqCst);
    }
}

/// Fails if two handlers overlap.
struct Inside<'a>(&'a Counts);

impl<'a> Inside<'a> {
    fn enter(counts: &'a Counts) -> Self {
        assert_eq!(counts.inside.fetch_add(1, Ordering::SeqCst), 0);
        Self(counts)
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.0.inside.fetch_sub(1, Ordering::SeqCst);
    }
}

#[actor]
impl Mortal {
    #[on(stop)]
    async fn stopped(&mut self) {
        let _inside = Inside::enter(&self.counts);
        self.counts.stops.fetch_add(1, Ordering::SeqCst);
    }

    #[message(inline = always)]
    fn touch(&mut self) {
        let _inside = Inside::enter(&self.counts);
        self.counts.handled.fetch_add(1, Ordering::SeqCst);
    }

    #[message(inline = always)]
    async fn linger(&mut self, yields: u64) {
        let _inside = Inside::enter(&self.counts);
        self.counts.handled.fetch_add(1, Ordering::SeqCst);
        for _ in 0..yields {
            tokio::task::yield_now().await;
        }
    }

    #[message(inline = always)]
    fn end(&mut self, ctx: &mut Context<Self>) {
        let _inside = Inside::enter(&self.counts);
        self.counts.handled.fetch_add(1, Ordering::SeqCst);
        ctx.stop();
    }

    #[message(inline = always)]
    fn hold(&mut self, begun: mpsc::Sender<()>, end: mpsc::Receiver<()>) -> u32 {
        let _inside = Inside::enter(&self.counts);
        begun.send(()).unwrap();
        end.recv().unwrap();
        7
    }

    #[message(inline = always)]
    async fn wait(&mut self, gate: Gate) {
        gate.pass().await;
    }
}

/// Asks until the actor is gone; says how many were answered.
async fn ask_on(mortal: MortalHandle, seed: u64) -> usize {
    let mut choices = Choices::seeded(seed + 1);
    let mut answered = 0;
    for _ in 0..50 {
        let answer = match choices.below(4) {
            0 => mortal.linger(choices.below(3)).await,
            1 => match mortal.touch().tell().await {
                Ok(()) => continue,
                Err(_) => return answered,
            },
            _ => mortal.touch().await,
        };
        match answer {
            Ok(()) => answered += 1,
            Err(AskError::NotHandled(_) | AskError::Interrupted(_)) => return answered,
            Err(other) => panic!("{other}"),
        }
    }
    answered
}

#[test]
fn whatever_ends_an_actor_while_it_is_asked_inline_ends_it_once() {
    on_runtime(Flavor::TwoWorkers, || async {
        for round in 0..1_500_u64 {
            let counts = Arc::new(Counts::default());
            let mortal = Mortal {
                counts: Arc::clone(&counts),
            }
            .spawn();
            let ours = greenroom::spawn(ask_on(mortal.clone(), round));
            let tokios = tokio::spawn(ask_on(mortal.clone(), round + 7));
            let killer = mortal.clone();
            let ender = tokio::spawn(async move {
                for _ in 0..round % 5 {
                    tokio::task::yield_now().await;
                }
                match round % 4 {
                    0 => killer.stop(),
                    1 => killer.kill(),
                    2 => drop(killer),
                    _ => drop(killer.end().await),
                }
            });
            let weak = mortal.downgrade();
            drop(mortal);
            let answered = within(ours).await.unwrap() + within(tokios).await.unwrap();
            within(ender).await.unwrap();
            let reason = within(weak.join()).await;
            assert!(counts.handled.load(Ordering::SeqCst) >= answered);
            assert_eq!(counts.drops.load(Ordering::SeqCst), 1, "{reason:?}");
            let stops = counts.stops.load(Ordering::SeqCst);
            assert_eq!(
                stops,
                usize::from(!matches!(reason, ExitReason::Killed)),
                "{reason:?}"
            );
            drop(weak);
            assert_eq!(Arc::strong_count(&counts), 1);
        }
    });
}

#[test]
fn a_runtime_that_ends_while_a_handler_runs_inline_elsewhere_drops_the_actor_after_it() {
    for flavor in Flavor::ALL {
        on_thread(move || {
            let counts = Arc::new(Counts::default());
            let runtime = flavor.build();
            let host = runtime.tokio_handle().clone();
            let mortal = {
                let _inside = host.enter();
                let counts = Arc::clone(&counts);
                Builder::new(Mortal { counts }).spawn()
            };
            let (begun, has_begun) = mpsc::channel();
            let (end, may_end) = mpsc::channel();
            let asker = mortal.clone();
            let asked = std::thread::spawn(move || {
                let _inside = host.enter();
                asker.hold(begun, may_end).blocking()
            });
            if has_begun
                .recv_timeout(std::time::Duration::from_secs(10))
                .is_err()
            {
                panic!("it did not run inline");
            }
            runtime.shutdown_background();
            end.send(()).unwrap();
            assert_eq!(asked.join().unwrap().unwrap(), 7);
            let observer = Runtime::builder().current_thread().build().unwrap();
            let reason = observer.block_on(within(mortal.join()));
            assert!(matches!(reason, ExitReason::RuntimeGone), "{reason:?}");
            drop(mortal);
            assert_eq!(counts.drops.load(Ordering::SeqCst), 1);
            assert_eq!(Arc::strong_count(&counts), 1);
        });
    }
}

#[test]
fn a_handler_that_began_inline_is_dropped_at_a_kill_and_its_asker_told() {
    on_runtime(Flavor::TwoWorkers, || async {
        for stop in [false, true] {
            let counts = Arc::new(Counts::default());
            let mortal = Builder::new(Mortal {
                counts: Arc::clone(&counts),
            })
            .spawn();
            let gate = Gate::shut();
            let asker = mortal.clone();
            let held = gate.clone();
            let asked = greenroom::spawn(async move { asker.wait(held).await });
            gate.reached().await;
            let queued = mortal.clone();
            let queued = greenroom::spawn(async move { queued.touch().await });
            while mortal.free_slots() == 2 {
                tokio::task::yield_now().await;
            }
            if stop {
                mortal.stop();
                gate.open();
                within(asked).await.unwrap().unwrap();
                within(queued).await.unwrap().unwrap();
            } else {
                mortal.kill();
                assert!(within(asked).await.unwrap().is_err());
                assert!(within(queued).await.unwrap().is_err());
            }
            within(mortal.join()).await;
            drop(mortal);
            assert_eq!(Arc::strong_count(&counts), 1);
        }
    });
}
