//! xtra 0.6 on a tokio runtime.
//!
//! Style: its README (`#[derive(xtra::Actor)]`, `impl Handler<M> for A`, `spawn_tokio`, asks by
//! `send(message).await`), and its docs for one way: `send(message).detach().await` waits until
//! the message is queued. Messages of equal priority may overtake each other.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use xtra::prelude::*;
use xtra::spawn_tokio;

use crate::countdown::Countdown;
use crate::machine;
use crate::peer::{GIANT_BYTES, Peer};
use crate::workloads::CAPACITY;

pub struct Xtra;

#[derive(xtra::Actor)]
pub struct Counter {
    sum: u64,
}

pub struct Add(u64);

impl Handler<Add> for Counter {
    type Return = u64;

    async fn handle(&mut self, Add(n): Add, _: &mut Context<Self>) -> u64 {
        self.sum += n;
        self.sum
    }
}

pub struct Starter {
    ready: bool,
}

impl Actor for Starter {
    type Stop = ();

    async fn started(&mut self, _: &Mailbox<Self>) -> Result<(), ()> {
        self.ready = black_box(true);
        Ok(())
    }

    async fn stopped(self) {}
}

pub struct IsReady;

impl Handler<IsReady> for Starter {
    type Return = bool;

    async fn handle(&mut self, _: IsReady, _: &mut Context<Self>) -> bool {
        self.ready
    }
}

#[derive(xtra::Actor)]
pub struct Burner;

pub struct Burn(Duration);

impl Handler<Burn> for Burner {
    type Return = ();

    async fn handle(&mut self, Burn(time): Burn, _: &mut Context<Self>) {
        machine::burn(time);
    }
}

#[derive(xtra::Actor)]
pub struct Giant;

pub struct Suspend;

impl Handler<Suspend> for Giant {
    type Return = ();

    async fn handle(&mut self, _: Suspend, _: &mut Context<Self>) {
        let mut bytes = [0_u8; GIANT_BYTES];
        black_box(&mut bytes);
        tokio::task::yield_now().await;
        black_box(&mut bytes);
    }
}

#[derive(xtra::Actor)]
pub struct Relay {
    next: Option<Address<Relay>>,
    done: Arc<Countdown>,
}

pub struct SetNext(Address<Relay>);
pub struct Pass(u64);

impl Handler<SetNext> for Relay {
    type Return = ();

    async fn handle(&mut self, SetNext(next): SetNext, _: &mut Context<Self>) {
        self.next = Some(next);
    }
}

impl Handler<Pass> for Relay {
    type Return = ();

    async fn handle(&mut self, Pass(left): Pass, _: &mut Context<Self>) {
        if left == 0 {
            self.done.arrive();
            return;
        }
        let next = self
            .next
            .as_ref()
            .expect("a relay is linked before its first token");
        let queued = next.send(Pass(left - 1)).detach().await;
        drop(queued.expect("relays live on"));
    }
}

#[derive(xtra::Actor)]
pub struct Link {
    next: Option<Address<Link>>,
}

pub struct Through(u64);

impl Handler<Through> for Link {
    type Return = u64;

    async fn handle(&mut self, Through(asks): Through, _: &mut Context<Self>) -> u64 {
        let mut sum = 1;
        if let Some(next) = &self.next {
            for _ in 0..asks {
                sum += next.send(Through(1)).await.expect("the next answers");
            }
        }
        sum
    }
}

impl Peer for Xtra {
    const NAME: &'static str = "xtra";

    type Counter = Address<Counter>;
    type Starter = Address<Starter>;
    type Burner = Address<Burner>;
    type Giant = Address<Giant>;
    type Relay = Address<Relay>;
    type Link = Address<Link>;

    fn counter(capacity: usize) -> Self::Counter {
        spawn_tokio(Counter { sum: 0 }, Mailbox::bounded(capacity))
    }

    async fn tell(counter: &Self::Counter, n: u64) {
        let queued = counter.send(Add(n)).detach().await;
        drop(queued.expect("the counter lives"));
    }

    async fn ask(counter: &Self::Counter, n: u64) -> u64 {
        counter.send(Add(n)).await.expect("the counter answers")
    }

    fn starter() -> Self::Starter {
        spawn_tokio(Starter { ready: false }, Mailbox::bounded(CAPACITY))
    }

    async fn is_ready(starter: &Self::Starter) -> bool {
        starter.send(IsReady).await.expect("the starter answers")
    }

    fn burner() -> Self::Burner {
        spawn_tokio(Burner, Mailbox::bounded(CAPACITY))
    }

    async fn burn(burner: &Self::Burner, time: Duration) {
        burner.send(Burn(time)).await.expect("the burner answers");
    }

    fn giant() -> Self::Giant {
        spawn_tokio(Giant, Mailbox::bounded(CAPACITY))
    }

    async fn suspend(giant: &Self::Giant) {
        giant.send(Suspend).await.expect("the giant answers");
    }

    fn relay(done: Arc<Countdown>) -> Self::Relay {
        spawn_tokio(Relay { next: None, done }, Mailbox::bounded(CAPACITY))
    }

    async fn link(relay: &Self::Relay, next: Self::Relay) {
        let queued = relay.send(SetNext(next)).detach().await;
        drop(queued.expect("the relay lives"));
    }

    async fn pass(relay: &Self::Relay, passes_left: u64) {
        let queued = relay.send(Pass(passes_left)).detach().await;
        drop(queued.expect("the relay lives"));
    }

    fn chain(next: Option<Self::Link>) -> Self::Link {
        spawn_tokio(Link { next }, Mailbox::bounded(CAPACITY))
    }

    async fn through(link: &Self::Link, asks: u64) -> u64 {
        link.send(Through(asks)).await.expect("the link answers")
    }
}
