//! A shutdown with a limit returns, whatever the workers are stuck in, and says who is left.

use std::future::pending;
use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use greenroom::runtime::{Shutdown, TaskKind};
use greenroom::{Handle, Id, Runtime, actor, limits};

use super::support::{LONG, both, multi, single};

const WORKERS: usize = 2;

/// Long enough for what ends by itself, and short against what does not.
const LIMIT: Duration = Duration::from_millis(100);

/// Shuts down elsewhere, so that a hang fails the test.
fn shut_down(runtime: Runtime, limit: Duration) -> Shutdown {
    let (tell, told) = mpsc::channel();
    thread::spawn(move || tell.send(runtime.shutdown_timeout(limit)).unwrap());
    told.recv_timeout(LONG).expect("the shutdown returns")
}

/// Has as many tasks as workers run `block`, which gets a sender to say that it is about to; shuts
/// down; then `release` ends the blocks. The report must name each of them.
fn all_stuck<F>(block: F, release: impl FnOnce())
where
    F: Fn() + Clone + Send + 'static,
{
    let runtime = multi(WORKERS);
    let (enter, entered) = mpsc::channel();
    let line = line!() + 4;
    let ids: Vec<Id> = (0..WORKERS)
        .map(|_| {
            let (block, enter) = (block.clone(), enter.clone());
            let task = runtime.spawn(async move {
                enter.send(()).unwrap();
                block();
            });
            task.id()
        })
        .collect();
    for _ in 0..WORKERS {
        entered.recv_timeout(LONG).unwrap();
    }
    let shutdown = shut_down(runtime, LIMIT);
    release();
    assert_eq!(shutdown.left, WORKERS, "{shutdown}");
    assert!(shutdown.threads >= WORKERS, "{shutdown}");
    let mut named: Vec<Id> = shutdown.stragglers.iter().map(|left| left.id).collect();
    named.sort_unstable();
    assert_eq!(named, ids);
    for straggler in &shutdown.stragglers {
        assert_eq!(straggler.kind, TaskKind::Task);
        assert!(straggler.is_running);
        assert_eq!(straggler.spawned_at.line(), line);
        let text = format!(
            "task {} (in a poll, spawned at {})",
            straggler.id, straggler.spawned_at
        );
        assert_eq!(straggler.to_string(), text);
        assert!(shutdown.to_string().contains(&text), "{shutdown}");
    }
}

/// Blocks in both ways: in a poll, and in a blocking section.
fn in_polls_and_in_sections<F, R>(parts: impl Fn() -> (F, R))
where
    F: Fn() + Clone + Send + 'static,
    R: FnOnce(),
{
    let (block, release) = parts();
    all_stuck(block, release);
    let (block, release) = parts();
    all_stuck(move || tokio::task::block_in_place(&block), release);
}

#[test]
fn tasks_that_wait_for_a_channel_are_named() {
    in_polls_and_in_sections(|| {
        let (release, released) = mpsc::channel::<()>();
        let released = std::sync::Arc::new(std::sync::Mutex::new(released));
        let block = move || {
            released.lock().unwrap().recv().unwrap_err();
        };
        (block, move || drop(release))
    });
}

#[test]
fn tasks_that_read_from_a_socket_are_named() {
    in_polls_and_in_sections(|| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let block = move || {
            let mut stream = TcpStream::connect(address).unwrap();
            let _ = stream.read(&mut [0]);
        };
        // What is not accepted is reset.
        (block, move || drop(listener))
    });
}

#[test]
fn tasks_that_block_on_a_timer_or_a_socket_of_tokios_end_with_it_or_are_named() {
    let hour = Duration::from_secs(3600);
    let runtime = multi(WORKERS);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let (enter, entered) = mpsc::channel();
    for index in 0..WORKERS {
        let (enter, listener) = (enter.clone(), listener.try_clone().unwrap());
        runtime.spawn(async move {
            tokio::task::block_in_place(|| {
                greenroom::runtime::Handle::current().block_on(async {
                    enter.send(()).unwrap();
                    if index % 2 == 0 {
                        let _ = tokio::time::timeout(hour, pending::<()>()).await;
                    } else {
                        let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                        let _ = listener.accept().await;
                    }
                });
            });
        });
    }
    for _ in 0..WORKERS {
        entered.recv_timeout(LONG).unwrap();
    }
    let shutdown = shut_down(runtime, LIMIT);
    assert_eq!(shutdown.left, shutdown.stragglers.len(), "{shutdown}");
    assert!(shutdown.left <= WORKERS, "{shutdown}");
}

#[actor]
struct Sleeper {
    wake: mpsc::Receiver<()>,
    asleep: mpsc::Sender<()>,
}

#[actor]
impl Sleeper {
    fn sleep(&mut self) {
        self.asleep.send(()).unwrap();
        let _ = self.wake.recv();
    }
}

