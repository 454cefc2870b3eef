//! Each option does what it says, and is refused where it cannot.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use greenroom::runtime::{BuildError, Builder};
use greenroom::{Runtime, yield_now};

use super::support::{single, tokio_multi, tokio_single};

fn refused(builder: Builder) -> (Option<&'static str>, String) {
    let error: BuildError = builder.build().map(drop).unwrap_err();
    (error.option(), error.to_string())
}

#[test]
fn impossible_options_are_refused_by_name() {
    let builder = Runtime::builder;
    let cases = [
        ("worker_threads", builder().worker_threads(0)),
        (
            "worker_threads",
            builder().worker_threads(greenroom::limits::WORKERS_MAX + 1),
        ),
        (
            "worker_threads",
            builder().current_thread().worker_threads(2),
        ),
        ("thread_name", builder().thread_name("a\0b")),
        ("polls_per_turn", builder().polls_per_turn(0)),
        ("polls_per_turn", builder().polls_per_turn(usize::MAX)),
        (
            "messages_per_activation",
            builder().messages_per_activation(0),
        ),
        (
            "messages_per_activation",
            builder().messages_per_activation(greenroom::limits::BATCH_MAX + 1),
        ),
        ("global_queue_interval", builder().global_queue_interval(0)),
        ("seed", builder().seed(1)),
    ];
    for (name, builder) in cases {
        let (option, text) = refused(builder);
        assert_eq!(option, Some(name));
        assert!(text.starts_with(&format!("option `{name}` ")), "{text}");
    }
}

#[test]
fn options_of_the_host_come_too_late_for_an_attachment() {
    let runtime = tokio_multi(1);
    let builder = Runtime::builder;
    let cases = [
        ("worker_threads", builder().worker_threads(1)),
        ("thread_name", builder().thread_name("x")),
        ("seed", builder().seed(1)),
        ("polls_per_turn", builder().polls_per_turn(0)),
    ];
    for (name, builder) in cases {
        assert_eq!(
            builder.attach(runtime.handle()).unwrap_err().option(),
            Some(name)
        );
    }
    Runtime::builder()
        .seed(1)
        .attach(tokio_single().handle())
        .unwrap();
}

#[test]
fn worker_threads_are_as_many_as_asked_for() {
    let runtime = Runtime::builder().worker_threads(3).build().unwrap();
    assert_eq!(runtime.tokio_handle().metrics().num_workers(), 3);
    let runtime = single();
    assert_eq!(runtime.tokio_handle().metrics().num_workers(), 1);
    assert_eq!(runtime.metrics().workers.len(), 1);
}

#[test]
fn threads_have_the_name_asked_for() {
    let runtime = Runtime::builder()
        .worker_threads(1)
        .thread_name("stage")
        .build()
        .unwrap();
    let task = runtime.spawn(async { std::thread::current().name().map(String::from) });
    assert_eq!(runtime.block_on(task).unwrap().as_deref(), Some("stage"));
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
