use super::Builder;
use crate::exec::options::Options;

#[test]
fn every_option_reaches_the_scheduler() {
    let runtime = Builder::new()
        .current_thread()
        .polls_per_turn(2)
        .messages_per_activation(3)
        .global_queue_interval(5)
        .lifo_runs(7)
        .seed(11)
        .monitor(false)
        .abort_on_actor_panic(true)
        .build()
        .unwrap();
    let executor = &runtime.handle().executor();
    let options = Options {
        polls_per_turn: 2,
        messages_per_activation: 3,
        global_queue_interval: 5,
        lifo_runs: 7,
        seed: Some(11),
        monitor: false,
        abort_on_actor_panic: true,
        ..Options::default()
    };
    assert_eq!(*executor.shared().options(), options);
    assert_eq!(executor.messages_per_activation(), 3);
    let policy = executor.shared().core().policy();
    assert_eq!(policy.global_queue_interval, 5);
    assert_eq!(policy.lifo_runs, 7);
    assert_eq!(policy.seed, Some(11));
}

#[cfg(feature = "test-util")]
#[test]
fn a_paused_clock_needs_a_current_thread_runtime() {
    use std::time::Duration;

    let error = Builder::new().start_paused(true).build().unwrap_err();
    assert_eq!(error.option(), Some("start_paused"));
    let runtime = Builder::new()
        .current_thread()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(async {
        let began = tokio::time::Instant::now();
        crate::exec::spawn(tokio::time::sleep(Duration::from_secs(3600)))
            .await
            .unwrap();
        assert!(began.elapsed() >= Duration::from_secs(3600));
    });
}

#[cfg(not(feature = "test-util"))]
#[test]
fn a_paused_clock_needs_its_feature() {
    let error = Builder::new()
        .current_thread()
        .start_paused(true)
        .build()
        .unwrap_err();
    assert_eq!(error.option(), Some("start_paused"));
}

#[cfg(not(feature = "rt-multi-thread"))]
#[test]
fn worker_threads_need_their_feature() {
    let error = Builder::new().multi_thread().build().unwrap_err();
    assert_eq!(error.option(), Some("multi_thread"));
}
