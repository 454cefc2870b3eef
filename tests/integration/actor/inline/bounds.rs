//! How deep, how often, how large and how long.

use std::time::{Duration, Instant};

use greenroom::{actor, limits};

use super::super::support::{Flavor, on_each_runtime, on_runtime, poll_once, within};
use super::{marked, on_the_stack_of, probe};

/// Asks the next, and says how deep the deepest was.
#[actor]
struct Link {
    next: Option<LinkHandle>,
}

#[actor]
impl Link {
    #[message(inline = always)]
    async fn depth(&mut self) -> u32 {
        let here = on_the_stack_of();
        match &self.next {
            Some(next) => marked(next.depth()).await.unwrap().max(here),
            None => here,
        }
    }
}

#[test]
fn a_chain_of_a_thousand_asks_nests_as_deep_as_the_limit_and_goes_on_through_the_queues() {
    on_each_runtime(|| async {
        let chain = (0..1000).fold(Link { next: None }.spawn(), |next, _| {
            Link { next: Some(next) }.spawn()
        });
        let depth = within(marked(chain.depth())).await.unwrap();
        assert_eq!(depth, limits::INLINE_DEPTH);
    });
}

#[test]
fn an_asker_in_a_loop_lets_others_run() {
    on_runtime(Flavor::OneThread, || async {
        let probe = probe();
        let asker = async {
            let mut longest = 0;
            let mut asked = 0;
            while asked < 10_000 {
                // As many as there are before the task yields.
                let mut in_a_row = 0;
                std::future::poll_fn(|cx| {
                    loop {
                        let mut ask = Box::pin(probe.always(0));
                        if ask.as_mut().poll(cx).is_pending() {
                            return std::task::Poll::Ready(());
                        }
                        in_a_row += 1;
                    }
                })
                .await;
                tokio::task::yield_now().await;
                longest = longest.max(in_a_row);
                asked += in_a_row;
            }
            longest
        };
        let longest = within(asker).await;
        assert!(longest <= 128, "{longest} asks in one poll");
    });
}

#[test]
fn an_ask_with_a_large_message_is_queued_whatever_was_chosen() {
    on_each_runtime(|| async {
        let probe = probe();
        assert!(!marked(probe.large([0; 4096])).await.unwrap());
    });
}

/// Computes, as the clock tells.
#[actor]
struct Slow;

#[actor]
impl Slow {
    fn compute(&mut self, time: Duration) -> bool {
        let began = Instant::now();
        while began.elapsed() < time {
            std::hint::spin_loop();
        }
        on_the_stack_of() > 0
    }
}

#[test]
fn a_timer_decides_against_a_long_handler_from_the_second_ask_on() {
    on_runtime(Flavor::TwoWorkers, || async {
        let time = Duration::from_millis(20);
        let slow = Slow.spawn();
        assert!(marked(slow.compute(time)).await.unwrap(), "who could know");
        for _ in 0..5 {
            let other = Slow.spawn();
            let mut timer = tokio::time::interval(time / 4);
            timer.tick().await;
            let mut ask = Box::pin(marked(other.compute(time)));
            assert!(poll_once(&mut ask).await.is_pending(), "it ran inline");
            tokio::select! {
                biased;
                _ = timer.tick() => {}
                _ = &mut ask => panic!("the ask was first"),
            }
            assert!(!within(ask).await.unwrap());
        }
    });
}
