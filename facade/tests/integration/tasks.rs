//! What tasks do, and what they leave behind, is as in tokio.

use std::future::{pending, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};

use tokio::sync::{mpsc, oneshot};
use tokio::task::{self, AbortHandle, JoinError, JoinHandle, JoinSet, coop};

use crate::support::{Drops, both, multi, single, within};

#[test]
fn a_panic_comes_back_in_the_join_error() {
    for runtime in both() {
        let task: JoinHandle<()> = runtime.spawn(async { panic!("on purpose") });
        let error: JoinError = runtime.block_on(within(task)).unwrap_err();
        assert!(error.is_panic() && !error.is_cancelled());
        assert!(
            error
                .to_string()
                .ends_with("panicked with message \"on purpose\"")
        );
        let payload = error.into_panic();
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"on purpose"));
    }
}

#[test]
fn the_future_of_a_task_that_panicked_is_dropped_after_the_panic_was_caught() {
    struct Boom(Option<oneshot::Sender<bool>>);

    impl Future for Boom {
        type Output = ();

        fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
            panic!("on purpose");
        }
    }

    impl Drop for Boom {
        fn drop(&mut self) {
            let teller = self.0.take().unwrap();
            let _ = teller.send(std::thread::panicking());
        }
    }

    for runtime in both() {
        let (teller, told) = oneshot::channel();
        drop(runtime.spawn(Boom(Some(teller))));
        assert_eq!(runtime.block_on(within(told)), Ok(false));
    }
}

#[test]
fn an_aborted_task_drops_its_future_and_says_that_it_was_cancelled() {
    for runtime in both() {
        let drops = Drops::default();
        let guard = drops.guard();
        let task = runtime.spawn(async move {
            let _kept = guard;
            pending::<()>().await;
        });
        let abort: AbortHandle = task.abort_handle();
        assert_eq!(abort.id(), task.id());
        assert!(!abort.is_finished());
        abort.abort();
        let error = runtime.block_on(within(task)).unwrap_err();
        assert!(error.is_cancelled() && abort.is_finished());
        assert_eq!(drops.count(), 1);
        let error = io::Error::from(error);
        assert_eq!(error.kind(), io::ErrorKind::Other);
    }
}

#[test]
fn a_dropped_handle_detaches_its_task() {
    for runtime in both() {
        let (done, end) = oneshot::channel();
        drop(runtime.spawn(async move { done.send(()) }));
        assert_eq!(runtime.block_on(within(end)), Ok(()));
    }
}

#[test]
fn blocking_functions_run_beside_the_workers() {
    for runtime in both() {
        let handle = runtime.handle().clone();
        let sum = runtime.block_on(async {
            let one: JoinHandle<u8> = task::spawn_blocking(|| 1);
            let two = handle.spawn_blocking(|| 2);
            let three = runtime.spawn_blocking(|| 3);
            let panics = task::spawn_blocking(|| panic!("on purpose"));
            assert!(within(panics).await.unwrap_err().is_panic());
            within(async { one.await.unwrap() + two.await.unwrap() + three.await.unwrap() }).await
        });
        assert_eq!(sum, 6);
    }
}

#[test]
fn code_that_blocks_in_place_leaves_its_queue_to_others() {
    let runtime = multi();
    let task = runtime.spawn(async {
        let (done, end) = oneshot::channel();
        tokio::spawn(async move { done.send(7) });
        task::block_in_place(|| end.blocking_recv())
    });
    assert_eq!(runtime.block_on(within(task)).unwrap(), Ok(7));
}

#[test]
fn blocking_in_place_on_one_thread_panics_as_in_tokio() {
    let runtime = single();
    let task = runtime.spawn(async { task::block_in_place(|| ()) });
    assert!(runtime.block_on(within(task)).unwrap_err().is_panic());
}

