//! Each option does what it says, and is refused where it cannot.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use greenroom::runtime::{BuildError, Builder};
use greenroom::{Runtime, yield_now};

use super::support::{single, tokio_multi, tokio_single};

fn refused(builder: Builder) -> (Option<&'static str>, String) {
    let error: BuildError = builder.build().map(drop).unwrap_err();
    (error.option(), error.to_string())
}

type Case = (Builder, &'static str, &'static str);

/// Each builder is refused by the name of an option, with a reason.
fn all_refused(cases: impl IntoIterator<Item = Case>) {
    for (builder, name, reason) in cases {
        let (option, text) = refused(builder);
        assert_eq!(option, Some(name));
        assert_eq!(text, format!("option `{name}` {reason}"));
    }
}

#[test]
fn impossible_options_of_the_host_are_refused_by_name_and_with_a_reason() {
    let builder = Runtime::builder;
    all_refused([
        (
            builder().worker_threads(0),
            "worker_threads",
            "must not be zero",
        ),
        (
            builder().worker_threads(greenroom::limits::WORKERS_MAX + 1),
            "worker_threads",
            "is beyond `limits::WORKERS_MAX`",
        ),
        (
            builder().current_thread().worker_threads(2),
            "worker_threads",
            "must be 1 on a current-thread runtime",
        ),
        (
            builder().max_blocking_threads(0),
            "max_blocking_threads",
            "must not be zero",
        ),
        (
            builder().max_blocking_threads(usize::MAX),
            "max_blocking_threads",
            "is beyond `limits::BLOCKING_THREADS_MAX`",
        ),
        (
            builder().thread_name("a\0b"),
            "thread_name",
            "must not contain NUL",
        ),
        (
            builder().thread_stack_size(usize::MAX / 2),
            "thread_stack_size",
            "is more than the operating system gives",
        ),
        (
            builder().event_interval(0),
            "event_interval",
            "must not be zero",
        ),
        (
            builder().start_paused(true),
            "start_paused",
            "needs `current_thread()`",
        ),
    ]);
}

#[test]
fn impossible_options_of_the_scheduler_are_refused_by_name_and_with_a_reason() {
    let builder = Runtime::builder;
    let batch_max = greenroom::limits::BATCH_MAX;
    all_refused([
        (
            builder().polls_per_turn(0),
            "polls_per_turn",
            "must be from 1 to `limits::BATCH_MAX`",
        ),
        (
            builder().polls_per_turn(usize::MAX),
            "polls_per_turn",
            "must be from 1 to `limits::BATCH_MAX`",
        ),
        (
            builder().messages_per_activation(0),
            "messages_per_activation",
            "must be from 1 to `limits::BATCH_MAX`",
        ),
        (
            builder().messages_per_activation(batch_max + 1),
            "messages_per_activation",
            "must be from 1 to `limits::BATCH_MAX`",
        ),
        (
            builder().global_queue_interval(0),
            "global_queue_interval",
            "must not be zero",
        ),
        (builder().seed(1), "seed", "needs `current_thread()`"),
    ]);
}

