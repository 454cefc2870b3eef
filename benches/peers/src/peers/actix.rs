//! actix 0.13, with its default features.
//!
//! Style: its README (`#[derive(Message)]`, `impl Handler<M> for A`, asks by `send(message).await`)
//! and its docs for the rest: `do_send` is one way and passes over the bound of the mailbox, which
//! `set_mailbox_capacity` sets for asks; `AtomicResponse` lets a handler that awaits run alone.
//!
//! An actor of actix lives on one thread. All are started on that of their cell, as `start` does,
//! where messages between them are cheapest; burners, which use CPU, are spread over as many
//! threads as the other peers have workers.

use std::cell::RefCell;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use actix::prelude::*;

use crate::countdown::Countdown;
use crate::machine;
use crate::peer::{GIANT_BYTES, Peer};
use crate::workloads::CAPACITY;

pub struct Actix;

pub struct Counter {
    sum: u64,
}

impl Actor for Counter {
    type Context = Context<Self>;
}

#[derive(Message)]
#[rtype(u64)]
pub struct Add(u64);

impl Handler<Add> for Counter {
    type Result = u64;

    fn handle(&mut self, Add(n): Add, _: &mut Context<Self>) -> u64 {
        self.sum += n;
        self.sum
    }
}

pub struct Starter {
    ready: bool,
}

impl Actor for Starter {
    type Context = Context<Self>;

    fn started(&mut self, ctx: &mut Context<Self>) {
        ctx.set_mailbox_capacity(CAPACITY);
        self.ready = black_box(true);
    }
}

#[derive(Message)]
#[rtype(bool)]
pub struct IsReady;

impl Handler<IsReady> for Starter {
    type Result = bool;

    fn handle(&mut self, _: IsReady, _: &mut Context<Self>) -> bool {
        self.ready
    }
}

pub struct Burner;

impl Actor for Burner {
    type Context = Context<Self>;
}

#[derive(Message)]
#[rtype(result = "()")]
pub struct Burn(Duration);

impl Handler<Burn> for Burner {
    type Result = ();

    fn handle(&mut self, Burn(time): Burn, _: &mut Context<Self>) {
        machine::burn(time);
    }
}

pub struct Giant;

impl Actor for Giant {
    type Context = Context<Self>;
}

#[derive(Message)]
#[rtype(result = "()")]
pub struct Suspend;

impl Handler<Suspend> for Giant {
    type Result = AtomicResponse<Self, ()>;

    fn handle(&mut self, _: Suspend, _: &mut Context<Self>) -> Self::Result {
        let work = async {
            let mut bytes = [0_u8; GIANT_BYTES];
            black_box(&mut bytes);
            tokio::task::yield_now().await;
            black_box(&mut bytes);
        };
        AtomicResponse::new(Box::pin(work.into_actor(self)))
    }
}

pub struct Relay {
    next: Option<Addr<Relay>>,
    done: Arc<Countdown>,
}

impl Actor for Relay {
    type Context = Context<Self>;
}

#[derive(Message)]
#[rtype(result = "()")]
pub struct SetNext(Addr<Relay>);

#[derive(Message)]
#[rtype(result = "()")]
pub struct Pass(u64);

impl Handler<SetNext> for Relay {
    type Result = ();

    fn handle(&mut self, SetNext(next): SetNext, _: &mut Context<Self>) {
        self.next = Some(next);
    }
}

impl Handler<Pass> for Relay {
    type Result = ();

    fn handle(&mut self, Pass(left): Pass, _: &mut Context<Self>) {
        if left == 0 {
            self.done.arrive();
            return;
        }
        let next = self
            .next
            .as_ref()
            .expect("a relay is linked before its first token");
        next.do_send(Pass(left - 1));
    }
}

pub struct Link {
    next: Option<Addr<Link>>,
}

impl Actor for Link {
    type Context = Context<Self>;
}

#[derive(Message)]
#[rtype(u64)]
pub struct Through(u64);

impl Handler<Through> for Link {
    type Result = AtomicResponse<Self, u64>;

