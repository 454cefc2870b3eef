//! Each option of a runtime's threads does what it says.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};
use std::time::Duration;

use greenroom::Runtime;
use greenroom::runtime::Builder;

use super::support::{LONG, within};

/// A builder of each flavor.
fn builders() -> [Builder; 2] {
    [
        Runtime::builder().current_thread(),
        Runtime::builder().worker_threads(1),
    ]
}

/// What a thread for blocking jobs says.
fn of_job<R: Send + 'static>(runtime: &Runtime, job: impl FnOnce() -> R + Send + 'static) -> R {
    let job = runtime.spawn_blocking(job);
    runtime.block_on(within("the job's end", job)).unwrap()
}

fn name() -> Option<String> {
    thread::current().name().map(str::to_owned)
}

#[test]
fn workers_and_threads_for_jobs_have_the_name_asked_for() {
    for builder in builders() {
        let runtime = builder.thread_name("stage").build().unwrap();
        assert_eq!(of_job(&runtime, name).as_deref(), Some("stage"));
    }
    let runtime = Runtime::builder()
        .worker_threads(1)
        .thread_name("stage")
        .build()
        .unwrap();
    let task = runtime.spawn(async { name() });
    assert_eq!(runtime.block_on(task).unwrap().as_deref(), Some("stage"));
}

#[test]
fn a_function_names_each_thread_and_the_last_word_counts() {
    for builder in builders() {
        let count = Arc::new(AtomicUsize::new(0));
        let runtime = builder
            .thread_name("unused")
            .thread_name_fn(move || format!("stage-{}", count.fetch_add(1, Ordering::Relaxed)))
            .build()
            .unwrap();
        let name = of_job(&runtime, name).unwrap();
        assert!(name.starts_with("stage-"), "{name}");
    }
}

#[test]
fn a_function_that_names_threads_badly_names_them_all_the_same() {
    for builder in builders() {
        let runtime = builder
            .clone()
            .thread_name_fn(|| "a\0b".into())
            .build()
            .unwrap();
        assert_eq!(of_job(&runtime, name).as_deref(), Some("ab"));
        let runtime = builder
            .thread_name_fn(|| panic!("no name"))
            .build()
            .unwrap();
        let name = of_job(&runtime, name);
        assert_eq!(name.as_deref(), Some("greenroom-worker"));
    }
}

#[test]
fn jobs_wait_for_a_thread_when_there_are_as_many_as_asked_for() {
    for builder in builders() {
        let runtime = builder.max_blocking_threads(1).build().unwrap();
        let (enter, entered) = mpsc::channel();
        let (release, released) = mpsc::channel::<()>();
        let first = runtime.spawn_blocking(move || {
            enter.send(()).unwrap();
            released.recv().unwrap_err();
            thread::current().id()
        });
        entered.recv_timeout(LONG).unwrap();
        // Beside a busy thread another would start at once, if it could.
        let second = runtime.spawn_blocking(|| thread::current().id());
        drop(release);
        runtime.block_on(async {
            let first = within("the first job", first).await.unwrap();
            let second = within("the second job", second).await.unwrap();
            assert_eq!(first, second);
        });
    }
}

#[test]
fn a_thread_without_jobs_ends_after_the_time_asked_for() {
    /// Less than the ten seconds that are the default.
    const SOON: Duration = Duration::from_secs(9);
    for builder in builders() {
        let (stop, stopped) = mpsc::channel();
        let runtime = builder
            .thread_keep_alive(Duration::from_millis(1))
            .on_thread_stop(move || stop.send(thread::current().id()).unwrap())
            .build()
            .unwrap();
        let of_job = of_job(&runtime, || thread::current().id());
        assert_eq!(stopped.recv_timeout(SOON), Ok(of_job));
    }
}

/// Bytes of the mapping that this thread's stack lies in.
#[cfg(target_os = "linux")]
fn stack_bytes() -> usize {
    let local = 0_u8;
    let address = std::ptr::from_ref(&local).addr();
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let bounds = |line: &str| {
        let (from, to) = line.split_once(' ')?.0.split_once('-')?;
        let number = |text| usize::from_str_radix(text, 16).ok();
        Some(number(from)?..number(to)?)
    };
    let stack = maps
        .lines()
        .filter_map(bounds)
        .find(|bounds| bounds.contains(&address));
    stack.unwrap().len()
}

#[cfg(target_os = "linux")]
#[test]
fn stacks_are_as_large_as_asked_for() {
    const BYTES: usize = 256 << 20;
    for builder in builders() {
        let runtime = builder.thread_stack_size(BYTES).build().unwrap();
        let has = of_job(&runtime, stack_bytes);
        assert!(has >= BYTES, "{has}");
    }
    let runtime = Runtime::builder()
        .worker_threads(1)
        .thread_stack_size(BYTES)
        .build()
        .unwrap();
    let has = runtime
        .block_on(runtime.spawn(async { stack_bytes() }))
        .unwrap();
    assert!(has >= BYTES, "{has}");
}

/// Threads, in the order in which hooks told of them.
struct Told(Receiver<ThreadId>);

impl Told {
    fn all(&self) -> HashSet<ThreadId> {
        self.0.try_iter().collect()
    }
}

/// A hook, and what it is called on.
fn hook() -> (impl Fn() + Send + Sync + 'static, Told) {
    let (tell, told) = mpsc::channel();
    let hook = move || {
        let _ = tell.send(thread::current().id());
    };
    (hook, Told(told))
}

