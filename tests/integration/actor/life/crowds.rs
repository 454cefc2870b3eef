//! Many actors, long chains, long queues.

use greenroom::{Builder, ExitReason, Runtime, actor, limits};

use crate::actor::clerk::{Clerk, busy_clerk, clerk};
use crate::actor::support::{
    BUSY, Flavor, Ledger, assert_at_rest, on_each_seat, on_thread, within,
};

/// Keeps the next in a chain.
#[actor(mailbox = 1)]
struct Link {
    next: Option<LinkHandle>,
}

#[actor]
impl Link {
    fn length(&self) -> usize {
        usize::from(self.next.is_some())
    }
}

const LINKS: usize = 20_000;

fn chain() -> (LinkHandle, greenroom::WeakHandle<Link>) {
    let last = Link { next: None }.spawn();
    let weak = last.downgrade();
    let first = (1..LINKS).fold(last, |next, _| Link { next: Some(next) }.spawn());
    (first, weak)
}

#[test]
fn a_long_chain_of_actors_that_keep_each_other_ends_from_its_first_to_its_last() {
    on_each_seat(|| async {
        for deed in 0..3 {
            let (first, last) = chain();
            assert_eq!(within(first.length()).await.unwrap(), 1);
            match deed {
                0 => drop(first),
                1 => first.stop(),
                _ => first.kill(),
            }
            assert!(matches!(within(last.join()).await, ExitReason::Dropped));
        }
    });
}

#[test]
fn a_long_chain_of_actors_that_keep_each_other_ends_with_its_runtime() {
    for flavor in Flavor::ALL {
        for keep in [false, true] {
            on_thread(move || {
                let runtime = flavor.build();
                let (first, last) = runtime.block_on(async { chain() });
                let first = keep.then_some(first);
                drop(runtime);
                let other = Flavor::OneThread.build();
                other.block_on(async {
                    within(last.join()).await;
                });
                drop(first);
            });
        }
    }
}

#[test]
fn a_chain_whose_runtime_is_gone_can_be_dropped_by_a_plain_thread() {
    on_thread(|| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let (first, last) = runtime.block_on(async { chain() });
        drop(runtime);
        assert!(last.upgrade().is_none_or(|last| last.is_stopped()));
        assert!(first.is_stopped());
        drop(first);
    });
}

#[test]
fn a_hundred_thousand_queued_messages_are_all_handled_after_a_stop_or_dropped_by_a_kill() {
    on_each_seat(|| async {
        for kill in [false, true] {
            let ledger = Ledger::default();
            let (clerk, gate) = busy_clerk(100_000, ledger.note(BUSY, 0)).await;
            for index in 0..100_000 {
                clerk.file(ledger.note(0, index)).try_tell().unwrap();
            }
            assert_eq!(clerk.free_slots(), 0);
            if kill {
                clerk.kill();
            } else {
                clerk.stop();
            }
            gate.open();
            within(clerk.join()).await;
            assert_at_rest(&clerk);
            let tally = ledger.settle();
            let (handled, discarded) = if kill { (1, 100_000) } else { (100_001, 0) };
            assert_eq!((tally.handled, tally.discarded), (handled, discarded));
        }
    });
}

#[test]
fn the_largest_mailbox_costs_nothing_until_it_is_used() {
    on_each_seat(|| async {
        let ledger = Ledger::default();
        let clerks: Vec<_> = (0..100)
            .map(|_| Builder::new(Clerk).mailbox(limits::MAILBOX_MAX).spawn())
            .collect();
        for (clerk, sender) in clerks.iter().zip(0..) {
            assert_eq!(clerk.capacity(), limits::MAILBOX_MAX);
            clerk.file(ledger.note(sender, 0)).tell().await.unwrap();
            within(clerk.file(ledger.note(sender, 1))).await.unwrap();
            assert_at_rest(clerk);
        }
        assert_eq!(ledger.settle().handled, 200);
    });
}

#[test]
fn actors_that_are_spawned_and_end_by_thousands_leave_nothing_on_their_runtime() {
    for flavor in Flavor::ALL {
        on_thread(move || {
            let runtime: Runtime = flavor.build();
            runtime.block_on(async {
                for round in 0..20 {
                    let clerks: Vec<_> = (0..500).map(|_| clerk(1)).collect();
                    let weaks: Vec<_> = clerks.iter().map(|clerk| clerk.downgrade()).collect();
                    for (clerk, index) in clerks.into_iter().zip(0..) {
                        match (round + index) % 3 {
                            0 => within(clerk.ping()).await.unwrap(),
                            1 => clerk.ping().tell().await.unwrap(),
                            _ => {}
                        }
                    }
                    for weak in weaks {
                        assert!(matches!(within(weak.join()).await, ExitReason::Dropped));
                    }
                }
            });
            // An end is announced just before the actor leaves its runtime's list.
            runtime.block_on(crate::actor::support::until(|| runtime.metrics().live == 0));
        });
    }
}

#[test]
fn a_crash_while_a_stopped_actor_drains_hands_the_rest_back() {
    on_each_seat(|| async {
        let ledger = Ledger::default();
        let (clerk, gate) = busy_clerk(4, ledger.note(BUSY, 0)).await;
        clerk.crash(ledger.note(0, 0)).try_tell().unwrap();
        clerk.file(ledger.note(0, 1)).try_tell().unwrap();
        clerk.stop();
        gate.open();
        assert!(matches!(
            within(clerk.join()).await,
            ExitReason::Panicked(_)
        ));
        assert_at_rest(&clerk);
        let tally = ledger.settle();
        assert_eq!((tally.handled, tally.lost, tally.discarded), (1, 1, 1));
    });
}
