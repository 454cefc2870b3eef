//! Tasks behave as tokio's.

use std::future::pending;

use greenroom::yield_now;
use tokio::sync::{mpsc, oneshot};

use super::support::{Drops, both, within};

#[test]
fn outputs_and_panics_come_through_the_handle() {
    for runtime in both() {
        runtime.block_on(async {
            assert_eq!(greenroom::spawn(async { 1 }).await.unwrap(), 1);
            let error = greenroom::spawn(async { panic!("no luck") })
                .await
                .unwrap_err();
            assert!(error.is_panic());
            assert!(error.to_string().contains("no luck"));
            // The worker is unharmed.
            assert_eq!(greenroom::spawn(async { 2 }).await.unwrap(), 2);
        });
    }
}

#[test]
fn an_aborted_task_is_dropped_before_its_handle_says_so() {
    for runtime in both() {
        runtime.block_on(async {
            let drops = Drops::default();
            let guard = drops.guard();
            let task = greenroom::spawn(async move {
                let _guard = guard;
                pending::<()>().await;
            });
            yield_now().await;
            task.abort();
            assert!(within("the end", task).await.unwrap_err().is_cancelled());
            assert_eq!(drops.count(), 1);
        });
    }
}

#[test]
fn a_detached_task_runs_on() {
    for runtime in both() {
        let (done, is_done) = oneshot::channel();
        drop(runtime.spawn(async move {
            yield_now().await;
            done.send(5).unwrap();
        }));
        assert_eq!(runtime.block_on(within("the answer", is_done)).unwrap(), 5);
    }
}

#[test]
fn wakes_from_other_threads_tasks_and_timers_arrive() {
    for runtime in both() {
        let (to_task, mut inbox) = mpsc::channel::<u32>(1);
        let task = runtime.spawn(async move {
            let mut sum = 0;
            while let Some(more) = inbox.recv().await {
                tokio::time::sleep(std::time::Duration::from_millis(1)).await;
                sum += more;
            }
            sum
        });
        let from_thread = to_task.clone();
        let thread = std::thread::spawn(move || {
            (0..10).for_each(|i| from_thread.blocking_send(i).unwrap());
        });
        runtime.block_on(async move {
            let from_tokio = to_task.clone();
            tokio::spawn(async move { from_tokio.send(100).await.unwrap() })
                .await
                .unwrap();
            to_task.send(1000).await.unwrap();
            drop(to_task);
            assert_eq!(within("the sum", task).await.unwrap(), 1145);
        });
        thread.join().unwrap();
    }
}

#[test]
fn tokio_and_its_libraries_work_inside_our_tasks() {
    for runtime in both() {
        let task = runtime.spawn(async {
            let echo = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = echo.local_addr().unwrap();
            let server = greenroom::spawn(async move {
                let (mut stream, _) = echo.accept().await.unwrap();
                let (mut from, mut to) = stream.split();
                tokio::io::copy(&mut from, &mut to).await.unwrap()
            });
            let client = tokio::spawn(async move {
                use tokio::io::{AsyncReadExt, AsyncWriteExt};
                let mut stream = tokio::net::TcpStream::connect(address).await.unwrap();
                stream.write_all(b"hello").await.unwrap();
                stream.shutdown().await.unwrap();
                let mut back = String::new();
                stream.read_to_string(&mut back).await.unwrap();
                back
            });
            assert_eq!(client.await.unwrap(), "hello");
            assert_eq!(server.await.unwrap(), 5);
            tokio::task::spawn_blocking(|| 3).await.unwrap()
        });
        assert_eq!(runtime.block_on(within("the end", task)).unwrap(), 3);
    }
}

#[test]
fn a_paused_clock_jumps_over_long_sleeps() {
    let runtime = super::support::tokio_single();
    runtime.block_on(async {
        tokio::time::pause();
        let began = tokio::time::Instant::now();
        let hour = std::time::Duration::from_secs(3600);
        let tasks: Vec<_> = (1..=3)
            .map(|i| greenroom::spawn(tokio::time::sleep(hour * i)))
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        assert!(began.elapsed() >= hour * 3);
    });
}
