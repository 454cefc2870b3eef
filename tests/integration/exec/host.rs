//! How ours and tokio's tasks live together.

use std::time::Duration;

use greenroom::yield_now;

use super::support::{multi, single, within};

#[test]
fn tokio_tasks_and_ours_both_get_on_when_both_are_busy() {
    for runtime in [single(), multi(1)] {
        let rounds = 2_000;
        let ours = runtime.spawn(async move {
            for _ in 0..rounds {
                yield_now().await;
            }
        });
        let theirs = runtime.tokio_handle().spawn(async move {
            for _ in 0..rounds {
                tokio::task::yield_now().await;
            }
        });
        runtime.block_on(async {
            within("our task", ours).await.unwrap();
            within("tokio's task", theirs).await.unwrap();
        });
    }
}

#[test]
fn a_task_gets_on_beside_a_tokio_task_that_never_waits() {
    let runtime = multi(1);
    let theirs = runtime.tokio_handle().spawn(async {
        loop {
            let began = std::time::Instant::now();
            while began.elapsed() < Duration::from_micros(100) {
                std::hint::spin_loop();
            }
            let mut is_first = true;
            std::future::poll_fn(|cx| {
                cx.waker().wake_by_ref();
                if std::mem::take(&mut is_first) {
                    std::task::Poll::Pending
                } else {
                    std::task::Poll::Ready(())
                }
            })
            .await;
        }
    });
    let ours = runtime.spawn(async {
        for _ in 0..1_000 {
            yield_now().await;
        }
    });
    runtime.block_on(within("our task", ours)).unwrap();
    theirs.abort();
}

#[test]
fn yields_inside_a_blocking_section_come_back() {
    let runtime = multi(2);
    let task = runtime.spawn(async {
        tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(async {
                for _ in 0..100 {
                    tokio::task::yield_now().await;
                    yield_now().await;
                }
            });
        });
    });
    runtime.block_on(within("the end", task)).unwrap();
}
