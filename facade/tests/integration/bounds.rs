//! The types go where tokio's go.

use std::panic::{RefUnwindSafe, UnwindSafe};

use tokio::runtime::{Builder, Handle, Runtime, RuntimeMetrics};
use tokio::task::{AbortHandle, Id, JoinError, JoinHandle, JoinSet};

fn go_anywhere<T: Send + Sync + Unpin + 'static>() {}

fn survive_panics<T: UnwindSafe + RefUnwindSafe>() {}

#[test]
fn the_types_cross_threads_and_panics_where_tokios_do() {
    go_anywhere::<AbortHandle>();
    go_anywhere::<Builder>();
    go_anywhere::<Handle>();
    go_anywhere::<Id>();
    go_anywhere::<JoinError>();
    go_anywhere::<JoinHandle<u8>>();
    go_anywhere::<JoinSet<u8>>();
    go_anywhere::<Runtime>();
    go_anywhere::<RuntimeMetrics>();
    survive_panics::<AbortHandle>();
    survive_panics::<Handle>();
    survive_panics::<JoinHandle<u8>>();
    survive_panics::<Runtime>();
}
