//! What all works share, and the runtimes that they work on.

use std::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use greenroom::Runtime;
use greenroom::runtime::{self, Handle, Metrics};
use tokio::sync::oneshot;

use super::arguments::Arguments;
use super::class::Class;
use super::ledger::{Entry, Ledger};

type BoxError = Box<dyn Error + Send + Sync>;

/// What every work is given.
pub struct Stage {
    pub ledger: Ledger,
    /// Tasks that a work has in flight.
    pub batch: usize,
    /// The runtime where most work is done.
    pub host: Handle,
    /// Runtimes that spawn into the host, and it into them: one attached, one of one thread.
    pub peers: [Handle; 2],
    ends: AtomicBool,
}

impl Stage {
    pub fn begin(&self, class: Class) -> Entry {
        self.ledger.begin(class)
    }

    /// Whether new work shall be begun.
    pub fn goes_on(&self) -> bool {
        // Ordering: Relaxed; nothing else is told by it.
        !self.ends.load(Ordering::Relaxed)
    }

    pub fn end(&self) {
        self.ends.store(true, Ordering::Relaxed);
    }
}

/// The runtimes of a run.
pub struct Runtimes {
    host: Runtime,
    guest: tokio::runtime::Runtime,
    single: Single,
    handles: [Handle; 3],
}

/// A runtime of one thread, and the thread that drives it.
struct Single {
    stop: oneshot::Sender<Duration>,
    thread: thread::JoinHandle<()>,
}

impl Runtimes {
    pub fn build(arguments: &Arguments) -> Result<Self, BoxError> {
        let host = Runtime::builder()
            .worker_threads(arguments.workers)
            .thread_name("soak-host")
            .build()?;
        let guest = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("soak-guest")
            .enable_all()
            .build()?;
        let attached = runtime::attach(guest.handle())?;
        let (single, of_single) = Single::start()?;
        Ok(Self {
            handles: [host.handle().clone(), attached, of_single],
            host,
            guest,
            single,
        })
    }

    pub fn stage(&self, batch: usize) -> Stage {
        let [host, peers @ ..] = self.handles.clone();
        Stage {
            ledger: Ledger::new(),
            batch,
            host,
            peers,
            ends: AtomicBool::new(false),
        }
    }

    /// The numbers of each runtime, with its name.
    pub fn metrics(&self) -> [(&'static str, Metrics); 3] {
        let [host, guest, single] = &self.handles;
        [("host", host), ("guest", guest), ("single", single)]
            .map(|(name, handle)| (name, handle.metrics()))
    }

    /// Tasks and actors that have not ended.
    pub fn live(&self) -> usize {
        self.metrics().iter().map(|(_, metrics)| metrics.live).sum()
    }

    /// Ends all of them, and says how many tasks and actors were left within the limit.
    pub fn shut_down(self, limit: Duration) -> usize {
        let deadline = Instant::now() + limit;
        self.host.shutdown_timeout(limit);
        self.guest.shutdown_timeout(limit);
        let _ = self.single.stop.send(limit);
        // One that panicked has told so.
        let _ = self.single.thread.join();
        // What another thread was just waking ends there, perhaps after its runtime.
        loop {
            let left = self
                .handles
                .iter()
                .map(|handle| handle.metrics().live)
                .sum();
            if left == 0 || Instant::now() > deadline {
                return left;
            }
            thread::yield_now();
        }
    }

    /// Leaves them as they are: the process is about to end.
    pub fn abandon(self) {
        self.host.shutdown_background();
        self.guest.shutdown_background();
    }
}

impl Single {
    fn start() -> Result<(Self, Handle), BoxError> {
        let (stop, stopped) = oneshot::channel();
        let (ready, is_ready) = mpsc::channel();
        let drive = move || {
            let runtime = match Runtime::builder().current_thread().build() {
                Ok(runtime) => runtime,
                Err(error) => {
                    let _ = ready.send(Err(error));
                    return;
                }
            };
            let _ = ready.send(Ok(runtime.handle().clone()));
            let limit = runtime.block_on(stopped).unwrap_or_default();
            runtime.shutdown_timeout(limit);
        };
        let thread = thread::Builder::new()
            .name("soak-single".into())
            .spawn(drive)?;
        let handle = is_ready.recv()??;
        Ok((Self { stop, thread }, handle))
    }
}
