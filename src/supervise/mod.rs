//! Supervision: actors that are started in order, restarted when they fail, and ended in reverse.
//!
//! A [`Supervisor`] is given [`Child`]ren: how their states are made, and what is to become of
//! them. It is an actor itself, and may be a child of another, to any depth.
//!
//! ```
//! # use std::time::Duration;
//! use greenroom::{Child, Intensity, Restart, Strategy, Supervisor, actor};
//!
//! #[actor]
//! struct Store {
//!     rows: Vec<String>,
//! }
//!
//! #[actor]
//! impl Store {
//!     fn put(&mut self, row: String) -> usize {
//!         assert!(!row.is_empty(), "an empty row");
//!         self.rows.push(row);
//!         self.rows.len()
//!     }
//! }
//!
//! # #[greenroom::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), greenroom::Error> {
//! let supervisor = Supervisor::builder()
//!     .strategy(Strategy::RestForOne)
//!     .intensity(Intensity::new(5, Duration::from_secs(10)))
//!     .child(Child::new(|| Store { rows: vec![] }).name("store").restart(Restart::Permanent))
//!     .spawn();
//! let store = supervisor.child::<Store>("store").await?;
//! store.put("a".into()).await?;
//! assert!(store.put(String::new()).await.is_err()); // it panics, and its asker is told
//! assert_eq!(store.put("b".into()).await?, 1); // the same handle, another state
//! supervisor.shutdown().await; // the children first
//! # Ok(()) }
//! ```
//!
//! # Trade-offs
//!
//! - **A restart keeps the handle, the name, the queue and its order, and drops the state.** The
//!   message that was being handled is lost, and its asker is told. Whoever else has sent something
//!   waits a little longer. So a message that fails each time fails each time that it is sent, but
//!   not again by itself.
//! - **It keeps its children running.** A child ends with its entry, not with its last handle.
//! - **A child that computes without an await can't be killed.** Its supervisor waits for it.
//! - Nothing is added to the way of a message. A child costs more to spawn than another actor,
//!   since more is kept of it.
//!
//! # What becomes of a child that ends
//!
//! | the child | [`Permanent`](Restart::Permanent) | [`Transient`](Restart::Transient) | [`Temporary`](Restart::Temporary) |
//! | --- | --- | --- | --- |
//! | failed: a panic, an error at its start or a spawn that the [policy](crate::set_resource_policy) refuses, a kill, giving up | restart | restart | removal |
//! | stopped by itself: [`Context::stop`](crate::Context::stop) | restart | removal | removal |
//! | was told to stop by a handle | removal | removal | removal |
//! | was halted for others' sake | comes back | comes back | removal |
//! | was restarted by hand | comes back | comes back | comes back |
//!
//! | then, in this order | it becomes |
//! | --- | --- |
//! | a restart, where it had as many as its [`Intensity`] allows, or all together as many as theirs | the supervisor gives up |
//! | a restart, [`OneForOne`](Strategy::OneForOne) | a restart of that child |
//! | a restart, [`OneForAll`](Strategy::OneForAll) | a restart of all: the others are halted, the last first, and all are started in order |
//! | a restart, [`RestForOne`](Strategy::RestForOne) | the same, of that child and all after it |
//! | a removal of a [significant](Child::significant) child, [`AnySignificant`](AutoShutdown::AnySignificant) | the supervisor stops |
//! | a removal of the last significant child, [`AllSignificant`](AutoShutdown::AllSignificant) | the supervisor stops |
//! | any other removal | a removal: the child's entry and what its factory owns are dropped |
//!
//! A failure counts when nobody had the child end, and once: also that of a start hook. Restarts
//! by hand don't count. A supervisor whose child fails once more than it may **gives up**: it halts
//! its children, in reverse, and ends with [`ExitReason::GaveUp`](crate::ExitReason::GaveUp), which
//! is a failure to its own supervisor. That restarts it, and the children that it was built with,
//! under the handles that they had; or gives up, and so on.
//!
//! # What happens when
//!
//! - Children are started in order, each when the one before has started, or has failed and waits
//!   for another try. A supervisor has started when its children have.
//! - They end in reverse, each when the one after it has, within its [`Shutdown`] limit; then it is
//!   killed. What they accepted is handled first, within that limit, unless they are to come back.
//! - While a supervisor ends, nothing is restarted.
//! - A [`Backoff`] delays the child, and those that are restarted with it. The supervisor, and other
//!   children, go on.
//! - A supervisor that is killed has its children killed.
//! - A permanent child that stops itself stops after the handler that runs. What is sent meanwhile,
//!   and what its mailbox has accepted, waits for its restart.
//! - A child that waits for its restart has nothing that could be killed: it comes back, and what it
//!   has accepted stays. Told to stop, it ends.
//! - A child that is halted for others' sake, and told to stop before it is done, handles what it has
//!   accepted and does not come back.
//!
//! # For those who know OTP
//!
//! | there | here |
//! | --- | --- |
//! | `init/1`, child specifications | [`Supervisor::builder`], [`Child`] |
//! | `one_for_one`, `one_for_all`, `rest_for_one` | [`Strategy`] |
//! | `simple_one_for_one`, `DynamicSupervisor` | [`SupervisorHandle::add`], of [temporary](Restart::Temporary) children |
//! | `permanent`, `transient`, `temporary` | [`Restart`]; a child that a handle told to stop is never restarted |
//! | `intensity`, `period` | [`SupervisorBuilder::total_intensity`]; [`intensity`](SupervisorBuilder::intensity) is for each child, and what there is by default |
//! | `shutdown` | [`Shutdown`] |
//! | `significant`, `auto_shutdown` | [`Child::significant`], [`AutoShutdown`] |
//! | `terminate_child`, `restart_child`, `delete_child` | [`SupervisorHandle::terminate`], [`restart`](SupervisorHandle::restart), [`delete`](SupervisorHandle::delete) |
//! | `which_children`, `count_children` | [`SupervisorHandle::children`], [`tree`](SupervisorHandle::tree) |
//! | a restarted process has another pid | its handle stays, and its [`incarnation`](crate::Handle::incarnation) is one more |
//! | `init` returns when all children have started | [`SupervisorBuilder::spawn`] returns at once; [`SupervisorHandle::wait_launched`] waits |
//! | a restart follows at once | unless there is a [`Backoff`] |

mod ascending;
mod backoff;
mod builder;
mod child;
mod decision;
mod desk;
mod error;
mod handle;
mod inbox;
mod intensity;
mod link;
mod plan;
mod restart;
mod roster;
mod shutdown;
mod spec;
mod strategy;
mod supervisor;
mod tree;

pub use backoff::Backoff;
pub use builder::SupervisorBuilder;
pub use child::{Child, Prepared};
pub use error::{ChildError, ChildKey};
pub use handle::SupervisorHandle;
pub use intensity::Intensity;
pub(crate) use intensity::Window;
pub use restart::Restart;
pub use shutdown::Shutdown;
pub use spec::Supervised;
pub use strategy::{AutoShutdown, Strategy};
pub use supervisor::Supervisor;
pub use tree::{ChildInfo, ChildState, Tree};
