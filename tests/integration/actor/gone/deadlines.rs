//! Deadlines travel: a handler sees its asker's, and what it asks has no more time.

use std::time::Duration;

use greenroom::{AskError, Builder, Context, Refusal, TimeoutState, actor};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::time::{Instant, advance};

use crate::actor::support::{Gate, within};

const TEN_MS: Duration = Duration::from_millis(10);
const LATER: Duration = Duration::from_secs(3600);

type Said = UnboundedSender<Result<Option<Instant>, AskError>>;

/// Says what deadline it has, and what one that it asks has.
#[actor]
struct Scout {
    next: Option<ScoutHandle>,
}

#[actor]
impl Scout {
    fn now(&mut self, ctx: &Context<Self>) -> Option<Instant> {
        ctx.deadline()
    }

    async fn later(&mut self, ctx: &Context<Self>) -> Option<Instant> {
        tokio::task::yield_now().await;
        ctx.deadline()
    }

    #[message(inline = never)]
    async fn queued(&mut self, ctx: &Context<Self>) -> Option<Instant> {
        tokio::task::yield_now().await;
        ctx.deadline()
    }

    /// Asks the next one, after a wait.
    async fn relay(&mut self) -> [Option<Instant>; 3] {
        let next = self.next.as_ref().expect("there is one");
        let first = next.now().await.expect("answered");
        tokio::task::yield_now().await;
        let second = next.later().timeout(LATER).await.expect("answered");
        let third = next.queued().await.expect("answered");
        [first, second, third]
    }

    async fn relay_in_less(&mut self, limit: Duration) -> Option<Instant> {
        let next = self.next.as_ref().expect("there is one");
        next.later().timeout(limit).await.expect("answered")
    }

    async fn in_a_task(&mut self) -> Option<Instant> {
        let next = self.next.clone().expect("there is one");
        let task = greenroom::spawn(async move { next.later().await.expect("answered") });
        task.await.expect("no panic")
    }

    async fn one_way(&mut self, gate: Gate, said: Said) {
        let next = self.next.as_ref().expect("there is one");
        next.hold(gate, said).tell().await.expect("accepted");
    }

    /// Waits at the gate; says what deadline it has.
    async fn hold(&mut self, gate: Gate, said: Said, ctx: &Context<Self>) {
        said.send(Ok(ctx.deadline())).expect("the test listens");
        gate.pass().await;
    }

    /// Asks the next one to wait at the gate, in one step or in two; says what came of it.
    async fn wait(&mut self, in_steps: bool, gate: Gate, said: Said) {
        let next = self.next.as_ref().expect("there is one");
        let hold = next.hold(gate, said.clone());
        let answer = match in_steps {
            false => hold.await,
            true => hold.enqueue().await.expect("accepted").await,
        };
        said.send(answer.map(|()| None)).expect("the test listens");
    }

    /// Asks the next one when the gate is open; says what came of it.
    async fn dawdle(&mut self, gate: Gate, said: Said) {
        gate.pass().await;
        let next = self.next.as_ref().expect("there is one");
        said.send(next.now().await).expect("the test listens");
    }
}

fn pair() -> ScoutHandle {
    let next = Scout { next: None }.spawn();
    Scout { next: Some(next) }.spawn()
}

#[tokio::test(start_paused = true)]
async fn a_handler_sees_the_deadline_of_its_asker_inline_and_queued() {
    let scout = pair();
    let deadline = Instant::now() + TEN_MS;
    for _ in 0..3 {
        assert_eq!(
            scout.now().deadline(deadline).await.unwrap(),
            Some(deadline)
        );
        assert_eq!(scout.later().timeout(TEN_MS).await.unwrap(), Some(deadline));
        assert_eq!(
            scout.queued().deadline(deadline).await.unwrap(),
            Some(deadline)
        );
        assert_eq!(scout.now().await.unwrap(), None);
        assert_eq!(scout.later().await.unwrap(), None);
        assert_eq!(scout.queued().await.unwrap(), None);
        assert_eq!(scout.now().timeout(Duration::MAX).await.unwrap(), None);
    }
}

