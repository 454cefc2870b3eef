//! The end of a whole program: waiting for the signal, ending all actors, and saying what was lost.
//!
//! ```no_run
//! # use std::time::Duration;
//! use greenroom::{run_until_signal, shutdown::Report};
//! # use greenroom::actor;
//! # #[actor] struct Store; #[actor] impl Store {}
//!
//! #[tokio::main]
//! async fn main() -> Result<Report, greenroom::Error> {
//!     let _store = Store.spawn();
//!     run_until_signal(Duration::from_secs(10)).await // its exit code tells whether all went well
//! }
//! ```
//!
//! # How actors are ended
//!
//! 1. In the first half of the limit one after the other, the last spawned first: each is told to
//!    [stop](crate::Handle::stop) when the one after it has ended.
//! 2. In the second half, all that are left are told to stop, at once.
//! 3. When the limit has passed, or at a second signal, all that are left are
//!    [killed](crate::Handle::kill).
//! 4. [`KILL_WAIT`](crate::limits::KILL_WAIT) later, those are left that are in a poll that has not
//!    returned.
//!
//! So an actor may send to those that were there before it while it handles what it has accepted,
//! and in its stop hook. Children are ended by their supervisor, in reverse as well, within limits
//! of their own. Actors that are spawned meanwhile are ended too. An actor that ends them goes on.
//! A [`Pool`](crate::Pool) ends with the first of its workers, and replaces none; a
//! [`WorkQueue`](crate::WorkQueue) is drained then, and what it has not begun by the end of the
//! limit is discarded.
//!
//! Tasks are not waited for: what `main` awaits is its own affair, and the rest ends with the
//! runtime. The limit is measured by the runtime's clock.

mod quiesce;
mod report;
#[cfg(feature = "signal")]
mod signals;
mod stop;

pub use quiesce::{Busy, quiesce};
pub use report::Report;
#[cfg(feature = "signal")]
pub use signals::{run_until, run_until_signal};