#[test]
fn a_yield_lets_the_next_task_run() {
    let runtime = single();
    let order = runtime.block_on(async {
        let (log, mut lines) = mpsc::unbounded_channel();
        let second = log.clone();
        let one = tokio::spawn(async move {
            log.send("one begins").unwrap();
            task::yield_now().await;
            log.send("one ends").unwrap();
        });
        tokio::spawn(async move { second.send("two").unwrap() });
        within(one).await.unwrap();
        [lines.recv().await, lines.recv().await, lines.recv().await]
    });
    assert_eq!(order.map(Option::unwrap), ["one begins", "two", "one ends"]);
}

/// How many of `count` receives from a full channel were not ready at once.
async fn forced_yields(count: usize) -> usize {
    let (sender, mut receiver) = mpsc::unbounded_channel();
    (0..count).for_each(|n| sender.send(n).unwrap());
    let mut yields = 0;
    for _ in 0..count {
        let mut next = pin!(receiver.recv());
        poll_fn(|cx| match next.as_mut().poll(cx) {
            Poll::Ready(_) => Poll::Ready(()),
            Poll::Pending => {
                yields += 1;
                Poll::Pending
            }
        })
        .await;
    }
    yields
}

#[test]
fn our_tasks_have_the_budget_that_tokio_gives_to_tasks() {
    for runtime in both() {
        let (ours, theirs, free) = runtime.block_on(async {
            let ours = tokio::spawn(forced_yields(1000));
            let theirs = real::spawn(forced_yields(1000));
            let free = tokio::spawn(coop::unconstrained(forced_yields(1000)));
            within(async { (ours.await, theirs.await, free.await) }).await
        });
        assert_eq!((ours.unwrap(), theirs.unwrap(), free.unwrap()), (7, 7, 0));
    }
}

/// The steps that a poll has.
async fn steps() -> usize {
    let mut steps = 0;
    poll_fn(|cx| {
        while let Poll::Ready(step) = coop::poll_proceed(cx) {
            step.made_progress();
            steps += 1;
        }
        Poll::Ready(steps)
    })
    .await
}

#[test]
fn the_budget_of_our_tasks_is_tokios_less_one_step() {
    for runtime in both() {
        runtime.block_on(async {
            let ours = within(tokio::spawn(steps())).await.unwrap();
            let theirs = within(real::spawn(steps())).await.unwrap();
            assert_eq!(ours + 1, theirs);
        });
    }
}

/// In which order three tasks say their name, of which the first wakes another that waits.
async fn order(spawn: fn(Pin<Box<dyn Future<Output = ()> + Send>>)) -> String {
    let (say, mut said) = mpsc::unbounded_channel();
    let (wake, woken) = oneshot::channel::<()>();
    let [first, second, waits] = ["first ", "second ", "waits "].map(|name| {
        let say = say.clone();
        move || say.send(name).unwrap()
    });
    drop(say);
    spawn(Box::pin(async move {
        let _ = woken.await;
        waits();
    }));
    // It has begun to wait: this future goes on when all else has had its turn.
    for _ in 0..8 {
        task::yield_now().await;
    }
    spawn(Box::pin(async move {
        drop(wake);
        first();
    }));
    spawn(Box::pin(async move { second() }));
    let mut order = String::new();
    while let Some(name) = said.recv().await {
        order.push_str(name);
    }
    order
}

#[test]
fn on_one_thread_the_task_that_was_woken_last_runs_next() {
    single().block_on(async {
        let ours = within(order(|future| drop(tokio::spawn(future)))).await;
        let theirs = within(order(|future| drop(real::spawn(future)))).await;
        assert_eq!(ours, "first waits second ");
        assert_eq!(theirs, "first second waits ");
    });
}

#[test]
fn consumed_budget_makes_our_tasks_yield() {
    let polls = single().block_on(async {
        let task = tokio::spawn(async {
            let mut polls = 0;
            let mut work = pin!(async {
                for _ in 0..1000 {
                    coop::consume_budget().await;
                }
            });
            poll_fn(|cx| {
                polls += 1;
                work.as_mut().poll(cx)
            })
            .await;
            polls
        });
        within(task).await.unwrap()
    });
    assert_eq!(polls, 1 + 1000 / 128);
}

