//! Handing an asker on to another actor.

use std::time::Duration;

use greenroom::{
    AskError, Builder, Context, Delegated, ExitReason, Refusal, UndeliveredReason, actor,
};
use tokio::time::Instant;

use crate::actor::support::{Gate, assert_at_rest, on_each_runtime, poll_once, until, within};

/// Answers.
#[actor(mailbox = 1)]
struct Back;

#[actor]
impl Back {
    fn double(&mut self, n: u32) -> u32 {
        n * 2
    }

    async fn slowly(&mut self, n: u32, gate: Gate) -> u32 {
        gate.pass().await;
        n
    }

    fn halve(&mut self, n: u32) -> Result<u32, String> {
        match n % 2 {
            0 => Ok(n / 2),
            _ => Err(format!("{n} is odd")),
        }
    }

    fn later(&mut self, n: u32) -> Delegated<u32> {
        let (reply, later) = Delegated::new();
        tokio::spawn(async move { reply.send(n + 1) });
        later
    }

    fn deadline(&mut self, ctx: &Context<Self>) -> Option<Instant> {
        ctx.deadline()
    }

    async fn hold(&mut self, gate: Gate) {
        gate.pass().await;
    }
}

/// Forwards.
#[actor]
struct Front {
    back: BackHandle,
    next: Option<FrontHandle>,
}

#[actor]
impl Front {
    async fn double(&mut self, n: u32, ctx: &Context<Self>) -> Delegated<u32> {
        ctx.forward(&self.back, BackDouble { n }).await
    }

    fn double_now(&mut self, n: u32, ctx: &Context<Self>) -> Delegated<u32> {
        ctx.try_forward(&self.back, BackDouble { n })
    }

    async fn slowly(&mut self, n: u32, gate: Gate, ctx: &Context<Self>) -> Delegated<u32> {
        ctx.forward(&self.back, BackSlowly { n, gate }).await
    }

    async fn halve(&mut self, n: u32, ctx: &Context<Self>) -> Delegated<Result<u32, String>> {
        ctx.forward(&self.back, BackHalve { n }).await
    }

    async fn later(&mut self, n: u32, ctx: &Context<Self>) -> Delegated<u32> {
        ctx.forward(&self.back, BackLater { n }).await
    }

    async fn deadline(&mut self, ctx: &Context<Self>) -> Delegated<Option<Instant>> {
        ctx.forward(&self.back, BackDeadline).await
    }

    /// Does not get to it.
    async fn give_up(&mut self, n: u32, ctx: &Context<Self>) -> u32 {
        let mut forward = Box::pin(ctx.forward::<_, _, u32>(&self.back, BackDouble { n }));
        assert!(poll_once(&mut forward).await.is_pending());
        n
    }

    fn ping(&mut self) {}

    fn set_next(&mut self, next: FrontHandle) {
        self.next = Some(next);
    }

    async fn round(&mut self, n: u32, ctx: &Context<Self>) -> Delegated<u32> {
        let next = self.next.as_ref().expect("it was set");
        ctx.forward(next, FrontRound { n: n + 1 }).await
    }
}

fn pair() -> (FrontHandle, BackHandle) {
    let back = Back.spawn();
    let front = Front {
        back: back.clone(),
        next: None,
    };
    (front.spawn(), back)
}

#[test]
fn the_asker_gets_the_others_reply() {
    on_each_runtime(|| async {
        let (front, back) = pair();
        assert_eq!(within(front.double(2)).await.unwrap(), 4);
        assert_eq!(within(front.double_now(3)).await.unwrap(), 6);
        assert_eq!(within(front.later(3)).await.unwrap(), 4);
        let queued = front.double(5).enqueue().await.unwrap();
        assert_eq!(within(queued).await.unwrap(), 10);
        assert_eq!(within(front.halve(4)).await.unwrap(), 2);
        let Err(AskError::Handler(error)) = within(front.halve(5)).await else {
            panic!("it fails otherwise");
        };
        assert_eq!(error, "5 is odd");
        assert_at_rest(&front);
        assert_at_rest(&back);
    });
}

#[test]
fn the_actor_that_forwards_goes_on_meanwhile() {
    on_each_runtime(|| async {
        let (front, _back) = pair();
        let gate = Gate::shut();
        let slow = front.slowly(1, gate.clone()).enqueue().await.unwrap();
        gate.reached().await;
        within(front.ping()).await.unwrap();
        gate.open();
        assert_eq!(within(slow).await.unwrap(), 1);
    });
}

