//! What sources promise whoever builds on them.

use std::sync::Arc;

use tokio::sync::Notify;

use super::Source;
use crate::actor;
use crate::exec::runtime::Runtime;

/// A notice, and a message.
struct Tick(u32);

#[actor(mailbox = 1)]
#[derive(Default)]
struct Clock {
    seen: Vec<u32>,
}

#[actor]
impl Clock {
    async fn busy(&mut self, begun: Arc<Notify>, free: Arc<Notify>) {
        begun.notify_one();
        free.notified().await;
    }

    #[message]
    fn on_tick(&mut self, tick: Tick) {
        self.seen.push(tick.0);
    }

    fn seen(&self) -> Vec<u32> {
        self.seen.clone()
    }
}

fn source_for(clock: &ClockHandle) -> Source<Tick> {
    let unit = (*clock.target().0.unit()).clone();
    Source::new::<Clock>(unit, Some)
}

/// Whether a notice of it stands in the mailbox, be it a revoked one.
fn is_queued(source: &Source<Tick>) -> bool {
    source.0.place.lock().is_queued
}

/// Runs `f` while the clock is busy and its mailbox full, then says what the clock has handled.
fn with_busy_clock(f: impl FnOnce(&ClockHandle)) -> Vec<u32> {
    let runtime = Runtime::builder().current_thread().build();
    runtime.expect("a runtime").block_on(async {
        let clock = Clock::default().spawn();
        let (begun, free) = <(Arc<Notify>, Arc<Notify>)>::default();
        let busy = clock.busy(begun.clone(), free.clone()).tell();
        busy.await.expect("it runs");
        begun.notified().await;
        clock.tell(Tick(0)).await.expect("the one slot");
        assert!(clock.try_tell(Tick(99)).is_err(), "it is full");
        f(&clock);
        free.notify_one();
        clock.seen().await.expect("it runs")
    })
}

#[test]
fn notices_stand_in_order_and_need_no_slot() {
    let seen = with_busy_clock(|clock| {
        for number in 1..=3 {
            let sent = source_for(clock).send(Tick(number));
            assert!(matches!(sent, Ok(None)));
        }
        assert_eq!(clock.free_slots(), 0);
    });
    assert_eq!(seen, [0, 1, 2, 3]);
}

#[test]
fn a_source_has_one_notice_queued_at_most_and_the_last_stands() {
    let seen = with_busy_clock(|clock| {
        let (first, second) = (source_for(clock), source_for(clock));
        assert!(matches!(first.send(Tick(1)), Ok(None)));
        assert!(matches!(second.send(Tick(2)), Ok(None)));
        assert!(matches!(first.send(Tick(3)), Ok(Some(Tick(1)))));
        assert!(is_queued(&first));
    });
    assert_eq!(seen, [0, 3, 2]);
}

#[test]
fn what_is_taken_back_is_not_delivered() {
    let mut sources = Vec::new();
    let seen = with_busy_clock(|clock| {
        let source = source_for(clock);
        assert!(source.send(Tick(1)).is_ok());
        assert!(matches!(source.revoke(), Some(Tick(1))));
        assert!(is_queued(&source), "its place is still there");
        sources.push(source);
    });
    assert_eq!(seen, [0]);
    assert!(!is_queued(&sources[0]));
    assert!(sources[0].revoke().is_none());
}

#[test]
fn an_actor_that_has_ended_hands_the_notice_back() {
    let runtime = Runtime::builder().current_thread().build();
    runtime.expect("a runtime").block_on(async {
        let clock = Clock::default().spawn();
        let source = source_for(&clock);
        clock.shutdown().await;
        assert!(matches!(source.send(Tick(7)), Err(Tick(7))));
        assert!(!is_queued(&source));
    });
}

#[test]
fn a_source_does_not_keep_its_actor() {
    let runtime = Runtime::builder().current_thread().build();
    runtime.expect("a runtime").block_on(async {
        let clock = Clock::default().spawn();
        let (source, weak) = (source_for(&clock), clock.downgrade());
        drop(clock);
        weak.join().await;
        assert!(source.send(Tick(1)).is_err());
    });
}
