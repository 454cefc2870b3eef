//! Waiting for the signals that end a process.

use std::future::pending;
use std::io;
use std::time::Duration;

use super::report::Report;
use super::stop::{first, stop};
use crate::contain::{catch, discard};
use crate::error::Error;
use crate::exec::runtime;

/// Waits until the process is told to end, and then ends all actors of this runtime within `limit`:
/// see [`shutdown`](crate::shutdown).
///
/// It is told so by SIGTERM or SIGINT, on Windows by Ctrl-C. From the first poll on these don't end
/// the process themselves. The next one while actors are being ended kills those that are left.
///
/// # Errors
///
/// Outside a tokio runtime, or when signals can't be waited for: the runtime has no I/O driver, or
/// the operating system refuses.
///
/// Cancel safety: dropped, it ends nothing; but the process goes on to ignore these signals.
pub async fn run_until_signal(limit: Duration) -> Result<Report, Error> {
    run_until(pending::<()>(), limit).await
}

/// As [`run_until_signal`], until `until` is done, if that comes first. At a signal it is dropped:
/// a server that is given here takes no more requests.
///
/// ```
/// # use std::time::Duration;
/// # use greenroom::{actor, run_until};
/// # #[actor] struct Counter { count: u64 }
/// # #[actor] impl Counter { fn add(&mut self, n: u64) { self.count += n } }
/// # #[tokio::main] async fn main() -> Result<(), greenroom::Error> {
/// let counter = Counter { count: 0 }.spawn();
/// let work = async { counter.add(1).tell().await };
/// let report = run_until(work, Duration::from_secs(10)).await?;
/// assert_eq!((report.stopped, report.undelivered), (1, 0));
/// # Ok(()) }
/// ```
///
/// # Errors
///
/// As [`run_until_signal`].
pub async fn run_until<F: IntoFuture>(until: F, limit: Duration) -> Result<Report, Error> {
    let runtime = runtime::Handle::try_current().map_err(Error::new)?;
    let mut signals = Signals::new()?;
    first(signals.next(), until.into_future()).await;
    Ok(stop(&runtime, limit, signals.next()).await)
}

impl runtime::Runtime {
    /// Runs the runtime until the process is told to end, and ends its actors: see
    /// [`run_until_signal`]. What is left then ends with the runtime.
    ///
    /// # Errors
    ///
    /// When signals can't be waited for.
    ///
    /// # Panics
    ///
    /// In async code.
    pub fn run_until_signal(&self, limit: Duration) -> Result<Report, Error> {
        self.block_on(run_until_signal(limit))
    }
}

/// The signals that end a process.
struct Signals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(windows)]
    interrupt: tokio::signal::windows::CtrlC,
}

impl Signals {
    fn new() -> io::Result<Self> {
        // Where there is no driver to bring them, tokio panics.
        catch(Self::listen).unwrap_or_else(|payload| {
            discard(payload);
            Err(io::Error::other("the runtime has no driver for signals"))
        })
    }

    #[cfg(unix)]
    fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    #[cfg(windows)]
    fn listen() -> io::Result<Self> {
        Ok(Self {
            interrupt: tokio::signal::windows::ctrl_c()?,
        })
    }

    /// Waits for the next.
    async fn next(&mut self) {
        #[cfg(unix)]
        first(self.terminate.recv(), self.interrupt.recv()).await;
        #[cfg(windows)]
        drop(self.interrupt.recv().await);
    }
}