#[test]
fn actors_are_named_by_their_names() {
    let runtime = multi(1);
    let (release, wake) = mpsc::channel::<()>();
    let (asleep, is_asleep) = mpsc::channel();
    let sleeper = runtime.block_on(async {
        let sleeper = greenroom::Builder::new(Sleeper { wake, asleep })
            .name("dormouse")
            .spawn();
        sleeper.sleep().tell().await.unwrap();
        sleeper
    });
    is_asleep.recv_timeout(LONG).unwrap();
    let shutdown = shut_down(runtime, LIMIT);
    drop(release);
    assert_eq!(shutdown.left, 1, "{shutdown}");
    let straggler = &shutdown.stragglers[0];
    assert_eq!(straggler.id, Handle::id(&sleeper));
    assert_eq!(straggler.kind, TaskKind::Actor);
    assert_eq!(straggler.name.as_deref(), Some("dormouse"));
    let text = format!("actor dormouse#{} (in a poll, ", straggler.id);
    assert!(straggler.to_string().starts_with(&text), "{straggler}");
}

#[test]
fn of_many_that_wait_some_are_named_and_those_in_a_poll_first() {
    let runtime = multi(1);
    let (release, released) = mpsc::channel::<()>();
    let (enter, entered) = mpsc::channel();
    let stuck = runtime.spawn(async move {
        enter.send(()).unwrap();
        released.recv().unwrap_err();
    });
    entered.recv_timeout(LONG).unwrap();
    let many = limits::STRAGGLERS_MAX + 10;
    // Without a monitor's spare worker nobody drops them before the limit.
    let (hold, held) = mpsc::channel::<()>();
    let held = std::sync::Arc::new(std::sync::Mutex::new(held));
    for _ in 0..many {
        let held = std::sync::Arc::clone(&held);
        runtime.spawn(async move {
            let _ = held.lock().unwrap().recv();
        });
    }
    let shutdown = shut_down(runtime, LIMIT);
    drop((release, hold));
    assert!(shutdown.left > 0, "{shutdown}");
    assert!(shutdown.stragglers.len() <= limits::STRAGGLERS_MAX);
    assert_eq!(shutdown.stragglers[0].id, stuck.id());
}

#[test]
fn what_waits_ends_though_a_worker_is_stuck() {
    let runtime = multi(WORKERS);
    let (enter, entered) = mpsc::channel();
    // Each task that waits holds an end, and the stuck one goes on when all of them are gone.
    let (hold, held) = mpsc::channel::<()>();
    runtime.spawn(async move {
        enter.send(()).unwrap();
        held.recv().unwrap_err();
    });
    entered.recv_timeout(LONG).unwrap();
    for _ in 0..5_000 {
        let hold = hold.clone();
        runtime.spawn(async move {
            let _hold = hold;
            pending::<()>().await;
        });
    }
    drop(hold);
    let shutdown = shut_down(runtime, LONG * 2);
    assert_eq!((shutdown.left, shutdown.threads), (0, 0), "{shutdown}");
}

#[test]
fn a_drop_that_does_not_return_is_not_waited_for() {
    /// Waits when it is dropped.
    struct Stuck(mpsc::Receiver<()>, mpsc::Sender<()>);
    impl Drop for Stuck {
        fn drop(&mut self) {
            let _ = self.1.send(());
            let _ = self.0.recv();
        }
    }
    for runtime in both() {
        let (release, released) = mpsc::channel::<()>();
        let (enter, entered) = mpsc::channel();
        let stuck = Stuck(released, enter);
        runtime.spawn(async move {
            let _stuck = stuck;
            pending::<()>().await;
        });
        let shutdown = shut_down(runtime, LIMIT);
        entered.recv_timeout(LONG).unwrap();
        assert_eq!(shutdown.left, 1, "{shutdown}");
        drop(release);
    }
}

#[test]
fn a_blocking_job_that_does_not_return_is_counted_by_its_thread() {
    for runtime in both() {
        let (release, released) = mpsc::channel::<()>();
        let (enter, entered) = mpsc::channel();
        runtime.spawn_blocking(move || {
            enter.send(()).unwrap();
            let _ = released.recv();
        });
        entered.recv_timeout(LONG).unwrap();
        let shutdown = shut_down(runtime, LIMIT);
        drop(release);
        assert_eq!(shutdown.left, 0);
        // Workers may be late to go as well.
        assert!(shutdown.threads >= 1);
        let text = format!(
            "threads left: {}, tasks and actors left: 0",
            shutdown.threads
        );
        assert_eq!(shutdown.to_string(), text);
    }
}

#[test]
fn a_limit_beyond_all_clocks_is_none() {
    for runtime in [single(), multi(1)] {
        runtime.spawn(pending::<()>());
        let shutdown = shut_down(runtime, Duration::MAX);
        assert_eq!((shutdown.left, shutdown.threads), (0, 0));
        assert_eq!(shutdown.to_string(), "everything has ended");
    }
}
