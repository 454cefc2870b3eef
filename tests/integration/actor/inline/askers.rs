//! Askers in unusual places: other runtimes, local sets, foreign executors, small stacks.

use std::future::Future;
use std::pin::Pin;
use std::sync::mpsc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use greenroom::{Runtime, actor};

use crate::actor::support::{Flavor, on_runtime, on_thread, within};
use crate::alone::alone;

/// Long enough to tell that nothing will come.
const NEVER: Duration = Duration::from_secs(5);

#[actor]
struct Porter;

#[actor]
impl Porter {
    #[message(inline = always)]
    fn place(&mut self) -> tokio::runtime::Id {
        tokio::runtime::Handle::current().id()
    }

    #[message(inline = always)]
    async fn nap(&mut self) {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }

    #[message(inline = always)]
    fn block(&mut self) -> u32 {
        tokio::task::block_in_place(|| 7)
    }

    #[message(inline = never)]
    fn block_queued(&mut self) -> u32 {
        tokio::task::block_in_place(|| 7)
    }

    /// Says that it has begun, and waits for the word to end.
    #[message(inline = always)]
    fn hold(&mut self, begun: mpsc::Sender<()>, end: mpsc::Receiver<()>) {
        begun.send(()).unwrap();
        end.recv().unwrap();
    }

    #[message(inline = never)]
    fn hold_queued(&mut self, begun: mpsc::Sender<()>, end: mpsc::Receiver<()>) {
        begun.send(()).unwrap();
        end.recv().unwrap();
    }

    fn mark(&mut self, done: mpsc::Sender<()>) {
        let _ = done.send(());
    }

    /// Needs more budget than there is.
    #[message(inline = always)]
    async fn consume(&mut self, units: u32) -> u32 {
        for _ in 0..units {
            tokio::task::consume_budget().await;
        }
        units
    }

    #[message(inline = always)]
    fn is_unwinding(&mut self) -> bool {
        std::thread::panicking()
    }

    #[message(inline = always)]
    fn crash(&mut self) {
        panic!("inline");
    }
}

/// Polls once, by a waker that does nothing.
fn poll_now<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn a_handler_is_in_its_actors_runtime_though_its_asker_has_entered_another() {
    let other = Runtime::builder().current_thread().build().unwrap();
    let other = std::sync::Arc::new(other);
    let lent = std::sync::Arc::clone(&other);
    on_runtime(Flavor::TwoWorkers, move || {
        let other = std::sync::Arc::clone(&lent);
        async move {
            let home = tokio::runtime::Handle::current().id();
            let porter = Porter.spawn();
            let asked = greenroom::spawn(async move {
                tokio::task::block_in_place(|| other.block_on(within(porter.place())))
            });
            assert_eq!(within(asked).await.unwrap().unwrap(), home);
        }
    });
}

#[test]
fn a_handler_that_sleeps_wakes_though_its_asker_had_entered_a_runtime_that_nobody_drives() {
    on_thread(|| {
        let idle = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let handle = idle.handle().clone();
        let runtime = Flavor::TwoWorkers.build();
        runtime.block_on(async move {
            let porter = Porter.spawn();
            let napped = greenroom::spawn(async move {
                let mut ask = Box::pin(porter.nap());
                {
                    let _inside = handle.enter();
                    assert!(poll_now(ask.as_mut()).is_pending());
                }
                tokio::time::timeout(NEVER, ask).await
            });
            assert!(within(napped).await.unwrap().is_ok(), "it sleeps for ever");
        });
    });
}

#[test]
fn a_handler_that_blocks_in_place_must_be_queued_where_its_asker_is_in_a_local_set() {
    on_thread(|| {
        let runtime = Flavor::TwoWorkers.build();
        let local = tokio::task::LocalSet::new();
        runtime.block_on(local.run_until(async {
            assert_eq!(within(Porter.spawn().block_queued()).await.unwrap(), 7);
            let error = within(Porter.spawn().block()).await.unwrap_err();
            assert!(error.to_string().contains("can call blocking"), "{error}");
        }));
    });
}

/// A task of ours asks, and then keeps its thread, until a message that came while the handler ran
/// is handled by another worker. No monitor helps.
fn told_meanwhile(inline: bool) -> bool {
    let builder = Runtime::builder().multi_thread().worker_threads(2);
    let runtime = builder.monitor(false).build().unwrap();
    let (begun, has_begun) = mpsc::channel();
    let (end, may_end) = mpsc::channel();
    let (done, is_done) = mpsc::channel();
    let _inside = runtime.enter();
    let porter = Porter.spawn();
    runtime.block_on(greenroom::spawn(async {})).unwrap();
    while runtime.metrics().sleeping < 2 {
        std::thread::yield_now();
    }
    let asker = porter.clone();
    let asked = greenroom::spawn(async move {
        if inline {
            asker.hold(begun, may_end).await.unwrap();
        } else {
            asker.hold_queued(begun, may_end).await.unwrap();
        }
        is_done.recv_timeout(NEVER).is_ok()
    });
    has_begun.recv().unwrap();
    porter.mark(done).try_tell().unwrap();
    end.send(()).unwrap();
    runtime.block_on(within(asked)).unwrap()
}