#[test]
fn hooks_run_on_each_thread_that_starts_and_ends() {
    for (builder, workers) in builders().into_iter().zip([0, 1]) {
        let (start, started) = hook();
        let (stop, stopped) = hook();
        let runtime = builder
            .on_thread_start(start)
            .on_thread_stop(stop)
            .build()
            .unwrap();
        let mut threads = HashSet::from([of_job(&runtime, || thread::current().id())]);
        if workers > 0 {
            let task = runtime.spawn(async { thread::current().id() });
            threads.insert(runtime.block_on(task).unwrap());
        }
        assert_eq!(threads.len(), 1 + workers);
        assert_eq!(started.all(), threads);
        assert!(stopped.all().is_empty());
        drop(runtime);
        assert_eq!(stopped.all(), threads);
    }
}

#[test]
fn hooks_run_before_and_after_a_worker_waits() {
    for builder in builders() {
        let (park, parked) = hook();
        let (unpark, unparked) = hook();
        let runtime = builder
            .on_thread_park(park)
            .on_thread_unpark(unpark)
            .build()
            .unwrap();
        let worker = runtime.block_on(async {
            // Each comes from a thread for jobs, for which a worker without work waits.
            for _ in 0..2 {
                within("the job", tokio::task::spawn_blocking(|| {}))
                    .await
                    .unwrap();
            }
            let worker = greenroom::spawn(async { thread::current().id() });
            within("the worker", worker).await.unwrap()
        });
        drop(runtime);
        assert_eq!(parked.all(), HashSet::from([worker]));
        assert_eq!(unparked.all(), HashSet::from([worker]));
    }
}

#[test]
fn a_hook_on_threads_that_panics_takes_no_thread_with_it() {
    for builder in builders() {
        let runtime = builder
            .on_thread_start(|| panic!("start"))
            .on_thread_stop(|| panic!("stop"))
            .on_thread_park(|| panic!("park"))
            .on_thread_unpark(|| panic!("unpark"))
            .build()
            .unwrap();
        runtime.block_on(async {
            let task = greenroom::spawn(async { tokio::task::spawn_blocking(|| 7).await });
            assert_eq!(within("the answer", task).await.unwrap().unwrap(), 7);
        });
        let shutdown = runtime.shutdown_timeout(LONG);
        assert_eq!((shutdown.left, shutdown.threads), (0, 0));
    }
}

#[test]
fn a_runtime_without_the_driver_for_io_has_timers_alone() {
    let bind = || async { tokio::net::TcpListener::bind("127.0.0.1:0").await.is_ok() };
    for builder in builders() {
        let runtime = builder.clone().build().unwrap();
        assert!(runtime.block_on(runtime.spawn(bind())).unwrap());
        let runtime = builder.io_driver(false).build().unwrap();
        let error = runtime.block_on(runtime.spawn(bind())).unwrap_err();
        assert!(error.to_string().contains("IO is disabled"), "{error}");
        runtime
            .block_on(within("the timer", async {
                tokio::time::timeout(Duration::from_millis(1), std::future::pending::<()>()).await
            }))
            .unwrap_err();
    }
}

/// Most polls of a busy task between two looks at a socket.
fn polls_between_looks(event_interval: u32) -> usize {
    let runtime = Runtime::builder()
        .current_thread()
        .event_interval(event_interval)
        .build()
        .unwrap();
    let polls = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&polls);
    runtime.block_on(async move {
        let busy = tokio::spawn(std::future::poll_fn(move |cx| {
            count.fetch_add(1, Ordering::Relaxed);
            cx.waker().wake_by_ref();
            std::task::Poll::<()>::Pending
        }));
        let (from, to) = tokio::net::UnixStream::pair().unwrap();
        let looks = async move {
            let mut most = 0;
            for _ in 0..20 {
                let before = polls.load(Ordering::Relaxed);
                to.try_write(&[1]).unwrap();
                from.readable().await.unwrap();
                most = most.max(polls.load(Ordering::Relaxed) - before);
                while from.try_read(&mut [0; 8]).is_ok() {}
            }
            most
        };
        let most = within("the socket", tokio::spawn(looks)).await.unwrap();
        busy.abort();
        most
    })
}

#[cfg(unix)]
#[test]
fn workers_look_for_events_as_often_as_asked_for() {
    let [often, seldom] = [4, 400].map(polls_between_looks);
    assert!(often <= 4, "{often}");
    assert!(seldom > 40, "{seldom}");
}

#[test]
fn tokios_own_options_are_within_reach_and_set_for_each_build() {
    let calls = Arc::new(Mutex::new(0));
    let counted = Arc::clone(&calls);
    let builder = Runtime::builder().configure_tokio(move |tokio| {
        *counted.lock().unwrap() += 1;
        tokio.thread_name("theirs").worker_threads(2);
    });
    let runtime = builder.clone().build().unwrap();
    assert_eq!(of_job(&runtime, name).as_deref(), Some("theirs"));
    assert_eq!(runtime.metrics().workers.len(), 4); // two of them for spares
    let runtime = builder.thread_name("ours").build().unwrap();
    assert_eq!(of_job(&runtime, name).as_deref(), Some("ours"));
    assert_eq!(*calls.lock().unwrap(), 2);
}
