//! Restarts by hand and by the panic hook: what stays, and what does not.

use std::sync::Arc;

use greenroom::{
    AskError, Builder, Context, Crash, During, ExitReason, Handle, OnPanic, ResumeAfterPanic, actor,
};
use tokio::sync::Notify;

use crate::actor::support::within;

#[actor(mailbox = 16)]
struct Shelf {
    items: Vec<u32>,
    crashes: u32,
    hook: fn(&mut Shelf, &Crash) -> OnPanic<Shelf>,
}

#[actor]
impl Shelf {
    fn put(&mut self, item: u32) -> Vec<u32> {
        self.items.push(item);
        self.items.clone()
    }

    fn drop_it(&mut self) -> u32 {
        self.items.push(99);
        panic!("too heavy")
    }

    async fn hold(&mut self, reached: Arc<Notify>, open: Arc<Notify>) {
        reached.notify_one();
        open.notified().await;
    }

    fn crashes(&self) -> u32 {
        self.crashes
    }

    #[on(panic)]
    fn crashed(&mut self, crash: &Crash, ctx: &mut Context<Self>) -> OnPanic<Self> {
        assert_eq!(ctx.name(), "Shelf");
        self.crashes += 1;
        (self.hook)(self, crash)
    }
}

impl ResumeAfterPanic for Shelf {}

fn shelf(hook: fn(&mut Shelf, &Crash) -> OnPanic<Shelf>) -> Shelf {
    Shelf {
        items: vec![],
        crashes: 0,
        hook,
    }
}

#[greenroom::test]
async fn a_hook_that_resumes_keeps_the_state_and_what_is_queued() {
    let shelf = shelf(|_, crash| {
        assert!(matches!(crash.during(), During::Message(_)));
        assert_eq!(crash.text(), "too heavy");
        OnPanic::resume()
    })
    .spawn();
    let _ = within(shelf.put(1)).await.unwrap();
    let crash = shelf.drop_it().enqueue().await.unwrap();
    let next = shelf.put(2).enqueue().await.unwrap();
    let error = within(crash).await.unwrap_err();
    assert!(matches!(error, AskError::Interrupted(_)), "{error}");
    assert_eq!(within(next).await.unwrap(), [1, 99, 2]);
    assert_eq!(within(shelf.crashes()).await.unwrap(), 1);
    assert_eq!(Handle::incarnation(&shelf), 1);
}

#[greenroom::test]
async fn who_resumes_while_it_stops_handles_the_rest_and_stops() {
    let shelf = shelf(|_, _| OnPanic::resume()).spawn();
    let crash = shelf.drop_it().enqueue().await.unwrap();
    let next = shelf.put(2).enqueue().await.unwrap();
    shelf.stop();
    assert!(within(crash).await.is_err());
    assert_eq!(within(next).await.unwrap(), [99, 2]);
    assert!(matches!(within(shelf.join()).await, ExitReason::Stopped));
}

#[greenroom::test]
async fn a_hook_that_restarts_loses_the_state_and_keeps_the_queue_and_its_order() {
    let shelf = Builder::restartable(|| shelf(|_, _| OnPanic::restart())).spawn();
    let (reached, open) = (Arc::<Notify>::default(), Arc::<Notify>::default());
    shelf
        .hold(reached.clone(), open.clone())
        .tell()
        .await
        .unwrap();
    reached.notified().await;
    let first = shelf.put(1).enqueue().await.unwrap();
    let crash = shelf.drop_it().enqueue().await.unwrap();
    let rest = [2, 3].map(|item| shelf.put(item));
    let mut replies = vec![];
    for put in rest {
        replies.push(put.enqueue().await.unwrap());
    }
    open.notify_one();
    assert_eq!(within(first).await.unwrap(), [1]);
    assert!(within(crash).await.is_err());
    let last = replies.pop().unwrap();
    assert_eq!(within(last).await.unwrap(), [2, 3]);
    assert_eq!(Handle::incarnation(&shelf), 2);
    assert_eq!(shelf.free_slots(), 16);
}

#[greenroom::test]
async fn to_restart_what_can_not_be_made_again_is_to_stop() {
    let shelf = shelf(|_, _| OnPanic::restart()).spawn();
    assert!(within(shelf.drop_it()).await.is_err());
    let reason = within(shelf.join()).await;
    assert!(matches!(reason, ExitReason::Panicked(_)));
    let error = Handle::restart(&shelf).unwrap_err();
    assert!(error.to_string().ends_with("it was spawned as a value"));
    assert_eq!(error.actor(), &shelf.identity());
}

