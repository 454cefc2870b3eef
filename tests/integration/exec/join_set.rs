//! `JoinSet`: each claim holds for ours and for tokio's.

use std::future::{Future, pending};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use tokio::sync::oneshot;

use super::support::{Drops, multi, single, within};

/// A waker that counts.
#[derive(Default)]
struct Bell(AtomicUsize);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Bell {
    fn rings(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

fn bell() -> (Arc<Bell>, Waker) {
    let bell = Arc::new(Bell::default());
    (Arc::clone(&bell), Waker::from(bell))
}

/// Lets everything run that is runnable.
async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

async fn polls_of<F: Future>(future: F) -> (F::Output, usize) {
    let (mut future, mut polls) = (pin!(future), 0);
    let output = std::future::poll_fn(|cx| {
        polls += 1;
        future.as_mut().poll(cx)
    })
    .await;
    (output, polls)
}

macro_rules! claims {
    ($whose:ident, $set:path) => {
        mod $whose {
            use super::*;
            use $set as Set;

            #[test]
            fn outputs_come_in_the_order_of_the_ends_polled_or_not() {
                single().block_on(async {
                    let mut set = Set::new();
                    let gates: Vec<_> = (0..3)
                        .map(|i| {
                            let (open, gate) = oneshot::channel::<()>();
                            set.spawn(async move {
                                gate.await.unwrap();
                                i
                            });
                            open
                        })
                        .collect();
                    assert!(set.try_join_next().is_none());
                    for open in gates.into_iter().rev() {
                        open.send(()).unwrap();
                        settle().await;
                    }
                    assert_eq!(set.try_join_next().unwrap().unwrap(), 2);
                    assert_eq!(set.len(), 2);
                    assert_eq!(set.join_next().await.unwrap().unwrap(), 1);
                    assert_eq!(set.join_next().await.unwrap().unwrap(), 0);
                    assert!(set.join_next().await.is_none() && set.is_empty());
                });
            }

            #[test]
            fn ids_come_with_outputs_and_in_errors() {
                single().block_on(async {
                    let mut set = Set::new();
                    let good = set.spawn(async { 7 }).id();
                    let (id, output) = set.join_next_with_id().await.unwrap().unwrap();
                    assert_eq!((id, output), (good, 7));
                    let bad = set.spawn(async { panic!("on purpose") });
                    let error = set.join_next_with_id().await.unwrap().unwrap_err();
                    assert!(error.is_panic() && error.id() == bad.id() && bad.is_finished());
                    let late = set.spawn(async { 8 }).id();
                    settle().await;
                    assert_eq!(set.try_join_next_with_id().unwrap().unwrap(), (late, 8));
                    assert!(set.try_join_next_with_id().is_none());
                });
            }

            #[test]
            fn an_abort_of_one_leaves_the_others() {
                single().block_on(async {
                    let mut set = Set::new();
                    let first = set.spawn(pending::<()>());
                    set.spawn(pending());
                    settle().await;
                    first.abort();
                    let error = set.join_next().await.unwrap().unwrap_err();
                    assert!(error.is_cancelled() && error.id() == first.id());
                    assert_eq!(set.len(), 1);
                });
            }

            #[test]
            fn abort_all_keeps_the_tasks_and_shutdown_waits_for_them() {
                single().block_on(async {
                    let (mut set, drops) = (Set::new(), Drops::default());
                    for _ in 0..10 {
                        let guard = drops.guard();
                        set.spawn(async move {
                            let _guard = guard;
                            pending::<()>().await
                        });
                    }
                    settle().await;
                    set.abort_all();
                    assert_eq!((set.len(), drops.count()), (10, 0));
                    assert!(set.join_next().await.unwrap().unwrap_err().is_cancelled());
                    within("the end", set.shutdown()).await;
                    assert_eq!((set.len(), drops.count()), (0, 10));
                });
            }

            #[test]
            fn a_dropped_set_aborts_and_a_detached_one_does_not() {
                single().block_on(async {
                    let (mut set, drops) = (Set::new(), Drops::default());
                    let guard = drops.guard();
                    set.spawn(async move {
                        let _guard = guard;
                        pending::<()>().await
                    });
                    settle().await;
                    drop(set);
                    settle().await;
                    assert_eq!(drops.count(), 1);

                    let (mut set, (open, gate)) = (Set::new(), oneshot::channel::<()>());
                    let (tell, told) = oneshot::channel();
                    set.spawn(async move {
                        gate.await.unwrap();
                        tell.send(7).unwrap();
                    });
                    set.detach_all();
                    assert!(set.is_empty() && set.join_next().await.is_none());
                    drop(set);
                    open.send(()).unwrap();
                    assert_eq!(within("the detached task", told).await.unwrap(), 7);
                });
            }

            #[test]
            fn a_set_is_used_again_after_it_was_detached() {
                single().block_on(async {
                    let mut set = Set::new();
                    let ended = set.spawn(async { 1 });
                    settle().await;
                    assert!(ended.is_finished());
                    set.detach_all();
                    assert!(set.try_join_next().is_none());
                    set.spawn(async { 2 });
                    assert_eq!(set.join_next().await.unwrap().unwrap(), 2);
                });
            }

            #[test]
            fn join_all_gives_what_ended_and_passes_a_panic_on() {
                single().block_on(async {
                    let set: Set<usize> = (0..5).map(|i| async move { i }).collect();
                    let mut outputs = set.join_all().await;
                    outputs.sort_unstable();
                    assert_eq!(outputs, [0, 1, 2, 3, 4]);

                    let (mut set, drops) = (Set::new(), Drops::default());
                    let guard = drops.guard();
                    set.spawn(async move {
                        let _guard = guard;
                        pending::<()>().await
                    });
                    set.spawn(async { panic!("on purpose") });
                    let error = tokio::spawn(set.join_all()).await.unwrap_err();
                    let payload = error.into_panic();
                    assert_eq!(payload.downcast_ref::<&str>(), Some(&"on purpose"));
                    settle().await;
                    assert_eq!(drops.count(), 1, "the rest is aborted");
                });
            }

            #[test]
            fn join_all_panics_on_an_abort() {
                single().block_on(async {
                    let mut set = Set::new();
                    let id = set.spawn(pending::<()>());
                    id.abort();
                    let error = tokio::spawn(set.join_all()).await.unwrap_err();
                    let text = error.into_panic().downcast::<String>().unwrap();
                    assert_eq!(*text, format!("task {} was cancelled", id.id()));
                });
            }

            #[test]
            fn only_the_latest_waker_is_woken() {
                single().block_on(async {
                    let mut set = Set::new();
                    let (open, gate) = oneshot::channel::<()>();
                    set.spawn(async move { gate.await.unwrap() });
                    let ((old, old_waker), (new, new_waker)) = (bell(), bell());
                    let mut old_cx = Context::from_waker(&old_waker);
                    assert!(set.poll_join_next(&mut old_cx).is_pending());
                    let mut new_cx = Context::from_waker(&new_waker);
                    assert!(set.poll_join_next(&mut new_cx).is_pending());
                    open.send(()).unwrap();
                    settle().await;
                    assert_eq!((old.rings(), new.rings()), (0, 1));
                    let polled = set.poll_join_next_with_id(&mut new_cx);
                    assert!(matches!(polled, Poll::Ready(Some(Ok(_)))));
                    let empty = set.poll_join_next(&mut new_cx);
                    assert!(matches!(empty, Poll::Ready(None)));
                });
            }

            #[test]
            fn a_dropped_join_loses_nothing() {
                single().block_on(async {
                    let mut set = Set::new();
                    let (open, gate) = oneshot::channel::<()>();
                    set.spawn(async move { gate.await.unwrap() });
                    {
                        let mut next = pin!(set.join_next());
                        let polled = next.as_mut().poll(&mut Context::from_waker(Waker::noop()));
                        assert!(polled.is_pending());
                    }
                    open.send(()).unwrap();
                    within("the task", set.join_next()).await.unwrap().unwrap();
                });
            }

            #[test]
            fn an_extended_set_holds_all_and_says_how_many() {
                single().block_on(async {
                    let mut set = Set::default();
                    set.extend((0..4).map(|i| async move { i }));
                    assert_eq!(format!("{set:?}"), "JoinSet { len: 4 }");
                    let mut sum = 0;
                    while let Some(output) = set.join_next().await {
                        sum += output.unwrap();
                    }
                    assert_eq!(sum, 6);
                });
            }

            #[test]
            fn blocking_jobs_are_joined_with_tasks() {
                let runtime = multi(2);
                runtime.block_on(async {
                    let mut set = Set::new();
                    set.spawn_blocking(|| 1);
                    set.spawn(async { 2 });
                    let mut outputs = within("the outputs", set.join_all()).await;
                    outputs.sort_unstable();
                    assert_eq!(outputs, [1, 2]);
                });
            }

            #[test]
            fn a_thousand_tasks_on_two_workers_are_all_joined() {
                multi(2).block_on(async {
                    let mut set = Set::new();
                    let (mut joined, mut sum) = (0, 0_usize);
                    for i in 0..1000 {
                        set.spawn(async move {
                            tokio::task::yield_now().await;
                            i
                        });
                        if let Some(output) = set.try_join_next() {
                            joined += 1;
                            sum += output.unwrap();
                        }
                    }
                    while let Some(output) = within("the next", set.join_next()).await {
                        joined += 1;
                        sum += output.unwrap();
                    }
                    assert_eq!((joined, sum), (1000, 1000 * 999 / 2));
                });
            }

            #[test]
            fn joining_spends_the_budget_and_trying_does_not() {
                single().block_on(async {
                    let ended = || async {
                        let set: Set<usize> = (0..300).map(|i| async move { i }).collect();
                        settle().await;
                        set
                    };
                    let mut set = ended().await;
                    let joins = async move { while set.join_next().await.is_some() {} };
                    let joins = tokio::spawn(polls_of(joins));
                    let ((), polls) = joins.await.unwrap();
                    assert!((3..=4).contains(&polls), "{polls}");
                    let mut set = ended().await;
                    let tries =
                        async move { (0..).take_while(|_| set.try_join_next().is_some()).count() };
                    let (all, polls) = tokio::spawn(polls_of(tries)).await.unwrap();
                    assert_eq!((all, polls), (300, 1));
                });
            }
        }
    };
}

claims!(ours, greenroom::JoinSet);
claims!(theirs, tokio::task::JoinSet);

#[test]
fn a_set_takes_tasks_and_jobs_of_other_runtimes_also_after_their_end() {
    let other = multi(1);
    let handle = other.handle().clone();
    single().block_on(async {
        let mut set = greenroom::JoinSet::new();
        set.spawn_on(async { tokio::runtime::Handle::current().id() }, &handle);
        set.spawn_blocking_on(|| tokio::runtime::Handle::current().id(), &handle);
        for _ in 0..2 {
            let id = within("the other runtime", set.join_next()).await;
            assert_eq!(id.unwrap().unwrap(), handle.id());
        }
        other.shutdown_background();
        set.spawn_on(async { tokio::runtime::Handle::current().id() }, &handle);
        set.spawn_blocking_on(|| tokio::runtime::Handle::current().id(), &handle);
        for _ in 0..2 {
            let refused = within("the refusal", set.join_next()).await;
            assert!(refused.unwrap().unwrap_err().is_cancelled());
        }
    });
}

#[test]
fn a_set_takes_tasks_that_were_spawned_otherwise() {
    single().block_on(async {
        let mut set = greenroom::JoinSet::new();
        let named = greenroom::TaskBuilder::new().name("sweeper");
        let abort = set.insert(named.spawn(async { 7 }));
        assert!(format!("{abort:?}").contains("sweeper"));
        assert_eq!(set.join_next().await.unwrap().unwrap(), 7);
        let mut used = greenroom::spawn(async { 8 });
        assert_eq!((&mut used).await.unwrap(), 8);
        let insert = std::panic::AssertUnwindSafe(|| set.insert(used));
        assert!(std::panic::catch_unwind(insert).is_err());
        assert!(set.is_empty());
    });
}

#[test]
fn a_runtime_may_end_while_a_set_waits() {
    let runtime = multi(2);
    let mut set = greenroom::JoinSet::new();
    set.spawn_on(pending::<()>(), runtime.handle());
    drop(runtime);
    let ended = futures::executor::block_on(set.join_next());
    assert!(ended.unwrap().unwrap_err().is_cancelled());
}
