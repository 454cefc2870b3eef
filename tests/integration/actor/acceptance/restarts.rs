//! What has gone wrong in the field, and must not here: restarts, and starts that fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use greenroom::{Builder, Context, Down, ExitReason, Handle, OnPanic, actor};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::advance;

use crate::actor::support::{Choices, within};

#[actor]
struct Clock {
    life: u64,
    heard: mpsc::UnboundedSender<(u64, &'static str)>,
}

struct Tick(u64);
struct Late(u64);

#[actor]
impl Clock {
    #[on(start)]
    fn begin(&mut self, ctx: &mut Context<Self>) {
        let life = self.life;
        let _ = ctx.every(Duration::from_millis(20), move || Tick(life));
        let _ = ctx.after(Duration::from_millis(200), Late(life));
    }

    fn crash(&mut self) {
        panic!("it stopped");
    }

    fn nothing(&self) {}

    #[message]
    fn on_tick(&mut self, tick: Tick) {
        assert_eq!(tick.0, self.life);
        let _ = self.heard.send((self.life, "tick"));
    }

    #[message]
    fn on_late(&mut self, late: Late) {
        assert_eq!(late.0, self.life);
        let _ = self.heard.send((self.life, "late"));
    }
}

#[tokio::test(start_paused = true)]
async fn acc_06_timers_of_a_life_that_has_ended_reach_nobody() {
    let (heard, mut hears) = mpsc::unbounded_channel();
    let lives = AtomicU64::new(0);
    let clock = Builder::restartable(move || Clock {
        life: lives.fetch_add(1, Ordering::Relaxed) + 1,
        heard: heard.clone(),
    })
    .on_panic(|_| OnPanic::restart())
    .spawn();
    within(Handle::wait_started(&clock)).await.unwrap();
    for _ in 0..11 {
        advance(Duration::from_millis(10)).await;
        within(clock.nothing()).await.unwrap();
    }
    let _ = within(clock.crash()).await.unwrap_err();
    within(Handle::wait_started(&clock)).await.unwrap();
    let first: Vec<_> = std::iter::from_fn(|| hears.try_recv().ok()).collect();
    assert_eq!(first, [(1, "tick"); 5]);
    for _ in 0..21 {
        advance(Duration::from_millis(10)).await;
        within(clock.nothing()).await.unwrap();
    }
    let second: Vec<_> = std::iter::from_fn(|| hears.try_recv().ok()).collect();
    assert!(second.iter().all(|(life, _)| *life == 2), "{second:?}");
    let count = |word| second.iter().filter(|(_, heard)| *heard == word).count();
    assert_eq!((count("tick"), count("late")), (10, 1));
}

#[actor(mailbox = 16)]
struct Worker {
    handled: mpsc::UnboundedSender<u32>,
    gate: Arc<Semaphore>,
}

#[actor]
impl Worker {
    async fn work(&mut self, n: u32) {
        self.gate.acquire().await.unwrap().forget();
        let _ = self.handled.send(n);
    }

    fn boom(&mut self) {
        panic!("boom");
    }
}

#[greenroom::test]
async fn acc_07_a_restart_keeps_the_queue_and_its_order_and_loses_the_crashing_message_alone() {
    for round in 0..200 {
        let mut choices = Choices::seeded(round + 1);
        let (handled, mut is_handled) = mpsc::unbounded_channel();
        let gate = Arc::new(Semaphore::new(0));
        let opens = gate.clone();
        let worker = Builder::restartable(move || Worker {
            handled: handled.clone(),
            gate: gate.clone(),
        })
        .on_panic(|_| OnPanic::restart())
        .spawn();
        for n in 1..=2 {
            worker.work(n).tell().await.unwrap();
        }
        let boom = worker.boom().enqueue().await.unwrap();
        for n in 3..=10 {
            worker.work(n).tell().await.unwrap();
        }
        for _ in 0..choices.below(4) {
            tokio::task::yield_now().await;
        }
        opens.add_permits(10);
        let error = within(boom).await.unwrap_err();
        assert!(error.to_string().contains("boom"), "{error}");
        for n in 1..=10 {
            assert_eq!(within(is_handled.recv()).await, Some(n));
        }
        assert_eq!(Handle::incarnation(&worker), 2);
        assert_eq!(worker.free_slots(), 16);
    }
}

/// How a start fails.
#[derive(Clone, Copy, Debug)]
enum Fault {
    Error,
    Panic,
    LatePanic,
}

#[actor]
struct Child(Fault);

#[actor]
impl Child {
    #[on(start)]
    async fn begin(&mut self) -> Result<(), std::io::Error> {
        match self.0 {
            Fault::Error => return Err(std::io::ErrorKind::NotFound.into()),
            Fault::Panic => panic!("at once"),
            Fault::LatePanic => {}
        }
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        panic!("later")
    }

    fn play(&mut self) {}
}

#[actor]
struct Parent(mpsc::UnboundedSender<Down>);

#[actor]
impl Parent {
    fn watch(&mut self, child: ChildHandle, ctx: &mut Context<Self>) {
        ctx.monitor(&child);
    }

    fn nothing(&self) {}

    #[message]
    fn on_down(&mut self, down: Down) {
        let _ = self.0.send(down);
    }
}

#[greenroom::test]
async fn acc_10_a_child_that_dies_while_starting_tells_its_watcher_once_and_loses_no_message() {
    for fault in [Fault::Error, Fault::Panic, Fault::LatePanic] {
        let (downs, mut hears) = mpsc::unbounded_channel();
        let parent = Parent(downs).spawn();
        let (lost, mut letters) = mpsc::unbounded_channel();
        let child = Builder::new(Child(fault))
            .on_undelivered(move |letter| drop(lost.send(letter)))
            .spawn();
        // However far the start has come: what is accepted is reported, what is not is handed back.
        let accepted = (0..3).filter(|_| child.play().try_tell().is_ok()).count();
        within(parent.watch(child.clone())).await.unwrap();
        let down = within(hears.recv()).await.unwrap();
        assert_eq!(down.actor, child.identity());
        let reason = within(Handle::wait_started(&child)).await.unwrap_err();
        for reason in [down.reason, reason, within(child.join()).await] {
            assert!(match fault {
                Fault::Error => matches!(reason, ExitReason::StartFailed(_)),
                _ => matches!(reason, ExitReason::Panicked(_)),
            });
        }
        let mut reported = 0;
        while letters.try_recv().is_ok() {
            reported += 1;
        }
        assert_eq!(reported, accepted);
        within(parent.nothing()).await.unwrap();
        assert!(hears.try_recv().is_err(), "it is told once");
    }
}
