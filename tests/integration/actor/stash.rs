//! Messages that an actor puts aside.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use greenroom::limits::STASH_MAX;
use greenroom::{
    AskError, Builder, Context, Delegated, OnPanic, Refusal, ResumeAfterPanic, TimeoutState,
    UndeliveredReason, actor,
};

use crate::actor::support::{Gate, assert_at_rest, on_each_runtime, poll_once, until, within};

/// Lets nobody in before it is open, and notes who came in.
#[actor(mailbox = 4)]
#[derive(Default)]
struct Door {
    is_open: bool,
    log: Arc<Mutex<Vec<u32>>>,
}

#[actor]
impl Door {
    fn enter(&mut self, n: u32, ctx: &Context<Self>) -> Delegated<u32> {
        if !self.is_open {
            let stashed = ctx.stash(DoorEnter { n });
            return stashed.unwrap_or_else(|full| {
                assert!(full.to_string().contains("Door"));
                Delegated::ready(full.into_message().n + 1000)
            });
        }
        self.log.lock().unwrap().push(n);
        Delegated::ready(n)
    }

    /// Puts aside after a wait.
    async fn linger(&mut self, n: u32, ctx: &Context<Self>) -> Delegated<Result<u32, String>> {
        tokio::task::yield_now().await;
        match self.is_open {
            true => Delegated::ready(Err(format!("{n} is late"))),
            false => ctx.stash(DoorLinger { n }).expect("there is room"),
        }
    }

    /// Puts aside, and panics.
    fn slam(&mut self, n: u32, ctx: &Context<Self>) -> Delegated<u32> {
        let _later = ctx.stash(DoorEnter { n }).expect("there is room");
        panic!("off its hinges")
    }

    fn open(&mut self, ctx: &Context<Self>) -> usize {
        self.is_open = true;
        ctx.unstash()
    }

    fn rattle(&mut self, ctx: &Context<Self>) -> usize {
        ctx.unstash()
    }

    fn waiting(&self, ctx: &Context<Self>) -> usize {
        ctx.stashed()
    }

    async fn hold(&mut self, gate: Gate) {
        gate.pass().await;
    }
}

impl ResumeAfterPanic for Door {}

async fn held(door: &DoorHandle) -> Gate {
    let gate = Gate::shut();
    door.hold(gate.clone()).tell().await.unwrap();
    gate.reached().await;
    gate
}

#[test]
fn what_was_put_aside_is_handled_in_order_and_before_what_is_queued() {
    on_each_runtime(|| async {
        let door = Door::default();
        let (log, door) = (door.log.clone(), door.spawn());
        let first = door.enter(1).enqueue().await.unwrap();
        door.enter(2).tell().await.unwrap();
        until_waiting(&door, 2).await;
        let gate = held(&door).await;
        let opened = door.open().enqueue().await.unwrap();
        let last = door.enter(3).enqueue().await.unwrap();
        gate.open();
        assert_eq!(within(opened).await.unwrap(), 2);
        assert_eq!(within(first).await.unwrap(), 1);
        assert_eq!(within(last).await.unwrap(), 3);
        assert_eq!(*log.lock().unwrap(), [1, 2, 3]);
        assert_eq!(door.waiting().await.unwrap(), 0);
        assert_at_rest(&door);
    });
}

async fn until_waiting(door: &DoorHandle, count: usize) {
    within(async { while door.waiting().await.unwrap() != count {} }).await;
}

#[test]
fn an_ask_that_is_put_aside_is_answered_later_also_if_it_ran_on_its_askers_stack() {
    on_each_runtime(|| async {
        let door = Door::default().spawn();
        let mut ask = Box::pin(door.enter(7));
        assert!(poll_once(&mut ask).await.is_pending());
        until_waiting(&door, 1).await;
        let mut slow = Box::pin(door.linger(8));
        assert!(poll_once(&mut slow).await.is_pending());
        until_waiting(&door, 2).await;
        assert_eq!(door.open().await.unwrap(), 2);
        assert_eq!(within(ask).await.unwrap(), 7);
        let Err(AskError::Handler(error)) = within(slow).await else {
            panic!("it fails otherwise");
        };
        assert_eq!(error, "8 is late");
    });
}

#[test]
fn what_is_put_aside_again_keeps_its_order() {
    on_each_runtime(|| async {
        let door = Door::default();
        let (log, door) = (door.log.clone(), door.spawn());
        for n in 0..4 {
            door.enter(n).tell().await.unwrap();
        }
        until_waiting(&door, 4).await;
        assert_eq!(door.rattle().await.unwrap(), 4);
        until_waiting(&door, 4).await;
        assert_eq!(door.open().await.unwrap(), 4);
        until(|| log.lock().unwrap().len() == 4).await;
        assert_eq!(*log.lock().unwrap(), [0, 1, 2, 3]);
    });
}

