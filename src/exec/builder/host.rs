//! The options of the tokio runtime that is built, and building it.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::exec::error::{BuildError, Problem, require};
use crate::exec::hooks::{Hook, OnThread, fenced};
use crate::exec::options::first_of;
use crate::exec::threads::Threads;
use crate::limits;

/// Which kind of tokio runtime it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flavor {
    CurrentThread,
    MultiThread,
}

const DEFAULT_FLAVOR: Flavor = if cfg!(feature = "rt-multi-thread") {
    Flavor::MultiThread
} else {
    Flavor::CurrentThread
};

/// How threads are named.
#[derive(Debug, Clone)]
pub(super) enum ThreadName {
    Always(String),
    By(Hook<dyn Fn() -> String + Send + Sync>),
}

pub(super) type Configure = Hook<dyn Fn(&mut tokio::runtime::Builder) + Send + Sync>;

/// What was said about the host; the defaults are tokio's, but for the drivers, which are on.
#[derive(Debug, Clone, Default)]
pub(super) struct HostOptions {
    pub(super) flavor: Option<Flavor>,
    pub(super) worker_threads: Option<usize>,
    pub(super) max_blocking_threads: Option<usize>,
    pub(super) thread_name: Option<ThreadName>,
    pub(super) thread_stack_size: Option<usize>,
    pub(super) thread_keep_alive: Option<Duration>,
    pub(super) on_thread_start: Option<OnThread>,
    pub(super) on_thread_stop: Option<OnThread>,
    pub(super) on_thread_park: Option<OnThread>,
    pub(super) on_thread_unpark: Option<OnThread>,
    pub(super) event_interval: Option<u32>,
    pub(super) io_driver: Option<bool>,
    pub(super) start_paused: bool,
    pub(super) configure_tokio: Option<Configure>,
}

impl HostOptions {
    pub(super) fn flavor(&self) -> Flavor {
        self.flavor.unwrap_or(DEFAULT_FLAVOR)
    }