    fn handle(&mut self, Through(asks): Through, _: &mut Context<Self>) -> Self::Result {
        let next = self.next.clone();
        let work = async move {
            let mut sum = 1;
            if let Some(next) = next {
                for _ in 0..asks {
                    sum += next.send(Through(1)).await.expect("the next answers");
                }
            }
            sum
        };
        AtomicResponse::new(Box::pin(work.into_actor(self)))
    }
}

/// Starts an actor on the thread of the caller.
fn start<A: Actor<Context = Context<A>>>(capacity: usize, actor: A) -> Addr<A> {
    A::create(|ctx| {
        ctx.set_mailbox_capacity(capacity);
        actor
    })
}

/// The threads of burners, and which is next.
struct Threads {
    arbiters: Vec<ArbiterHandle>,
    next: usize,
}

impl Threads {
    /// That of the caller, and as many more as the runtimes of the other peers have.
    fn new() -> Self {
        let more = (1..machine::workers()).map(|_| Arbiter::new().handle());
        let arbiters = [Arbiter::current()].into_iter().chain(more).collect();
        Self { arbiters, next: 0 }
    }

    fn start<A: Actor<Context = Context<A>> + Send>(&mut self, actor: A) -> Addr<A> {
        self.next += 1;
        let arbiter = &self.arbiters[self.next % self.arbiters.len()];
        A::start_in_arbiter(arbiter, |ctx| {
            ctx.set_mailbox_capacity(CAPACITY);
            actor
        })
    }
}

thread_local! {
    static THREADS: RefCell<Option<Threads>> = const { RefCell::new(None) };
}

impl Peer for Actix {
    const NAME: &'static str = "actix";
    const WAITS_FOR_ROOM: bool = false;

    type Counter = Addr<Counter>;
    type Starter = Addr<Starter>;
    type Burner = Addr<Burner>;
    type Giant = Addr<Giant>;
    type Relay = Addr<Relay>;
    type Link = Addr<Link>;

    fn run<T: Send + 'static>(cell: impl Future<Output = T> + Send + 'static) -> T {
        System::new().block_on(async { Self::task(cell).await })
    }

    fn task<T: Send + 'static>(
        task: impl Future<Output = T> + Send + 'static,
    ) -> impl Future<Output = T> + Send {
        let task = actix::spawn(task);
        async { task.await.expect("no task of a cell panics") }
    }

    fn counter(capacity: usize) -> Self::Counter {
        start(capacity, Counter { sum: 0 })
    }

    async fn tell(counter: &Self::Counter, n: u64) {
        counter.do_send(Add(n));
    }

    async fn ask(counter: &Self::Counter, n: u64) -> u64 {
        counter.send(Add(n)).await.expect("the counter answers")
    }

    fn starter() -> Self::Starter {
        Starter { ready: false }.start()
    }

    async fn is_ready(starter: &Self::Starter) -> bool {
        starter.send(IsReady).await.expect("the starter answers")
    }

    fn burner() -> Self::Burner {
        THREADS.with_borrow_mut(|threads| threads.get_or_insert_with(Threads::new).start(Burner))
    }

    async fn burn(burner: &Self::Burner, time: Duration) {
        burner.send(Burn(time)).await.expect("the burner answers");
    }

    fn giant() -> Self::Giant {
        start(CAPACITY, Giant)
    }

    async fn suspend(giant: &Self::Giant) {
        giant.send(Suspend).await.expect("the giant answers");
    }

    fn relay(done: Arc<Countdown>) -> Self::Relay {
        start(CAPACITY, Relay { next: None, done })
    }

    async fn link(relay: &Self::Relay, next: Self::Relay) {
        relay.do_send(SetNext(next));
    }

    async fn pass(relay: &Self::Relay, passes_left: u64) {
        relay.do_send(Pass(passes_left));
    }

    fn chain(next: Option<Self::Link>) -> Self::Link {
        start(CAPACITY, Link { next })
    }

    async fn through(link: &Self::Link, asks: u64) -> u64 {
        link.send(Through(asks)).await.expect("the link answers")
    }
}