tokio::task_local! {
    static NAME: &'static str;
}

#[test]
fn task_locals_and_the_macros_work_in_our_tasks() {
    for runtime in both() {
        let answer = runtime.block_on(async {
            let task = tokio::spawn(NAME.scope("hero", async {
                let (one, two) = tokio::join!(async { 1 }, task::yield_now());
                let tried = tokio::try_join!(async { Ok::<_, ()>(1) }, async { Err::<(), _>(()) });
                assert!((one, two) == (1, ()) && tried.is_err());
                tokio::select! {
                    () = pending() => unreachable!("it never ends"),
                    name = async { NAME.with(|name| *name) } => name,
                }
            }));
            within(task).await.unwrap()
        });
        assert_eq!(answer, "hero");
    }
}

#[test]
fn a_join_set_joins_aborts_and_detaches() {
    for runtime in both() {
        runtime.block_on(async {
            let mut set = JoinSet::new();
            let seven = set.spawn(async { 7 });
            assert_eq!(
                within(set.join_next_with_id()).await.unwrap().unwrap(),
                (seven.id(), 7)
            );
            set.spawn_blocking(|| 8);
            set.spawn_blocking_on(|| 9, runtime.handle());
            let mut all = within(set.join_all()).await;
            all.sort_unstable();
            assert_eq!(all, [8, 9]);

            let drops = Drops::default();
            let mut set = JoinSet::new();
            let guard = drops.guard();
            set.spawn(async move {
                let _kept = guard;
                pending::<()>().await;
            });
            assert_eq!((set.len(), set.is_empty()), (1, false));
            assert!(set.try_join_next().is_none());
            within(set.shutdown()).await;
            assert_eq!((set.len(), drops.count()), (0, 1));
            set.spawn(async {});
            set.detach_all();
            assert!(within(set.join_next()).await.is_none());
        });
    }
}

#[test]
fn a_dropped_join_set_aborts_its_tasks() {
    for runtime in both() {
        let (kept, end) = oneshot::channel::<()>();
        runtime.block_on(async {
            let mut set = JoinSet::new();
            set.spawn(async move {
                let _kept = kept;
                pending::<()>().await;
            });
            drop(set);
            assert!(within(end).await.is_err());
        });
    }
}

#[test]
fn task_ids_are_those_of_our_scheduler() {
    for runtime in both() {
        let task = runtime.spawn(async { (task::id(), task::try_id()) });
        let id: task::Id = task.id();
        assert_eq!(runtime.block_on(within(task)).unwrap(), (id, Some(id)));
        let job = runtime.spawn_blocking(task::id);
        let id = job.id();
        assert_eq!(runtime.block_on(within(job)).unwrap(), id);
        // Neither `block_on` nor a library's task has one.
        assert_eq!(runtime.block_on(async { task::try_id() }), None);
        let library = runtime.block_on(async { real::spawn(async { task::try_id() }).await });
        assert_eq!(library.unwrap(), None);
        assert!(id.to_string().parse::<u64>().is_ok());
    }
}

#[test]
fn a_task_builder_names_tasks_and_blocking_functions() {
    let runtime = single();
    let builder = task::Builder::new();
    let named = builder.name("hero").spawn_on(async { 1 }, runtime.handle());
    let named = named.unwrap();
    assert!(format!("{named:?}").contains("hero"));
    let job = builder.spawn_blocking_on(|| 2, runtime.handle()).unwrap();
    let local = async { task::Builder::new().spawn_blocking(|| 3).unwrap().await };
    let all = async {
        (
            named.await.unwrap(),
            job.await.unwrap(),
            local.await.unwrap(),
        )
    };
    assert_eq!(runtime.block_on(within(all)), (1, 2, 3));
}