#[test]
fn an_error_of_the_other_names_that() {
    on_each_runtime(|| async {
        let (front, back) = pair();
        let gate = Gate::shut();
        let running = front.slowly(1, gate.clone()).enqueue().await.unwrap();
        gate.reached().await;
        let queued = front.double(2).enqueue().await.unwrap();
        until(|| back.free_slots() == 0).await;
        back.kill();
        let Err(AskError::Interrupted(error)) = within(running).await else {
            panic!("it fails otherwise");
        };
        assert_eq!(error.actor(), &back.identity());
        assert!(matches!(error.reason(), Some(ExitReason::Killed)));
        let error = within(queued).await.unwrap_err();
        assert_eq!(error.actor(), Some(&back.identity()));
        assert_eq!(error.into_message::<BackDouble>().unwrap().n, 2);
        let error = within(front.double(3)).await.unwrap_err();
        assert_eq!(error.actor(), Some(&back.identity()));
        assert_eq!(error.into_message::<BackDouble>().unwrap().n, 3);
    });
}

#[test]
fn what_was_told_is_told_on_and_undelivered_if_the_other_has_ended() {
    on_each_runtime(|| async {
        let (lost, letters) = std::sync::mpsc::channel();
        let back = Back.spawn();
        let front = Front {
            back: back.clone(),
            next: None,
        };
        let front = Builder::new(front)
            .on_undelivered(move |letter| lost.send(letter).unwrap())
            .spawn();
        let gate = Gate::shut();
        front.slowly(1, gate.clone()).tell().await.unwrap();
        gate.reached().await;
        gate.open();
        back.shutdown().await;
        front.double(2).tell().await.unwrap();
        front.double_now(3).await.unwrap_err();
        let letter = letters.try_recv().expect("the one that was told");
        assert!(matches!(letter.reason(), UndeliveredReason::Ended(_)));
        assert_eq!(letter.downcast::<BackDouble>().unwrap().n, 2);
        assert!(letters.try_recv().is_err());
    });
}

#[test]
fn a_full_mailbox_of_the_other_is_waited_for_or_refuses() {
    on_each_runtime(|| async {
        let (front, back) = pair();
        let gate = Gate::shut();
        back.hold(gate.clone()).tell().await.unwrap();
        gate.reached().await;
        back.double(0).tell().await.unwrap();
        let error = within(front.double_now(1)).await.unwrap_err();
        let AskError::NotHandled(error) = error else {
            panic!("it fails otherwise: {error}");
        };
        assert!(matches!(error.refusal(), Refusal::Full));
        assert_eq!(error.actor(), &back.identity());
        assert_eq!(within(front.give_up(7)).await.unwrap(), 7);
        assert_eq!(back.waiting_senders(), 0, "what is dropped leaves the line");
        let waits = front.double(4).enqueue().await.unwrap();
        until(|| back.waiting_senders() == 1).await;
        gate.open();
        assert_eq!(within(waits).await.unwrap(), 8);
        assert_at_rest(&back);
    });
}

#[tokio::test(start_paused = true)]
async fn the_askers_limit_travels_along() {
    let (front, back) = pair();
    let deadline = Instant::now() + Duration::from_millis(50);
    assert_eq!(
        front.deadline().deadline(deadline).await.unwrap(),
        Some(deadline)
    );
    assert_eq!(front.deadline().await.unwrap(), None);
    let gate = Gate::shut();
    back.hold(gate.clone()).tell().await.unwrap();
    gate.reached().await;
    let late = front.double(1).deadline(deadline).await;
    assert!(matches!(late, Err(AskError::Timeout(_))));
    assert_eq!(back.free_slots(), 0, "it is queued with the other");
    gate.open();
    let before = undelivered();
    back.double(1).await.unwrap();
    assert_eq!(undelivered(), before + 1, "and was skipped");
}

fn undelivered() -> u64 {
    let undelivered = greenroom::runtime::Handle::current().metrics().undelivered;
    undelivered.expired + undelivered.asker_gone
}

#[test]
fn an_ask_that_is_forwarded_in_a_circle_ends_with_an_error() {
    on_each_runtime(|| async {
        let (one, _back) = pair();
        let (two, _other) = pair();
        one.set_next(two.clone()).await.unwrap();
        two.set_next(one.clone()).await.unwrap();
        let error = within(one.round(0)).await.unwrap_err();
        let AskError::NotHandled(error) = error else {
            panic!("it fails otherwise: {error}");
        };
        assert!(matches!(error.refusal(), Refusal::Forwarded));
        assert!(error.to_string().contains("forwarded"));
        let rounds = error.into_message::<FrontRound>().unwrap().n as usize;
        assert_eq!(rounds, greenroom::limits::FORWARDS_MAX + 1);
        assert_at_rest(&one);
        assert_at_rest(&two);
        one.kill();
        two.kill();
    });
}
