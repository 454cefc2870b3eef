//! kameo 0.22 on a tokio runtime, with its default features.
//!
//! Style: its README (`#[derive(Actor)]`, `impl Message<M> for A`, `spawn`, `ask` and `tell` by
//! message value) and the docs of `Spawn::spawn_with_mailbox` for capacities. Requests are sent by
//! `send().await`: awaiting the request itself, as the README does, does the same and boxes the
//! future, which costs one allocation more.

use std::convert::Infallible;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use kameo::prelude::*;

use crate::countdown::Countdown;
use crate::machine;
use crate::peer::{GIANT_BYTES, Peer};
use crate::workloads::CAPACITY;

pub struct Kameo;

#[derive(Actor)]
pub struct Counter {
    sum: u64,
}

pub struct Add(u64);

impl Message<Add> for Counter {
    type Reply = u64;

    async fn handle(&mut self, Add(n): Add, _: &mut Context<Self, u64>) -> u64 {
        self.sum += n;
        self.sum
    }
}

pub struct Starter {
    ready: bool,
}

impl Actor for Starter {
    type Args = Self;
    type Error = Infallible;

    async fn on_start(mut starter: Self, _: ActorRef<Self>) -> Result<Self, Infallible> {
        starter.ready = black_box(true);
        Ok(starter)
    }
}

pub struct IsReady;

impl Message<IsReady> for Starter {
    type Reply = bool;

    async fn handle(&mut self, _: IsReady, _: &mut Context<Self, bool>) -> bool {
        self.ready
    }
}

#[derive(Actor)]
pub struct Burner;

pub struct Burn(Duration);

impl Message<Burn> for Burner {
    type Reply = ();

    async fn handle(&mut self, Burn(time): Burn, _: &mut Context<Self, ()>) {
        machine::burn(time);
    }
}

#[derive(Actor)]
pub struct Giant;

pub struct Suspend;

impl Message<Suspend> for Giant {
    type Reply = ();

    async fn handle(&mut self, _: Suspend, _: &mut Context<Self, ()>) {
        let mut bytes = [0_u8; GIANT_BYTES];
        black_box(&mut bytes);
        tokio::task::yield_now().await;
        black_box(&mut bytes);
    }
}

#[derive(Actor)]
pub struct Relay {
    next: Option<ActorRef<Relay>>,
    done: Arc<Countdown>,
}

pub struct SetNext(ActorRef<Relay>);
pub struct Pass(u64);

impl Message<SetNext> for Relay {
    type Reply = ();

    async fn handle(&mut self, SetNext(next): SetNext, _: &mut Context<Self, ()>) {
        self.next = Some(next);
    }
}

impl Message<Pass> for Relay {
    type Reply = ();

    async fn handle(&mut self, Pass(left): Pass, _: &mut Context<Self, ()>) {
        if left == 0 {
            self.done.arrive();
            return;
        }
        let next = self
            .next
            .as_ref()
            .expect("a relay is linked before its first token");
        next.tell(Pass(left - 1))
            .send()
            .await
            .expect("relays live on");
    }
}

#[derive(Actor)]
pub struct Link {
    next: Option<ActorRef<Link>>,
}

pub struct Through(u64);

impl Message<Through> for Link {
    type Reply = u64;

    async fn handle(&mut self, Through(asks): Through, _: &mut Context<Self, u64>) -> u64 {
        let mut sum = 1;
        if let Some(next) = &self.next {
            for _ in 0..asks {
                sum += next.ask(Through(1)).send().await.expect("the next answers");
            }
        }
        sum
    }
}

impl Peer for Kameo {
    const NAME: &'static str = "kameo";

    type Counter = ActorRef<Counter>;
    type Starter = ActorRef<Starter>;
    type Burner = ActorRef<Burner>;
    type Giant = ActorRef<Giant>;
    type Relay = ActorRef<Relay>;
    type Link = ActorRef<Link>;

    fn counter(capacity: usize) -> Self::Counter {
        Counter::spawn_with_mailbox(Counter { sum: 0 }, mailbox::bounded(capacity))
    }

    async fn tell(counter: &Self::Counter, n: u64) {
        counter
            .tell(Add(n))
            .send()
            .await
            .expect("the counter lives");
    }

    async fn ask(counter: &Self::Counter, n: u64) -> u64 {
        counter
            .ask(Add(n))
            .send()
            .await
            .expect("the counter answers")
    }

    fn starter() -> Self::Starter {
        Starter::spawn_with_mailbox(Starter { ready: false }, mailbox::bounded(CAPACITY))
    }

    async fn is_ready(starter: &Self::Starter) -> bool {
        starter
            .ask(IsReady)
            .send()
            .await
            .expect("the starter answers")
    }

    fn burner() -> Self::Burner {
        Burner::spawn_with_mailbox(Burner, mailbox::bounded(CAPACITY))
    }

    async fn burn(burner: &Self::Burner, time: Duration) {
        burner
            .ask(Burn(time))
            .send()
            .await
            .expect("the burner answers");
    }

    fn giant() -> Self::Giant {
        Giant::spawn_with_mailbox(Giant, mailbox::bounded(CAPACITY))
    }

    async fn suspend(giant: &Self::Giant) {
        giant.ask(Suspend).send().await.expect("the giant answers");
    }

    fn relay(done: Arc<Countdown>) -> Self::Relay {
        Relay::spawn_with_mailbox(Relay { next: None, done }, mailbox::bounded(CAPACITY))
    }

    async fn link(relay: &Self::Relay, next: Self::Relay) {
        relay
            .tell(SetNext(next))
            .send()
            .await
            .expect("the relay lives");
    }

    async fn pass(relay: &Self::Relay, passes_left: u64) {
        relay
            .tell(Pass(passes_left))
            .send()
            .await
            .expect("the relay lives");
    }

    fn chain(next: Option<Self::Link>) -> Self::Link {
        Link::spawn_with_mailbox(Link { next }, mailbox::bounded(CAPACITY))
    }

    async fn through(link: &Self::Link, asks: u64) -> u64 {
        link.ask(Through(asks))
            .send()
            .await
            .expect("the link answers")
    }
}