#[test]
fn a_full_stash_hands_the_message_back_and_what_is_in_it_holds_no_slot() {
    on_each_runtime(|| async {
        let door = Door::default().spawn();
        for n in 0..u32::try_from(STASH_MAX).unwrap() {
            door.enter(n).tell().await.unwrap();
        }
        until_waiting(&door, STASH_MAX).await;
        assert_at_rest(&door);
        assert_eq!(within(door.enter(5)).await.unwrap(), 1005);
        assert_eq!(door.open().await.unwrap(), STASH_MAX);
    });
}

/// A door with an ask and a tell put aside, that is then ended.
async fn ended(end: impl FnOnce(&DoorHandle)) {
    let (lost, letters) = std::sync::mpsc::channel();
    let door = Builder::new(Door::default())
        .on_undelivered(move |letter| lost.send(letter).unwrap())
        .spawn();
    let ask = door.enter(1).enqueue().await.unwrap();
    door.enter(2).tell().await.unwrap();
    until_waiting(&door, 2).await;
    end(&door);
    within(door.join()).await;
    let error = within(ask).await.unwrap_err();
    let AskError::NotHandled(error) = error else {
        panic!("it was not handled: {error}");
    };
    assert!(matches!(error.refusal(), Refusal::Ended(_)));
    assert_eq!(error.into_message::<DoorEnter>().unwrap().n, 1);
    let letter = letters.try_recv().expect("the one that was told");
    assert!(matches!(letter.reason(), UndeliveredReason::Ended(_)));
    assert_eq!(letter.downcast::<DoorEnter>().unwrap().n, 2);
    assert!(letters.try_recv().is_err());
}

#[test]
fn what_is_put_aside_when_the_actor_ends_goes_the_way_of_what_is_queued() {
    on_each_runtime(|| async {
        ended(|door| door.stop()).await;
        ended(|door| door.kill()).await;
    });
}

#[test]
fn an_actor_that_was_told_to_stop_can_still_take_up_what_it_has_put_aside() {
    on_each_runtime(|| async {
        let door = Door::default().spawn();
        let ask = door.enter(1).enqueue().await.unwrap();
        until_waiting(&door, 1).await;
        let gate = held(&door).await;
        door.open().tell().await.unwrap();
        door.stop();
        gate.open();
        assert_eq!(within(ask).await.unwrap(), 1);
        within(door.join()).await;
    });
}

#[test]
fn what_is_put_aside_outlives_a_restart_and_comes_before_what_is_queued() {
    on_each_runtime(|| async {
        let log = Arc::<Mutex<Vec<u32>>>::default();
        let is_open = Arc::<AtomicBool>::default();
        let (book, key) = (log.clone(), is_open.clone());
        let door = Builder::restartable(move || Door {
            is_open: key.load(Ordering::Relaxed),
            log: book.clone(),
        });
        let door = door.spawn();
        let ask = door.enter(1).enqueue().await.unwrap();
        door.enter(2).tell().await.unwrap();
        until_waiting(&door, 2).await;
        let gate = held(&door).await;
        let last = door.enter(3).enqueue().await.unwrap();
        is_open.store(true, Ordering::Relaxed); // for the next incarnation
        greenroom::Handle::restart(&door).unwrap();
        gate.open();
        assert_eq!(within(ask).await.unwrap(), 1);
        assert_eq!(within(last).await.unwrap(), 3);
        assert_eq!(*log.lock().unwrap(), [1, 2, 3]);
    });
}

#[test]
fn what_a_handler_has_put_aside_that_is_cut_short_is_handled_for_nobody() {
    on_each_runtime(|| async {
        let door = Door::default();
        let log = door.log.clone();
        let door = Builder::new(door).on_panic(|_| OnPanic::resume()).spawn();
        let error = within(door.slam(1)).await.unwrap_err();
        assert!(matches!(error, AskError::Interrupted(_)), "{error}");
        assert_eq!(door.open().await.unwrap(), 1);
        assert_eq!(door.waiting().await.unwrap(), 0);
        assert_eq!(*log.lock().unwrap(), [1]);
    });
}

#[tokio::test(start_paused = true)]
async fn a_message_whose_asker_has_gone_is_skipped_when_it_is_taken_up() {
    let (lost, letters) = std::sync::mpsc::channel();
    let door = Door::default();
    let log = door.log.clone();
    let door = Builder::new(door)
        .on_undelivered(move |letter| lost.send(letter).unwrap())
        .spawn();
    let dropped = door.enter(1).enqueue().await.unwrap();
    let limited = door.enter(2).timeout(Duration::from_millis(10)).await;
    let Err(AskError::Timeout(timeout)) = limited else {
        panic!("it is put aside");
    };
    assert_eq!(timeout.state(), TimeoutState::Running);
    drop(dropped);
    assert_eq!(door.open().await.unwrap(), 2);
    door.waiting().await.unwrap();
    let reasons: Vec<_> = letters
        .try_iter()
        .map(|letter| letter.reason().clone())
        .collect();
    assert!(
        matches!(
            reasons[..],
            [UndeliveredReason::AskerGone, UndeliveredReason::Expired]
        ),
        "{reasons:?}"
    );
    assert_eq!(*log.lock().unwrap(), []);
}
