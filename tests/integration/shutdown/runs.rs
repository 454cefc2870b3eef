//! Running until something is over. Real signals are in `tests/signal.rs`.

use std::future::pending;

use greenroom::{Runtime, run_until, run_until_signal};

use super::scene::{Log, Worker};
use crate::actor::support::{LIMIT, within};

#[tokio::test]
async fn a_future_that_is_done_ends_the_actors() {
    let log = Log::default();
    let worker = Worker::new("worker", &log).spawn();
    let work = async { worker.hear("work").tell().await };
    let report = within(run_until(work, LIMIT)).await.unwrap();
    assert!(report.is_clean());
    assert_eq!(log.lines(), ["worker hears work", "worker ends"]);
}

#[test]
fn where_signals_cannot_be_waited_for_is_an_error() {
    let runtime = Runtime::builder()
        .current_thread()
        .io_driver(false)
        .build()
        .unwrap();
    let error = runtime.run_until_signal(LIMIT).unwrap_err();
    assert!(error.to_string().contains("no driver for signals"));
    let outside = futures::executor::block_on(run_until(pending::<()>(), LIMIT));
    assert!(outside.unwrap_err().to_string().contains("no runtime"));
    drop(run_until_signal(LIMIT));
}