#[test]
fn what_is_told_while_a_queued_handler_runs_goes_to_an_idle_worker_if_the_asker_keeps_its_own() {
    on_thread(|| assert!(told_meanwhile(false)));
}

#[test]
fn what_is_told_while_an_inline_handler_runs_goes_to_an_idle_worker_if_the_asker_keeps_its_own() {
    on_thread(|| assert!(told_meanwhile(true)));
}

#[test]
fn a_handler_that_needs_more_budget_than_its_asker_has_left_ends_all_the_same() {
    for flavor in Flavor::ALL {
        on_runtime(flavor, || async {
            let porter = Porter.spawn();
            let ours = porter.clone();
            let ours = greenroom::spawn(async move { ours.consume(1_000).await });
            let tokios = porter.clone();
            let tokios = tokio::spawn(async move { tokios.consume(1_000).await });
            assert_eq!(within(porter.consume(1_000)).await.unwrap(), 1_000);
            assert_eq!(within(ours).await.unwrap().unwrap(), 1_000);
            assert_eq!(within(tokios).await.unwrap().unwrap(), 1_000);
        });
    }
}

/// Asks when it is dropped.
struct AskAtDrop<F: FnMut()>(F);

impl<F: FnMut()> Drop for AskAtDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

fn while_unwinding(ask: impl FnMut()) {
    let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _asks = AskAtDrop(ask);
        panic!("unwinds");
    }));
    assert!(unwound.is_err());
}

#[test]
fn an_ask_in_an_unwinding_survives_a_handler_that_panics() {
    on_thread(|| {
        let runtime = Flavor::TwoWorkers.build();
        let _inside = runtime.enter();
        let porter = Porter.spawn();
        while_unwinding(|| drop(porter.crash().blocking().unwrap_err()));
        runtime.block_on(within(porter.join()));
    });
}

#[test]
fn a_handler_does_not_see_that_its_asker_unwinds() {
    on_thread(|| {
        let runtime = Flavor::TwoWorkers.build();
        let _inside = runtime.enter();
        let porter = Porter.spawn();
        let mut seen = None;
        while_unwinding(|| seen = porter.is_unwinding().blocking().ok());
        assert_eq!(seen, Some(false));
    });
}

#[test]
fn an_ask_by_a_foreign_executor_on_a_worker_of_the_runtime_is_answered() {
    on_runtime(Flavor::TwoWorkers, || async {
        let porter = Porter.spawn();
        let asked = greenroom::spawn(async move {
            tokio::task::block_in_place(|| {
                futures::executor::block_on(async {
                    for _ in 0..50 {
                        porter.place().await.unwrap();
                        porter.consume(3).await.unwrap();
                        porter.nap().await.unwrap();
                    }
                });
            });
        });
        within(asked).await.unwrap();
    });
}

#[actor]
struct Link {
    next: Option<LinkHandle>,
}

#[actor]
impl Link {
    /// Goes on along the chain, with eight kibibytes on the stack.
    #[message(inline = always)]
    async fn go(&mut self) -> u32 {
        let mut used = [1_u8; 8 << 10];
        std::hint::black_box(&mut used);
        let rest = match &self.next {
            Some(next) => next.go().await.unwrap(),
            None => 0,
        };
        std::hint::black_box(&mut used);
        rest + u32::from(used[0])
    }
}

/// The length of a chain of a hundred, as asked by a task on threads with so much stack.
fn chain(stack: usize) -> u32 {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .thread_stack_size(stack)
        .enable_all()
        .build()
        .unwrap();
    let asked = runtime.spawn(async {
        let first = Link { next: None }.spawn();
        let last = (1..100).fold(first, |next, _| Link { next: Some(next) }.spawn());
        within(last.go()).await.unwrap()
    });
    runtime.block_on(within(asked)).unwrap()
}

#[test]
fn a_chain_of_asks_fits_the_stack_that_tokio_gives_its_threads() {
    on_thread(|| assert_eq!(chain(2 << 20), 100));
}

#[test]
fn a_chain_of_asks_fits_a_stack_that_is_ample_for_each_of_its_handlers() {
    // An overflow would end the process.
    let test = "actor::inline::askers::\
                a_chain_of_asks_fits_a_stack_that_is_ample_for_each_of_its_handlers";
    alone(test, || on_thread(|| assert_eq!(chain(256 << 10), 100)));
}