#[greenroom::test]
async fn a_hook_that_panics_or_stops_ends_the_actor_of_the_first_panic() {
    let hooks: [fn(&mut Shelf, &Crash) -> OnPanic<Shelf>; 2] =
        [|_, _| panic!("and more"), |_, _| OnPanic::stop()];
    for hook in hooks {
        let shelf = Builder::restartable(move || shelf(hook)).spawn();
        assert!(within(shelf.drop_it()).await.is_err());
        match within(shelf.join()).await {
            ExitReason::Panicked(crash) => assert_eq!(crash.text(), "too heavy"),
            reason => panic!("{reason}"),
        }
    }
}

#[greenroom::test]
async fn what_is_said_at_spawn_goes_before_the_hook_of_the_type() {
    let shelf = Builder::new(shelf(|_, _| OnPanic::stop()))
        .on_panic(|_| OnPanic::resume())
        .spawn();
    assert!(within(shelf.drop_it()).await.is_err());
    assert_eq!(within(shelf.put(1)).await.unwrap(), [99, 1]);
    assert_eq!(within(shelf.crashes()).await.unwrap(), 0);
}

#[greenroom::test]
async fn a_restart_by_hand_waits_for_the_handler_and_is_done_once() {
    let shelf = Builder::restartable(|| shelf(|_, _| OnPanic::stop())).spawn();
    let (reached, open) = (Arc::<Notify>::default(), Arc::<Notify>::default());
    let _ = within(shelf.put(1)).await.unwrap();
    let held = shelf.hold(reached.clone(), open.clone()).enqueue().await;
    let held = held.unwrap();
    reached.notified().await;
    let next = shelf.put(2).enqueue().await.unwrap();
    Handle::restart(&shelf).unwrap();
    Handle::restart(&shelf).unwrap();
    open.notify_one();
    within(held).await.unwrap();
    assert_eq!(within(next).await.unwrap(), [2]);
    assert_eq!(Handle::incarnation(&shelf), 2);
}

#[greenroom::test]
async fn a_paused_actor_takes_messages_and_begins_none() {
    let shelf = shelf(|_, _| OnPanic::stop()).spawn();
    Handle::pause(&shelf);
    let first = shelf.put(1).enqueue().await.unwrap();
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert_eq!(shelf.free_slots(), 15);
    Handle::resume(&shelf);
    assert_eq!(within(first).await.unwrap(), [1]);
}

#[greenroom::test]
async fn a_stop_ends_a_pause_and_handles_what_was_accepted_and_a_kill_does_not() {
    let shelf_to_stop = shelf(|_, _| OnPanic::stop()).spawn();
    Handle::pause(&shelf_to_stop);
    let first = shelf_to_stop.put(1).enqueue().await.unwrap();
    let reason = within(shelf_to_stop.shutdown()).await;
    assert!(matches!(reason, ExitReason::Stopped));
    assert_eq!(within(first).await.unwrap(), [1]);
    let shelf_to_kill = shelf(|_, _| OnPanic::stop()).spawn();
    Handle::pause(&shelf_to_kill);
    let first = shelf_to_kill.put(1).enqueue().await.unwrap();
    shelf_to_kill.kill();
    assert!(matches!(
        within(shelf_to_kill.join()).await,
        ExitReason::Killed
    ));
    assert!(within(first).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn a_stop_with_a_limit_kills_and_says_what_was_not_handled() {
    let limit = std::time::Duration::from_secs(5);
    let quick = shelf(|_, _| OnPanic::stop()).spawn();
    quick.put(1).tell().await.unwrap();
    let stopped = Handle::stop_within(&quick, limit).await;
    assert!(matches!(stopped.reason, ExitReason::Stopped));
    assert_eq!(stopped.unhandled, 0);
    let slow = shelf(|_, _| OnPanic::stop()).spawn();
    let reached = Arc::<Notify>::default();
    slow.hold(reached.clone(), Arc::default())
        .tell()
        .await
        .unwrap();
    reached.notified().await;
    for item in 0..3 {
        slow.put(item).tell().await.unwrap();
    }
    let began = tokio::time::Instant::now();
    let stopped = Handle::stop_within(&slow, limit).await;
    assert!(matches!(stopped.reason, ExitReason::Killed));
    assert_eq!(stopped.unhandled, 3);
    assert!(began.elapsed() >= limit);
    assert_eq!(
        stopped.to_string(),
        "it was killed; messages not handled: 3"
    );
}
