//! The first spawn inside a tokio runtime attaches a scheduler to it.

use greenroom::runtime::{self, Handle};
use greenroom::{Runtime, yield_now};

use super::support::{tokio_multi, tokio_single, within};

async fn nested_spawns() {
    let tasks: Vec<_> = (0..200)
        .map(|i| {
            greenroom::spawn(async move {
                let inner = greenroom::spawn(async move {
                    yield_now().await;
                    i
                });
                tokio::task::yield_now().await;
                inner.await.unwrap()
            })
        })
        .collect();
    for (i, task) in tasks.into_iter().enumerate() {
        assert_eq!(within("the output", task).await.unwrap(), i);
    }
}

#[tokio::test]
async fn a_plain_current_thread_test_needs_no_set_up() {
    nested_spawns().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_plain_multi_thread_test_needs_no_set_up() {
    nested_spawns().await;
}

#[test]
fn a_main_like_runtime_needs_no_set_up() {
    for runtime in [tokio_single(), tokio_multi(2)] {
        runtime.block_on(nested_spawns());
        runtime.block_on(async { tokio::spawn(nested_spawns()).await.unwrap() });
        runtime.block_on(async {
            let inside = tokio::runtime::Handle::current();
            let blocking = tokio::task::spawn_blocking(move || inside.block_on(nested_spawns()));
            blocking.await.unwrap();
        });
    }
}

#[test]
fn a_handle_spawns_from_outside() {
    for runtime in [tokio_single(), tokio_multi(2)] {
        let handle = runtime::attach(runtime.handle()).unwrap();
        let task = handle.spawn(async { 7 });
        assert_eq!(runtime.block_on(within("the output", task)).unwrap(), 7);
    }
}

#[test]
fn an_entered_runtime_is_the_one_around() {
    let runtime = tokio_multi(1);
    let guard = runtime.enter();
    let task = greenroom::spawn(async { 7 });
    drop(guard);
    assert_eq!(runtime.block_on(within("the output", task)).unwrap(), 7);
}

#[test]
fn spawning_outside_panics_and_says_how_to_fix_it() {
    let panic = std::panic::catch_unwind(|| drop(greenroom::spawn(async {}))).unwrap_err();
    let text = panic.downcast_ref::<String>().unwrap();
    for part in [
        "no runtime",
        "#[greenroom::main]",
        "#[tokio::main]",
        "Runtime::block_on",
    ] {
        assert!(text.contains(part), "{text:?} lacks {part:?}");
    }
    assert!(Handle::try_current().is_err());
}

#[test]
fn one_runtime_has_one_scheduler() {
    let runtime = tokio_multi(2);
    let first = Runtime::attach(runtime.handle()).unwrap();
    let second = runtime::attach(runtime.handle()).unwrap();
    let task = first.spawn(async { Handle::current().metrics().workers.len() });
    let workers = runtime.block_on(within("the output", task)).unwrap();
    assert_eq!(workers, second.metrics().workers.len());
    // Polls of the one are polls of the other.
    assert!(
        second
            .metrics()
            .workers
            .iter()
            .any(|worker| worker.polls > 0)
    );
}

#[test]
fn other_options_are_refused_and_the_same_are_found() {
    let runtime = tokio_single();
    let options = || {
        Runtime::builder()
            .polls_per_turn(8)
            .messages_per_activation(4)
    };
    options().attach(runtime.handle()).unwrap();
    options().attach(runtime.handle()).unwrap();
    runtime::attach(runtime.handle()).unwrap();
    let error = Runtime::builder()
        .polls_per_turn(9)
        .attach(runtime.handle())
        .unwrap_err();
    assert!(error.is_already_attached());
    assert!(error.to_string().contains("attach before the first spawn"));

    let runtime = tokio_single();
    runtime.block_on(async { greenroom::spawn(async {}).await.unwrap() });
    assert!(
        options()
            .attach(runtime.handle())
            .unwrap_err()
            .is_already_attached()
    );
}

#[test]
fn two_runtimes_spawn_into_each_other() {
    let (left, right) = (tokio_multi(2), tokio_multi(1));
    let handles = [&left, &right].map(|host| runtime::attach(host.handle()).unwrap());
    let bounce = |from: Handle, to: Handle| async move {
        for i in 0..200_u32 {
            let (back, there) = (from.clone(), to.clone());
            let task = there.spawn(async move { back.spawn(async move { i }).await.unwrap() });
            assert_eq!(within("the output", task).await.unwrap(), i);
        }
    };
    let [l, r] = handles;
    let tasks = [
        l.spawn(bounce(l.clone(), r.clone())),
        r.clone().spawn(bounce(r, l)),
    ];
    for task in tasks {
        left.block_on(within("the end", task)).unwrap();
    }
}
