//! Tasks that belong to an actor.

use std::future::pending;
use std::sync::Arc;

use greenroom::{During, ExitReason, JoinHandle};

use super::{act, busy_ticker, live, millis, pass, tick, ticker};
use crate::actor::support::{Gate, until, within};

#[tokio::test(start_paused = true)]
async fn the_output_of_a_piped_future_comes_as_a_message_and_the_actor_goes_on_meanwhile() {
    let (ticker, log) = ticker();
    let set = act(|ctx| {
        let slow = async {
            pass(20).await;
            2
        };
        ctx.pipe(slow, |word| tick(word.unwrap()));
        ctx.after(millis(10), tick(1));
    });
    ticker.run(set).await.unwrap();
    pass(30).await;
    assert_eq!(log.lines(), [(1, 10), (2, 20)]);
}

#[tokio::test(start_paused = true)]
async fn a_piped_output_needs_no_slot() {
    let (ticker, log, gate) = busy_ticker(|_| ()).await;
    let set = act(|ctx| drop(ctx.pipe(async { 1 }, |word| tick(word.unwrap()))));
    ticker.run(set).tell().await.unwrap();
    ticker.nap(1).tell().await.unwrap();
    assert_eq!(ticker.free_slots(), 0);
    gate.open();
    pass(5).await;
    assert_eq!(log.words(), [1]);
}

#[tokio::test(start_paused = true)]
async fn a_piped_future_that_panics_comes_back_as_an_error() {
    let (ticker, log) = ticker();
    let set = act(|ctx| {
        let fails = async { panic!("in a future") };
        ctx.pipe(fails, |never: Result<(), _>| {
            let error = never.expect_err("it panicked");
            assert!(error.is_panic());
            let payload = error.into_panic();
            assert_eq!(payload.downcast_ref(), Some(&"in a future"));
            tick(4)
        });
    });
    ticker.run(set).await.unwrap();
    pass(1).await;
    assert_eq!(log.words(), [4]);
}

#[tokio::test(start_paused = true)]
async fn what_makes_a_message_of_an_output_runs_in_the_actor_and_its_panic_is_the_actors() {
    let (ticker, _log) = ticker();
    let set = act(|ctx| {
        let id = ctx.id();
        ctx.pipe(
            async { panic!("in a future") },
            move |never: Result<(), _>| {
                assert_eq!(greenroom::id(), id);
                never.expect("a future that ends well");
                tick(4)
            },
        );
    });
    ticker.run(set).await.unwrap();
    let ExitReason::Panicked(crash) = within(ticker.join()).await else {
        panic!("it ends otherwise");
    };
    assert!(matches!(crash.during(), During::Message(message) if message.ends_with("Tick")));
}

#[tokio::test(start_paused = true)]
async fn a_piped_future_can_be_aborted_and_then_there_is_no_message() {
    let (ticker, log) = ticker();
    let held = Arc::new(());
    let token = held.clone();
    let (told, abort) = std::sync::mpsc::channel();
    let set = act(move |ctx| {
        let endless = async move {
            let _token = token;
            pending::<()>().await;
        };
        told.send(ctx.pipe(endless, |_| tick(1))).unwrap();
    });
    ticker.run(set).await.unwrap();
    pass(1).await;
    assert_eq!(Arc::strong_count(&held), 2);
    abort.recv().unwrap().abort();
    until(|| Arc::strong_count(&held) == 1).await;
    ticker.run(act(|_| ())).await.unwrap();
    assert_eq!(log.words(), []);
}

#[tokio::test(start_paused = true)]
async fn a_piped_output_that_is_ready_when_its_actor_has_ended_is_dropped() {
    let (ticker, log) = ticker();
    let gate = Gate::shut();
    let at = gate.clone();
    let set = act(move |ctx| {
        let output = async move { at.pass().await };
        ctx.pipe(output, |_| tick(1));
    });
    ticker.run(set).await.unwrap();
    gate.reached().await;
    ticker.stop();
    gate.open();
    within(ticker.join()).await;
    assert_eq!(log.words(), []);
}

#[tokio::test(start_paused = true)]
async fn tasks_of_an_actor_give_their_output_and_end_with_it_at_the_latest() {
    let (ticker, _log) = ticker();
    let before = live();
    let held = Arc::new(());
    let token = held.clone();
    let (told, tasks) = std::sync::mpsc::channel::<(JoinHandle<u32>, JoinHandle<()>)>();
    let set = act(move |ctx| {
        let quick = ctx.spawn(async { 5 });
        let endless = ctx.spawn(async move {
            let _token = token;
            pending().await
        });
        told.send((quick, endless)).unwrap();
    });
    ticker.run(set).await.unwrap();
    let (quick, endless) = tasks.recv().unwrap();
    assert_eq!(within(quick).await.unwrap(), 5);
    assert!(!endless.is_finished());
    let weak = ticker.downgrade();
    drop(ticker); // a task keeps no actor
    assert!(matches!(within(weak.join()).await, ExitReason::Dropped));
    assert!(within(endless).await.unwrap_err().is_cancelled());
    assert_eq!(Arc::strong_count(&held), 1);
    assert_eq!(live(), before - 1);
}

#[tokio::test(start_paused = true)]
async fn tasks_are_aborted_however_the_actor_ends() {
    for kill in [true, false] {
        let (ticker, _log) = ticker();
        let (told, task) = std::sync::mpsc::channel();
        let set = act(move |ctx| told.send(ctx.spawn(pending::<()>())).unwrap());
        ticker.run(set).await.unwrap();
        match kill {
            true => ticker.kill(),
            false => drop(ticker.run(act(|_| panic!("a crash"))).await),
        }
        let task = task.recv().unwrap();
        assert!(within(task).await.unwrap_err().is_cancelled());
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_that_has_ended_leaves_nothing_with_its_actor() {
    let (ticker, _log) = ticker();
    let held = Arc::new(());
    let token = held.clone();
    let set = act(move |ctx| {
        // Dropped unheard, and done.
        drop(ctx.spawn(async move {
            let _token = token;
            panic!("in a task");
        }));
    });
    ticker.run(set).await.unwrap();
    until(|| Arc::strong_count(&held) == 1).await;
    ticker.run(act(|_| ())).await.expect("it goes on");
}
