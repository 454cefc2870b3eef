//! ractor 0.16 on a tokio runtime, with its default features.
//!
//! Style: its README (a type of messages with reply ports, `impl Actor`, `cast!` and `call!`), and
//! `ActorRuntime::spawn_instant`, which starts an actor without waiting for its start hook, as the
//! others do. Its mailboxes have no bound, and its actors end only when they are told to.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use ractor::{Actor, ActorProcessingErr, ActorRef, ActorRuntime, RpcReplyPort, call, cast};

use crate::countdown::Countdown;
use crate::machine;
use crate::peer::{GIANT_BYTES, Peer};

pub struct Ractor;

type Done = Result<(), ActorProcessingErr>;

pub struct Counter;

pub enum CounterMessage {
    Add(u64),
    AddAndReply(u64, RpcReplyPort<u64>),
}

impl Actor for Counter {
    type Msg = CounterMessage;
    type State = u64;
    type Arguments = ();

    async fn pre_start(&self, _: ActorRef<CounterMessage>, (): ()) -> Started<u64> {
        Ok(0)
    }

    async fn handle(
        &self,
        _: ActorRef<CounterMessage>,
        message: CounterMessage,
        sum: &mut u64,
    ) -> Done {
        match message {
            CounterMessage::Add(n) => *sum += n,
            CounterMessage::AddAndReply(n, reply) => {
                *sum += n;
                reply.send(*sum)?;
            }
        }
        Ok(())
    }
}

type Started<T> = Result<T, ActorProcessingErr>;

pub struct Starter;

pub struct IsReady(RpcReplyPort<bool>);

impl Actor for Starter {
    type Msg = IsReady;
    type State = bool;
    type Arguments = ();

    async fn pre_start(&self, _: ActorRef<IsReady>, (): ()) -> Started<bool> {
        Ok(black_box(true))
    }

    async fn handle(
        &self,
        _: ActorRef<IsReady>,
        IsReady(reply): IsReady,
        ready: &mut bool,
    ) -> Done {
        Ok(reply.send(*ready)?)
    }
}

pub struct Burner;

pub struct Burn(Duration, RpcReplyPort<()>);

impl Actor for Burner {
    type Msg = Burn;
    type State = ();
    type Arguments = ();

    async fn pre_start(&self, _: ActorRef<Burn>, (): ()) -> Started<()> {
        Ok(())
    }

    async fn handle(&self, _: ActorRef<Burn>, Burn(time, reply): Burn, (): &mut ()) -> Done {
        machine::burn(time);
        Ok(reply.send(())?)
    }
}

pub struct Giant;

pub struct Suspend(RpcReplyPort<()>);

impl Actor for Giant {
    type Msg = Suspend;
    type State = ();
    type Arguments = ();

    async fn pre_start(&self, _: ActorRef<Suspend>, (): ()) -> Started<()> {
        Ok(())
    }

    async fn handle(&self, _: ActorRef<Suspend>, Suspend(reply): Suspend, (): &mut ()) -> Done {
        let mut bytes = [0_u8; GIANT_BYTES];
        black_box(&mut bytes);
        tokio::task::yield_now().await;
        black_box(&mut bytes);
        Ok(reply.send(())?)
    }
}

pub struct Relay;

pub enum RelayMessage {
    Link(ActorRef<RelayMessage>),
    Pass(u64),
}

pub struct RelayState {
    next: Option<ActorRef<RelayMessage>>,
    done: Arc<Countdown>,
}

impl Actor for Relay {
    type Msg = RelayMessage;
    type State = RelayState;
    type Arguments = Arc<Countdown>;

    async fn pre_start(
        &self,
        _: ActorRef<RelayMessage>,
        done: Arc<Countdown>,
    ) -> Started<RelayState> {
        Ok(RelayState { next: None, done })
    }

    async fn handle(
        &self,
        _: ActorRef<RelayMessage>,
        message: RelayMessage,
        state: &mut RelayState,
    ) -> Done {
        match message {
            RelayMessage::Link(next) => state.next = Some(next),
            RelayMessage::Pass(0) => state.done.arrive(),
            RelayMessage::Pass(left) => {
                let next = state
                    .next
                    .as_ref()
                    .expect("a relay is linked before its first token");
                cast!(next, RelayMessage::Pass(left - 1)).expect("relays live on");
            }
        }
        Ok(())
    }
}

pub struct Link;

pub struct Through(u64, RpcReplyPort<u64>);

impl Actor for Link {
    type Msg = Through;
    type State = Option<ActorRef<Through>>;
    type Arguments = Option<ActorRef<Through>>;

    async fn pre_start(
        &self,
        _: ActorRef<Through>,
        next: Option<ActorRef<Through>>,
    ) -> Started<Option<ActorRef<Through>>> {
        Ok(next)
    }

    async fn handle(
        &self,
        _: ActorRef<Through>,
        Through(asks, reply): Through,
        next: &mut Option<ActorRef<Through>>,
    ) -> Done {
        let mut sum = 1;
        if let Some(next) = next {
            for _ in 0..asks {
                sum += call!(next, Through, 1).expect("the next answers");
            }
        }
        Ok(reply.send(sum)?)
    }
}

fn spawn<A: Actor>(actor: A, arguments: A::Arguments) -> ActorRef<A::Msg> {
    let spawned = ActorRuntime::spawn_instant(None, actor, arguments);
    spawned.expect("an actor is spawned").0
}

impl Peer for Ractor {
    const NAME: &'static str = "ractor";
    const WAITS_FOR_ROOM: bool = false;

    type Counter = ActorRef<CounterMessage>;
    type Starter = ActorRef<IsReady>;
    type Burner = ActorRef<Burn>;
    type Giant = ActorRef<Suspend>;
    type Relay = ActorRef<RelayMessage>;
    type Link = ActorRef<Through>;

    fn counter(_: usize) -> Self::Counter {
        spawn(Counter, ())
    }

    async fn tell(counter: &Self::Counter, n: u64) {
        cast!(counter, CounterMessage::Add(n)).expect("the counter lives");
    }

    async fn ask(counter: &Self::Counter, n: u64) -> u64 {
        call!(counter, CounterMessage::AddAndReply, n).expect("the counter answers")
    }

    fn end(counter: Self::Counter) {
        counter.stop(None);
    }

    fn starter() -> Self::Starter {
        spawn(Starter, ())
    }

    async fn is_ready(starter: &Self::Starter) -> bool {
        call!(starter, IsReady).expect("the starter answers")
    }

    fn end_starter(starter: Self::Starter) {
        starter.stop(None);
    }

    fn burner() -> Self::Burner {
        spawn(Burner, ())
    }

    async fn burn(burner: &Self::Burner, time: Duration) {
        call!(burner, Burn, time).expect("the burner answers");
    }

    fn giant() -> Self::Giant {
        spawn(Giant, ())
    }

    async fn suspend(giant: &Self::Giant) {
        call!(giant, Suspend).expect("the giant answers");
    }

    fn relay(done: Arc<Countdown>) -> Self::Relay {
        spawn(Relay, done)
    }

    async fn link(relay: &Self::Relay, next: Self::Relay) {
        cast!(relay, RelayMessage::Link(next)).expect("the relay lives");
    }

    async fn pass(relay: &Self::Relay, passes_left: u64) {
        cast!(relay, RelayMessage::Pass(passes_left)).expect("the relay lives");
    }

    fn chain(next: Option<Self::Link>) -> Self::Link {
        spawn(Link, next)
    }

    async fn through(link: &Self::Link, asks: u64) -> u64 {
        call!(link, Through, asks).expect("the link answers")
    }
}