    /// An option that was set, other than the flavor, by the name of its method.
    pub(super) fn any_set(&self) -> Option<&'static str> {
        // Taken apart, so that an option which is missing below does not compile.
        let Self {
            flavor: _,
            worker_threads,
            max_blocking_threads,
            thread_name,
            thread_stack_size,
            thread_keep_alive,
            on_thread_start,
            on_thread_stop,
            on_thread_park,
            on_thread_unpark,
            event_interval,
            io_driver,
            start_paused,
            configure_tokio,
        } = self;
        let name = match thread_name {
            Some(ThreadName::By(_)) => "thread_name_fn",
            _ => "thread_name",
        };
        first_of(&[
            ("worker_threads", worker_threads.is_some()),
            ("max_blocking_threads", max_blocking_threads.is_some()),
            (name, thread_name.is_some()),
            ("thread_stack_size", thread_stack_size.is_some()),
            ("thread_keep_alive", thread_keep_alive.is_some()),
            ("on_thread_start", on_thread_start.is_some()),
            ("on_thread_stop", on_thread_stop.is_some()),
            ("on_thread_park", on_thread_park.is_some()),
            ("on_thread_unpark", on_thread_unpark.is_some()),
            ("event_interval", event_interval.is_some()),
            ("io_driver", io_driver.is_some()),
            ("start_paused", *start_paused),
            ("configure_tokio", configure_tokio.is_some()),
        ])
    }

    /// What must hold to build a host.
    pub(super) fn check(&self) -> Result<(), Problem> {
        if let Some(count) = self.worker_threads {
            self.check_workers(count)?;
        }
        if let Some(count) = self.max_blocking_threads {
            require(count > 0, "max_blocking_threads", "must not be zero")?;
            require(
                count <= limits::BLOCKING_THREADS_MAX,
                "max_blocking_threads",
                "is beyond `limits::BLOCKING_THREADS_MAX`",
            )?;
        }
        if let Some(ThreadName::Always(name)) = &self.thread_name {
            require(!name.contains('\0'), "thread_name", "must not contain NUL")?;
        }
        let nonzero = self.event_interval != Some(0);
        require(nonzero, "event_interval", "must not be zero")?;
        let fits = self.flavor() == Flavor::CurrentThread || !self.start_paused;
        require(fits, "start_paused", "needs `current_thread()`")
    }

    fn check_workers(&self, count: usize) -> Result<(), Problem> {
        let is_current_thread = self.flavor() == Flavor::CurrentThread;
        require(count > 0, "worker_threads", "must not be zero")?;
        require(
            count <= limits::WORKERS_MAX,
            "worker_threads",
            "is beyond `limits::WORKERS_MAX`",
        )?;
        require(
            !is_current_thread || count == 1,
            "worker_threads",
            "must be 1 on a current-thread runtime",
        )
    }

    /// Builds the host, whose threads are then counted.
    pub(super) fn build(
        self,
        threads: &Arc<Threads>,
    ) -> Result<tokio::runtime::Runtime, BuildError> {
        self.check()?;
        let mut host = host(self.flavor())?;
        if let Some(configure) = &self.configure_tokio {
            configure.get()(&mut host);
        }
        if self.io_driver == Some(false) {
            host.enable_time();
        } else {
            host.enable_all();
        }
        if self.start_paused {
            pause(&mut host)?;
        }
        if let Some(interval) = self.event_interval {
            host.event_interval(interval);
        }
        self.set_threads(&mut host)?;
        self.set_hooks(&mut host, threads);
        Ok(host.build()?)
    }

    fn set_threads(&self, host: &mut tokio::runtime::Builder) -> Result<(), Problem> {
        if let Some(count) = self.worker_threads {
            host.worker_threads(count);
        }
        if let Some(count) = self.max_blocking_threads {
            host.max_blocking_threads(count);
        }
        if let Some(idle) = self.thread_keep_alive {
            host.thread_keep_alive(idle);
        }
        if let Some(bytes) = self.thread_stack_size {
            try_stack(bytes)?;
            host.thread_stack_size(bytes);
        }
        match self.thread_name.clone() {
            None => {}
            Some(ThreadName::Always(name)) => {
                host.thread_name(name);
            }
            Some(ThreadName::By(name)) => {
                host.thread_name_fn(move || given_name(name.get()));
            }
        }
        Ok(())
    }

    fn set_hooks(self, host: &mut tokio::runtime::Builder, threads: &Arc<Threads>) {
        let mine = Arc::clone(threads);
        let start = self.on_thread_start;
        host.on_thread_start(move || {
            mine.started();
            run("on_thread_start", start.as_ref());
        });
        let mine = Arc::clone(threads);
        let stop = self.on_thread_stop;
        host.on_thread_stop(move || {
            run("on_thread_stop", stop.as_ref());
            mine.stopped();
        });
        if let Some(park) = self.on_thread_park {
            host.on_thread_park(move || run("on_thread_park", Some(&park)));
        }
        if let Some(unpark) = self.on_thread_unpark {
            host.on_thread_unpark(move || run("on_thread_unpark", Some(&unpark)));
        }
    }
}

fn run(name: &'static str, hook: Option<&OnThread>) {
    if let Some(hook) = hook {
        fenced(name, hook.get());
    }
}

/// The name that the user's function gives. tokio calls it under a lock, and panics at a NUL.
fn given_name(name: &(dyn Fn() -> String + Send + Sync)) -> String {
    match fenced("thread_name_fn", name) {
        Some(name) => name.replace('\0', ""),
        None => "greenroom-worker".into(),
    }
}

/// Starts a thread with such a stack: where tokio can't start its own it panics.
fn try_stack(bytes: usize) -> Result<(), Problem> {
    let thread = thread::Builder::new().stack_size(bytes).spawn(|| {});
    let started = thread.is_ok_and(|thread| thread.join().is_ok());
    let reason = "is more than the operating system gives";
    require(started, "thread_stack_size", reason)
}

fn host(flavor: Flavor) -> Result<tokio::runtime::Builder, Problem> {
    match flavor {
        Flavor::CurrentThread => Ok(tokio::runtime::Builder::new_current_thread()),
        #[cfg(feature = "rt-multi-thread")]
        Flavor::MultiThread => Ok(tokio::runtime::Builder::new_multi_thread()),
        #[cfg(not(feature = "rt-multi-thread"))]
        Flavor::MultiThread => Err(Problem {
            option: "multi_thread",
            reason: "needs greenroom's feature `rt-multi-thread`",
        }),
    }
}

#[cfg(feature = "test-util")]
fn pause(host: &mut tokio::runtime::Builder) -> Result<(), Problem> {
    host.start_paused(true);
    Ok(())
}

#[cfg(not(feature = "test-util"))]
fn pause(_host: &mut tokio::runtime::Builder) -> Result<(), Problem> {
    Err(Problem {
        option: "start_paused",
        reason: "needs greenroom's feature `test-util`",
    })
}
