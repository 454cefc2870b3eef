//! The attributes, with their defaults and options; `app` tests them where `tokio` is a dependency.

use std::thread;

use tokio::runtime::{Handle, RuntimeFlavor};

use crate::support::is_ours;

#[tokio::test]
async fn a_test_is_current_thread_unless_it_says_otherwise() {
    assert_eq!(
        Handle::current().runtime_flavor(),
        RuntimeFlavor::CurrentThread
    );
    assert!(tokio::spawn(is_ours()).await.unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3, name = "crew")]
async fn a_test_may_have_workers_and_a_name() {
    assert_eq!(
        Handle::current().runtime_flavor(),
        RuntimeFlavor::MultiThread
    );
    assert_eq!(Handle::current().metrics().num_workers(), 3);
    assert_eq!(Handle::current().name(), Some("crew"));
    assert!(tokio::spawn(is_ours()).await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn a_test_may_start_with_its_clock_paused() {
    let began = tokio::time::Instant::now();
    let hour = std::time::Duration::from_secs(3600);
    tokio::time::advance(hour).await;
    assert_eq!(began.elapsed(), hour);
}

#[tokio::test(flavor = "local")]
async fn a_test_may_be_local() {
    let here = std::rc::Rc::new(thread::current().id());
    let task = tokio::task::spawn_local(async move { *here == thread::current().id() });
    assert!(task.await.unwrap());
    assert!(tokio::spawn(is_ours()).await.unwrap());
}

#[tokio::test(crate = "greenroom_tokio")]
async fn the_facade_may_have_another_name() -> Result<(), tokio::task::JoinError> {
    tokio::spawn(async {}).await
}

#[tokio::main(flavor = "current_thread")]
async fn on_one_thread(answer: u8) -> u8 {
    tokio::spawn(async move { answer }).await.unwrap()
}

#[tokio::main]
async fn on_many() -> RuntimeFlavor {
    Handle::current().runtime_flavor()
}

#[test]
fn a_main_has_workers_unless_it_says_otherwise() {
    assert_eq!(on_many(), RuntimeFlavor::MultiThread);
    assert_eq!(on_one_thread(7), 7);
}