#[test]
fn options_of_the_host_come_too_late_for_an_attachment() {
    let host = tokio_multi(1);
    let builder = Runtime::builder;
    let cases = [
        ("worker_threads", builder().worker_threads(1)),
        ("max_blocking_threads", builder().max_blocking_threads(1)),
        ("thread_name", builder().thread_name("x")),
        ("thread_name_fn", builder().thread_name_fn(String::new)),
        ("thread_stack_size", builder().thread_stack_size(1 << 20)),
        (
            "thread_keep_alive",
            builder().thread_keep_alive(Duration::ZERO),
        ),
        ("on_thread_start", builder().on_thread_start(|| {})),
        ("on_thread_stop", builder().on_thread_stop(|| {})),
        ("on_thread_park", builder().on_thread_park(|| {})),
        ("on_thread_unpark", builder().on_thread_unpark(|| {})),
        ("event_interval", builder().event_interval(1)),
        ("io_driver", builder().io_driver(true)),
        ("start_paused", builder().start_paused(true)),
        ("configure_tokio", builder().configure_tokio(|_| {})),
    ];
    for (name, builder) in cases {
        let error = builder.attach(host.handle()).unwrap_err();
        assert_eq!(error.option(), Some(name));
        assert!(!error.is_already_attached());
        let text = format!("option `{name}` is the runtime's own: it was built already");
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn options_that_contradict_the_runtime_are_refused_by_name_and_with_a_reason() {
    let builder = Runtime::builder;
    let cases = [
        (
            builder().current_thread(),
            tokio_multi(1),
            "option `current_thread` is not what the runtime was built as",
        ),
        (
            builder().multi_thread(),
            tokio_single(),
            "option `multi_thread` is not what the runtime was built as",
        ),
        (
            builder().seed(1),
            tokio_multi(1),
            "option `seed` needs a current-thread runtime",
        ),
        (
            builder().polls_per_turn(0),
            tokio_single(),
            "option `polls_per_turn` must be from 1 to `limits::BATCH_MAX`",
        ),
    ];
    for (builder, host, text) in cases {
        let error = builder.attach(host.handle()).unwrap_err();
        assert_eq!(error.to_string(), text);
        assert!(text.contains(error.option().unwrap()), "{text}");
    }
    let fitting = [
        (builder().current_thread().seed(1), tokio_single()),
        (builder().multi_thread(), tokio_multi(1)),
    ];
    for (builder, host) in fitting {
        builder.attach(host.handle()).unwrap();
    }
}

#[test]
fn a_scheduler_with_another_value_of_an_option_is_refused_by_the_options_name() {
    let builder = Runtime::builder;
    let cases = [
        ("polls_per_turn", builder().polls_per_turn(9)),
        (
            "messages_per_activation",
            builder().messages_per_activation(9),
        ),
        ("global_queue_interval", builder().global_queue_interval(9)),
        ("lifo_runs", builder().lifo_runs(9)),
        ("seed", builder().seed(9)),
        ("monitor", builder().monitor(false)),
        ("abort_on_actor_panic", builder().abort_on_actor_panic(true)),
        ("on_task_spawn", builder().on_task_spawn(|_| {})),
        ("on_task_terminate", builder().on_task_terminate(|_| {})),
    ];
    let host = tokio_single();
    host.block_on(async { greenroom::spawn(async {}).await.unwrap() });
    for (name, builder) in cases {
        let error = builder.attach(host.handle()).unwrap_err();
        assert!(error.is_already_attached());
        assert_eq!(error.option(), Some(name));
        let text = format!(
            "the runtime has a scheduler already, with another value of option `{name}`: attach \
             before the first spawn"
        );
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn worker_threads_are_as_many_as_asked_for() {
    let runtime = Runtime::builder().worker_threads(3).build().unwrap();
    assert_eq!(runtime.tokio_handle().metrics().num_workers(), 3);
    let runtime = single();
    assert_eq!(runtime.tokio_handle().metrics().num_workers(), 1);
    assert_eq!(runtime.metrics().workers.len(), 1);
}

/// How many of our polls there are while tokio polls one of its own tasks so many times.
fn polls_per_host_poll(polls_per_turn: usize) -> usize {
    let runtime = Runtime::builder()
        .current_thread()
        .seed(1)
        .polls_per_turn(polls_per_turn)
        .build()
        .unwrap();
    let polls = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&polls);
    let busy = runtime.spawn(async move {
        loop {
            count.fetch_add(1, Ordering::Relaxed);
            yield_now().await;
        }
    });
    runtime.block_on(async {
        // Until the first turn is over.
        while polls.load(Ordering::Relaxed) == 0 {
            tokio::task::yield_now().await;
        }
        let before = polls.load(Ordering::Relaxed);
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        busy.abort();
        (polls.load(Ordering::Relaxed) - before) / 10
    })
}

#[test]
fn turns_have_as_many_polls_as_asked_for() {
    assert_eq!(polls_per_host_poll(7), 7);
    assert_eq!(polls_per_host_poll(40), 40);
}

/// How often a worker ran first what was woken last, in a chain of tasks that wait for each other.
fn lifo_hits(lifo_runs: usize) -> u64 {
    let runtime = Runtime::builder()
        .current_thread()
        .lifo_runs(lifo_runs)
        .build()
        .unwrap();
    runtime.block_on(async {
        greenroom::spawn(async {
            let inner = greenroom::spawn(async { greenroom::spawn(async {}).await.unwrap() });
            inner.await.unwrap();
        })
        .await
        .unwrap();
    });
    runtime.metrics().workers[0].lifo_hits
}

#[test]
fn lifo_runs_can_be_turned_off() {
    assert_eq!(lifo_hits(0), 0);
    assert!(lifo_hits(3) > 0);
}