#[tokio::test(start_paused = true)]
async fn asks_of_a_handler_inherit_its_deadline_unless_their_own_is_earlier() {
    let scout = pair();
    let deadline = Instant::now() + TEN_MS;
    let seen = scout.relay().deadline(deadline).await.unwrap();
    assert_eq!(seen, [Some(deadline); 3]);
    let less = Duration::from_millis(3);
    let seen = scout.relay_in_less(less).timeout(TEN_MS).await.unwrap();
    assert_eq!(seen, Some(Instant::now() + less));
    assert_eq!(scout.relay().await.unwrap()[0], None);
}

#[tokio::test(start_paused = true)]
async fn neither_spawned_tasks_nor_one_way_messages_inherit_a_deadline() {
    let scout = pair();
    assert_eq!(scout.in_a_task().timeout(TEN_MS).await.unwrap(), None);
    let (gate, (said, mut heard)) = (Gate::shut(), unbounded_channel());
    scout.one_way(gate, said).timeout(TEN_MS).await.unwrap();
    assert_eq!(within(heard.recv()).await.unwrap().unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn an_ask_that_inherited_a_deadline_fails_when_that_passes() {
    for in_steps in [false, true] {
        let (scout, gate) = (pair(), Gate::shut());
        let (said, mut heard) = unbounded_channel();
        let deadline = Instant::now() + TEN_MS;
        let ask = scout.wait(in_steps, gate.clone(), said).deadline(deadline);
        let AskError::Timeout(timeout) = within(ask).await.unwrap_err() else {
            panic!("its limit has passed")
        };
        assert_eq!(timeout.state(), TimeoutState::Running);
        assert_eq!(within(heard.recv()).await.unwrap().unwrap(), Some(deadline));
        let Err(AskError::Timeout(timeout)) = within(heard.recv()).await.unwrap() else {
            panic!("it has inherited the limit")
        };
        assert_eq!(
            (timeout.limit(), timeout.state()),
            (TEN_MS, TimeoutState::Running)
        );
        // It takes the next message, though the one that it had asked is at the gate.
        within(scout.now()).await.unwrap();
        assert_eq!(Instant::now(), deadline);
        gate.open();
    }
}

#[tokio::test(start_paused = true)]
async fn an_ask_that_inherited_a_deadline_and_finds_no_slot_is_handed_back_when_that_passes() {
    let next = Builder::new(Scout { next: None }).mailbox(1).spawn();
    let scout = Scout {
        next: Some(next.clone()),
    }
    .spawn();
    let (gate, (said, mut heard)) = (Gate::shut(), unbounded_channel());
    next.hold(gate.clone(), said.clone()).tell().await.unwrap();
    gate.reached().await;
    next.hold(gate.clone(), said.clone()).tell().await.unwrap();
    assert_eq!(within(heard.recv()).await.unwrap().unwrap(), None);
    let ask = scout.wait(false, gate.clone(), said).timeout(TEN_MS);
    assert!(matches!(within(ask).await, Err(AskError::Timeout(_))));
    let Err(AskError::NotHandled(error)) = within(heard.recv()).await.unwrap() else {
        panic!("it found no slot")
    };
    assert!(
        matches!(error.refusal(), Refusal::Timeout(TEN_MS)),
        "{error}"
    );
    error.into_message::<ScoutHold>().unwrap();
    gate.open();
}

#[tokio::test(start_paused = true)]
async fn an_ask_in_a_handler_whose_deadline_has_passed_is_not_sent() {
    let (scout, gate) = (pair(), Gate::shut());
    let (said, mut heard) = unbounded_channel();
    let ask = scout.dawdle(gate.clone(), said).timeout(TEN_MS);
    assert!(matches!(within(ask).await, Err(AskError::Timeout(_))));
    advance(TEN_MS).await;
    gate.open();
    let Err(AskError::NotHandled(error)) = within(heard.recv()).await.unwrap() else {
        panic!("there is no time left")
    };
    assert!(matches!(error.refusal(), Refusal::Expired), "{error}");
    error.into_message::<ScoutNow>().unwrap();
    assert_eq!(within(scout.now()).await.unwrap(), None);
}

#[tokio::test(start_paused = true)]
async fn what_comes_after_a_handler_with_a_deadline_has_none() {
    let scout = pair();
    let deadline = Instant::now() + TEN_MS;
    let with = scout.queued().deadline(deadline);
    let (with, without) = tokio::join!(with, scout.queued());
    assert_eq!((with.unwrap(), without.unwrap()), (Some(deadline), None));
    let (relay, other) = tokio::join!(scout.relay().deadline(deadline), scout.relay());
    assert_eq!(relay.unwrap(), [Some(deadline); 3]);
    let other = other.unwrap();
    assert_eq!((other[0], other[2]), (None, None));
}

#[tokio::test]
async fn a_deadline_of_the_standard_clock_is_as_good() {
    let scout = pair();
    let deadline = std::time::Instant::now() + LATER;
    let seen = scout.now().deadline(deadline).await.unwrap();
    assert_eq!(seen, Some(Instant::from_std(deadline)));
    let task = tokio::task::spawn_blocking(move || scout.later().deadline(deadline).blocking());
    let seen = task.await.unwrap().unwrap();
    assert_eq!(seen, Some(Instant::from_std(deadline)));
}

#[tokio::test(start_paused = true)]
async fn the_deadline_of_a_tell_limits_its_wait_for_a_slot_alone() {
    let next = Builder::new(Scout { next: None }).mailbox(1).spawn();
    let (gate, (said, mut heard)) = (Gate::shut(), unbounded_channel());
    let deadline = Instant::now() + TEN_MS;
    let hold = || {
        next.hold(gate.clone(), said.clone())
            .tell()
            .deadline(deadline)
    };
    hold().await.unwrap();
    gate.reached().await;
    hold().await.unwrap();
    let refused = hold().await.unwrap_err();
    assert!(matches!(refused.refusal(), Refusal::Timeout(TEN_MS)));
    assert_eq!(Instant::now(), deadline);
    gate.open();
    for _ in 0..2 {
        assert_eq!(within(heard.recv()).await.unwrap().unwrap(), None);
    }
}

/// Asks a scout, from its own poll or from a task of another runtime that it drives.
#[actor]
struct Host {
    scout: ScoutHandle,
}

#[actor]
impl Host {
    async fn look(&mut self) -> Option<Instant> {
        self.scout.now().await.unwrap()
    }

    /// The same, and asks from its own poll then.
    async fn look_again(&mut self, by_greenroom: bool) -> [Option<Instant>; 2] {
        let scout = self.scout.clone();
        let there = in_another_runtime(async move {
            let asked = async move { scout.now().await.unwrap() };
            match by_greenroom {
                true => greenroom::spawn(asked).await.unwrap(),
                false => tokio::spawn(asked).await.unwrap(),
            }
        });
        [there, self.scout.now().await.unwrap()]
    }

    async fn look_from_another_runtime(&mut self) -> Option<Instant> {
        let scout = self.scout.clone();
        in_another_runtime(async {
            let asked = async move { scout.now().await.unwrap() };
            tokio::spawn(asked).await.unwrap()
        })
    }
}

fn in_another_runtime<T>(future: impl Future<Output = T>) -> T {
    tokio::task::block_in_place(|| {
        let mut other = tokio::runtime::Builder::new_current_thread();
        let other = other.enable_all().build().unwrap();
        other.block_on(future)
    })
}

fn host() -> HostHandle {
    let scout = Scout { next: None }.spawn();
    Host { scout }.spawn()
}

#[test]
fn a_limit_from_outside_harms_no_actor_of_a_runtime_without_timers() {
    let mut without_timers = tokio::runtime::Builder::new_multi_thread();
    let runtime = without_timers.worker_threads(1).build().unwrap();
    let host = runtime.block_on(async { host() });
    assert!(host.look().timeout(LATER).blocking().unwrap().is_some());
    assert_eq!(host.look().blocking().unwrap(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_task_of_another_runtime_that_a_handler_drives_has_no_part_in_its_deadline() {
    let asked = host().look_from_another_runtime().timeout(LATER).await;
    assert_eq!(asked.unwrap(), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_that_has_driven_another_runtime_has_its_deadline_still() {
    for by_greenroom in [true, false] {
        let deadline = Instant::now() + LATER;
        let asked = host().look_again(by_greenroom).deadline(deadline).await;
        assert_eq!(asked.unwrap(), [None, Some(deadline)], "{by_greenroom}");
    }
}
