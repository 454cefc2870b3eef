//! Signals, sent to this process by itself.

use rustix::process::{Signal, getpid, kill_process};
use tokio::signal::unix::{SignalKind, signal};

use crate::support::within;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_signal_reaches_each_task_that_listens() {
    let listeners: Vec<_> = (0..4)
        .map(|_| {
            let mut signals = signal(SignalKind::user_defined1()).unwrap();
            tokio::spawn(async move { signals.recv().await })
        })
        .collect();
    kill_process(getpid(), Signal::USR1).unwrap();
    for listener in listeners {
        assert_eq!(within("the signal", listener).await.unwrap(), Some(()));
    }
}

#[tokio::test]
async fn signals_come_one_after_another_on_a_single_thread() {
    let mut signals = signal(SignalKind::user_defined2()).unwrap();
    for _ in 0..20 {
        kill_process(getpid(), Signal::USR2).unwrap();
        assert_eq!(within("a signal", signals.recv()).await, Some(()));
    }
}
